/**
 * A model's regular expression over the lines of a text, in RE2's syntax and run by it: linear in the text, whatever the
 * pattern. It is run in slices, between which everything else goes on, and ends when its time is over.
 */
import type { LinePattern, PatternFault } from "../core/engines/contract.ts";

const PATTERN_CHARS_MAX = 500;
/** Of lines without a break. */
const SLICE_MS = 10;

/** Lets everything else go on first; a browser has no `setImmediate`. */
const next = typeof setImmediate === "function" ? setImmediate : setTimeout;

/** The library is loaded when the first pattern is asked for. */
export async function compilePattern(text: string, isLate: () => boolean): Promise<LinePattern | PatternFault> {
  if (text.length > PATTERN_CHARS_MAX) return { fault: `it has more than ${PATTERN_CHARS_MAX} characters` };
  const { RE2JS, RE2JSException } = await import("re2js");
  try {
    const compiled = RE2JS.compile(text);
    if (compiled.matcher("").find()) return { fault: "it matches an empty line, so it would match every line" };
    return { matching: (lines) => matching(lines, (line) => compiled.matcher(line).find(), isLate) };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reason = error.message.replace(/^error parsing regexp: /, "");
    return { fault: `${reason}; RE2 syntax has no look-around and no back-references` };
  }
}

async function matching(
  lines: readonly string[],
  matches: (line: string) => boolean,
  isLate: () => boolean,
): Promise<readonly number[]> {
  const found: number[] = [];
  let since = performance.now();
  for (const [at, line] of lines.entries()) {
    if (matches(line)) found.push(at);
    if (performance.now() - since < SLICE_MS) continue;
    if (isLate()) break;
    await new Promise((done) => next(done));
    since = performance.now();
  }
  return found;
}
