/** Lines that several texts have: a page's menu, a licence, a plan that is told again. They are the first to go where not all fits. */
import { wholeWords } from "../../events/text.ts";

const REPEATED_MIN = 3;
/** More of one text is not looked through. */
const TEXT_CHARS_READ_MAX = 60_000;

/** Whether a line stands in that many of the texts. */
export function repeatedLines(texts: readonly { readonly text: string }[]): (text: string) => boolean {
  const counts = new Map<string, number>();
  for (const { text } of texts) {
    const lines = wholeWords(text, TEXT_CHARS_READ_MAX).split("\n");
    for (const one of new Set(lines.map((line) => line.trim()))) counts.set(one, (counts.get(one) ?? 0) + 1);
  }
  return (text) => (counts.get(text.trim()) ?? 0) >= REPEATED_MIN;
}
