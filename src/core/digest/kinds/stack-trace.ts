/** A stack trace: the exception and its message, where it was thrown, and the frames in code of one's own. */
import { isErrorLine } from "../error-line.ts";
import { judged, linesWith, type Page } from "../page.ts";
import { plural, range, type DigestContent, type DigestContentRequest } from "../short.ts";

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
      ...errors(page),
      ...focus,
      ...range(0, 3),
      ...range(last - 3, last),
    ],
    must: must.length,
  };
}

function errors(page: Page): number[] {
  return linesWith(page, /[Ee]rror|[Ee]xception|panic/g, LINES_SCANNED_MAX)
    .filter((number) => isErrorLine(judged(page, number)))
    .slice(0, 4);
}
