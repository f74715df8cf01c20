/** Plain text, web pages and bytes: beginning and end, headings, what went wrong, and the lines the task is about; of bytes, what they seem to be. */
import { isErrorLine } from "../error-line.ts";
import { lineNumberOf } from "../numbered-lines.ts";
import { judged, headingsOf, linesWith, type Page } from "../page.ts";
import { informativeLines } from "../informative-lines.ts";
import { inOrder, range, type DigestContent, type DigestContentRequest, plural } from "../short.ts";
import { thousands, oneLine } from "../cut.ts";

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

const MAGIC: readonly (readonly [start: RegExp, name: string])[] = [
  [/^iVBORw0KGgo|^.PNG/, "PNG image"],
  [/^\/9j\//, "JPEG image"],
  [/^R0lGOD|^GIF8/, "GIF image"],
  [/^JVBERi0|^%PDF-/, "PDF"],
  [/^UEsDB|^PK\u0003\u0004/, "ZIP archive"],
  [/^H4sI/, "gzip data"],
  [/^.ELF/, "ELF program"],
];

export function shortBinary({ text }: Page): DigestContent {
  const start = text.slice(0, 40).trimStart();
  const name =
    MAGIC.find(([pattern]) => pattern.test(start))?.[1] ??
    (/^[A-Za-z0-9+/=\s_-]+$/.test(text.slice(0, 400)) ? "base64" : "bytes");
  return { facts: [name, `${thousands(text.length)} characters`], lines: [] };
}

const LINK = /\]\(https?:\/\/|\bhref=|^https?:\/\//gm;
const LINKS_MAX = 10_000;
const PAGE_HEADINGS_MAX = 14;
const PAGE_HEADINGS_SHOWN = 2;
const PAGE_TELLING_MAX = 10;
const TITLE = /<title[^>]{0,200}>([^<]{1,300})|^(?:Title|# ?Title): ?(.{1,200})$/im;
const TITLE_CHARS = 20_000;
/** Lines with this much to say are passages, not navigation. */
const PASSAGE_CHARS_MIN = 80;
const PASSAGES_MAX = 4;

export function shortWebPage(page: Page, { focus }: DigestContentRequest): DigestContent {
  const links = linesWith(page, LINK, LINKS_MAX).length;
  const headings = headingsOf(page);
  const title = TITLE.exec(page.text.slice(0, TITLE_CHARS));
  const passages: number[] = [];
  for (let at = 0; at < page.lines.length && passages.length < PASSAGES_MAX; at++)
    if (page.lines[at]!.trim().length >= PASSAGE_CHARS_MIN) passages.push(at);
  return {
    facts: [
      title === null ? "" : oneLine(title[1] ?? title[2] ?? "", 100),
      links === 0 ? "" : plural(links, "line") + " with links",
    ],
    lines: inOrder(
      range(0, 1),
      focus.slice(0, 6),
      headings.slice(0, PAGE_HEADINGS_SHOWN),
      passages.slice(0, 1),
      focus,
      () => informativeLines(page, PAGE_TELLING_MAX),
      passages,
      headings.slice(0, PAGE_HEADINGS_MAX),
      range(1, 6),
    ),
  };
}
