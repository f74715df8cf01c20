/** Plain text: its beginning and end, its headings, what went wrong in it, and the lines the task is about. */
import { isErrorLine } from "../error-line.ts";
import { lineNumberOf } from "../numbered-lines.ts";
import { judged, headingsOf, linesWith, type Page } from "../page.ts";
import { informativeLines } from "../informative-lines.ts";
import { inOrder, range, type DigestContent, type DigestContentRequest } from "../short.ts";

/** Head, errors and tail (Dual Compression chapter, 16.3). */
const HEAD_LINES = 20;
const ERROR_LINES = 5;
const TAIL_LINES = 10;
const COMMITS_MAX = 40;
const HEADINGS_MAX = 12;
const HEADINGS_SHOWN = 1;
const TELLING_MAX = 12;
const ERROR_WORDS = /[Ee]rror|ERROR|[Ee]xception|Traceback|[Ww]arning|WARN|fatal|denied|not found|No such/g;
const ERROR_LINES_SCANNED_MAX = 200;

export function shortText(page: Page, { focus }: DigestContentRequest): DigestContent {
  const last = page.end;
  const headings = headingsOf(page);
  return {
    facts: [],
    gaps: lineNumberOf(page.lines.find((line) => line.trim() !== "") ?? "") === undefined,
    lines: inOrder(
      range(0, 1),
      focus.slice(0, 4),
      commitSubjects(page),
      errorLines(page),
      headings.slice(0, HEADINGS_SHOWN),
      range(last - 1, last),
      () => informativeLines(page, TELLING_MAX),
      focus,
      headings.slice(0, HEADINGS_MAX),
      range(1, HEAD_LINES),
      range(last - TAIL_LINES, last),
    ),
  };
}

/** Of a log of commits the subjects, each below its date and an empty line. */
function commitSubjects(page: Page): readonly number[] {
  if (!/^(?:\S* )?commit [0-9a-f]{7}/.test(page.text)) return [];
  return linesWith(page, /^Date: /gm, COMMITS_MAX).map((number) => number + 2);
}

/** The first lines that report an error, else that mention one. */
function errorLines(page: Page): number[] {
  const mentioned = linesWith(page, ERROR_WORDS, ERROR_LINES_SCANNED_MAX);
  const reported = mentioned.filter((number) => isErrorLine(judged(page, number)));
  return reported.slice(0, ERROR_LINES);
}
