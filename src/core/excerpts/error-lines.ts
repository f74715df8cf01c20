/** The lines of a result that report errors: what a session full of noise is most likely to be asked about. */
import type { CallSummary } from "../digest/call.ts";
import { outcomeOf } from "../digest/outcome.ts";
import { purposeOf } from "../ledger/readers/commands.ts";
import { isBareError } from "../ledger/readers/results.ts";
import type { Range } from "./identifiers.ts";

const LINE_CHARS_MAX = 400;
/** What a package runner adds below the error of what it ran. */
const OF_THE_RUNNER =
  /^\W*npm (?:error|ERR!) (?:code|path|command|errno|syscall|workspace|location|in workspace|lifecycle script|a complete log)\b/i;
const LOG_FILE = /\.(?:log|out|err)$/i;

/** Each distinct error at its first place. A file that was read speaks of errors all the time: only logs count. */
export function errorLinesIn(text: string, call: CallSummary | undefined, outcomeIn = outcomeOf): readonly Range[] {
  if (call !== undefined && isSource(call)) return [];
  const reported = outcomeIn(text).errors;
  const telling = reported.filter((error) => !isBareError(error.text));
  const errors = telling.length === 0 ? reported : telling;
  const ranges: Range[] = [];
  let [line, start] = [1, 0];
  for (const error of errors.toSorted((a, b) => a.line - b.line)) {
    for (; line < error.line; line++) start = text.indexOf("\n", start) + 1;
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    if (end - start <= LINE_CHARS_MAX && !OF_THE_RUNNER.test(text.slice(start, end)))
      ranges.push(trimmed(text, start, end));
  }
  return ranges;
}

function isSource({ action, command, paths }: CallSummary): boolean {
  if (paths.some((path) => LOG_FILE.test(path))) return false;
  if (command !== undefined) return purposeOf(command) === "show";
  return action === "read" || action === "search" || action === "list" || action === "edit" || action === "write";
}

function trimmed(text: string, start: number, end: number): Range {
  const line = text.slice(start, end);
  return { start: start + line.length - line.trimStart().length, end: start + line.trimEnd().length };
}

const VALUES = /(?<=[:=]\s?)(?:"[^"]*"|'[^']*'|[^\s,;"'{}()[\]]+)|\b[0-9a-f]{8,}\b|\d+(?:[.,:]\d+)*/g;
const CHARS_READ_MAX = 160;

export function shapeOf(line: string): string {
  return line.slice(0, CHARS_READ_MAX).replace(VALUES, "#");
}
