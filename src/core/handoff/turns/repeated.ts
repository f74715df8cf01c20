/** Lines that results of several calls have: a page's menu, a licence, a closing brace. They are the first to go where not all fits. */
import type { CallEvent } from "../../events/events.ts";
import { wholeWords } from "../../events/text.ts";

const REPEATED_MIN = 3;
/** More of one result is not looked through. */
const RESULT_CHARS_READ_MAX = 60_000;

/** Whether a line stands in results of that many calls, of which each is another one. */
export function repeatedLines(calls: readonly CallEvent[]): (text: string) => boolean {
  const counts = new Map<string, number>();
  for (const { text } of calls) {
    const lines = wholeWords(text, RESULT_CHARS_READ_MAX).split("\n");
    for (const one of new Set(lines.map((line) => line.trim()))) counts.set(one, (counts.get(one) ?? 0) + 1);
  }
  return (text) => (counts.get(text.trim()) ?? 0) >= REPEATED_MIN;
}
