/** Whether a file still holds what an agent's tool showed of it: perhaps a part, perhaps with line numbers, perhaps with a remark. */
import { lineNumberOf, withoutLineNumber } from "../../digest/numbered-lines.ts";

/** A remark of the tool before or after what it read, for example that there is more. */
const REMARK = /^\s*(?:[[(<…]|\.\.\.)/;
const REMARK_LINES_MAX = 2;
/** With fewer of the lines numbered, the numbers belong to the file. */
const NUMBERED_SHARE_MIN = 0.5;

export function stillHolds(now: string, shown: string): boolean {
  const file = linesOf(now);
  const lines = linesOf(shown);
  const numbered = lines.filter((line) => lineNumberOf(line) !== undefined);
  if (numbered.length > 0 && numbered.length >= lines.length * NUMBERED_SHARE_MIN)
    return numbered.every((line) => (file[lineNumberOf(line)! - 1] ?? "").trim() === withoutLineNumber(line).trim());
  // The line breaks around it keep a line from being found inside of another.
  const whole = `\n${file.join("\n")}\n`;
  return withoutRemarks(lines).some((part) => whole.includes(`\n${part.join("\n")}\n`));
}

function remarksFrom(lines: readonly string[]): number {
  const end = lines.findIndex((line) => !REMARK.test(line));
  return Math.min(REMARK_LINES_MAX, end < 0 ? 0 : end);
}

/** The lines with all that may be remarks, and with fewer and fewer of it. */
function withoutRemarks(lines: readonly string[]): readonly (readonly string[])[] {
  const [first, last] = [remarksFrom(lines), remarksFrom(lines.toReversed())];
  return Array.from({ length: first + 1 }, (_, before) =>
    Array.from({ length: last + 1 }, (__, after) => lines.slice(before, lines.length - after)),
  ).flat();
}

/** What stands at the end of a line or of the file may get lost on the way. */
function linesOf(text: string): readonly string[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.trimEnd());
}
