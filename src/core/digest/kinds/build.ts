/** Output of a compiler, linter or build: exit status, how many errors and warnings, and each distinct error where it first is; of a stack trace the exception and the frames in code of one's own. */
import { errorKey, isErrorLine } from "../error-line.ts";
import { ERRORS_MAX, outcomeOf } from "../outcome.ts";
import { judged, linesWith, type Page } from "../page.ts";
import { plural, range, type DigestContent, type DigestContentRequest } from "../short.ts";

const WARNING = /\b[Ww]arning(?:\[\w+\])?:? |\bWARN(?:ING)?\b| warning {2}/g;
const WARNINGS_SCANNED_MAX = 2_000;
const WARNINGS_SHOWN_MAX = 3;
const TAIL_LINES = 3;
/** rustc and others put the place of an error on the line below it. */
const PLACE_BELOW = /^\s*(?:-->|at|[,╭][-─]+\[) ?\S/;
/** eslint puts the file on a line of its own above its findings. */
const FINDING = /^\s+\d+:\d+\s/;

export function shortBuild(page: Page, { focus }: DigestContentRequest): DigestContent {
  const { exit, errors: reported } = outcomeOf(page.text);
  // What npm says of a script that failed is true and tells nothing.
  const ofTools = reported.filter(({ text }) => !text.startsWith("npm "));
  const errors = ofTools.length > 0 ? ofTools : reported;
  const all = errors.reduce((sum, { count }) => sum + count, 0);
  const warnings = distinctWarnings(page, new Set(errors.map(({ line }) => line - 1)));
  const must = errors.flatMap(({ line }) => withPlace(page, line - 1));
  const last = page.end;
  return {
    facts: [
      exitFact(exit),
      errorsFact(all, errors.length, exit),
      warnings.count === 0 ? "" : plural(warnings.count, "warning"),
    ],
    lines: [
      ...must,
      ...range(last - 1, last),
      ...focus.slice(0, 4),
      ...warnings.lines.slice(0, WARNINGS_SHOWN_MAX),
      ...range(0, 2),
      ...range(last - TAIL_LINES, last),
      ...focus,
    ],
    must: must.length,
    marks: new Map(errors.filter(({ count }) => count > 1).map(({ line, count }) => [line - 1, ` [×${count}]`])),
  };
}

export function exitFact(exit: number | undefined): string {
  return exit === undefined ? "" : `exit ${exit}`;
}

function errorsFact(all: number, distinct: number, exit: number | undefined): string {
  if (all === 0) return exit === 0 ? "no errors" : "";
  if (distinct === ERRORS_MAX) return `more than ${plural(all, "error")}`;
  return all === distinct ? plural(all, "error") : `${plural(all, "error")} (${distinct} distinct)`;
}

function withPlace(page: Page, line: number): number[] {
  if (PLACE_BELOW.test(judged(page, line + 1))) return [line, line + 1];
  if (/^ {1,3}[×✖] /.test(judged(page, line)) && judged(page, line - 2).includes("━")) return [line - 2, line];
  if (!FINDING.test(judged(page, line))) return [line];
  for (let above = line - 1; above >= 0; above--) {
    const text = judged(page, above);
    if (text.trim() === "") return [line];
    if (!FINDING.test(text)) return [above, line];
  }
  return [line];
}

function distinctWarnings(
  page: Page,
  errors: ReadonlySet<number>,
): { readonly count: number; readonly lines: readonly number[] } {
  const numbers = linesWith(page, WARNING, WARNINGS_SCANNED_MAX).filter((number) => !errors.has(number));
  const first = new Map<string, number>();
  for (const number of numbers) {
    const key = errorKey(judged(page, number));
    if (!first.has(key)) first.set(key, number);
  }
  return { count: numbers.length, lines: [...first.values()] };
}

const FRAME =
  /^[ \t]+at .+$|^[ \t]*File ".+", line \d+.*$|^[ \t]+from .+:\d+:in .*$|^[ \t]*\d+: +0x.*$|^[ \t]+\S+\.go:\d+ .*$|^#\d+ .*$/gm;
const FOREIGN =
  /node_modules|site-packages|dist-packages|\bnode:|<anonymous>|\/usr\/lib|\binternal\/|<frozen |\/rustc\/|\.cargo\/|\bjava\.base|\bsun\.|\/gems\/|\/go\/src\/|\bruntime\//;
const RAISED =
  /^(?:[\w.]+(?:Error|Exception|Interrupt|Exit)\b.*|Caused by: .*|panic: .*|thread .* panicked at .*|Uncaught .*|goroutine \d+ .*|Unhandled .*)$/gm;
const LINES_SCANNED_MAX = 3_000;
const TOP_FRAMES = 2;
const OWN_FRAMES = 6;

export function shortStackTrace(page: Page, { focus }: DigestContentRequest): DigestContent {
  const frames = linesWith(page, FRAME, LINES_SCANNED_MAX);
  const raised = linesWith(page, RAISED, LINES_SCANNED_MAX);
  const own = frames.filter((number) => !FOREIGN.test(judged(page, number)));
  // Python names the innermost frame last, the others first; its source line is below.
  const python = page.text.includes("Traceback (most recent call last)");
  const order = python ? own.toReversed() : own;
  const placed = order.slice(0, OWN_FRAMES).flatMap((number) => (python ? [number, number + 1] : [number]));
  const last = page.end;
  const must = [...raised.slice(-2), ...raised.slice(0, 2), ...placed.slice(0, 4)];
  return {
    facts: [plural(frames.length, "frame")],
    lines: [
      ...must,
      ...placed,
      ...frames.slice(0, TOP_FRAMES),
      ...errorLines(page),
      ...focus,
      ...range(0, 3),
      ...range(last - 3, last),
    ],
    must: must.length,
  };
}

function errorLines(page: Page): number[] {
  return linesWith(page, /[Ee]rror|[Ee]xception|panic/g, LINES_SCANNED_MAX)
    .filter((number) => isErrorLine(judged(page, number)))
    .slice(0, 4);
}
