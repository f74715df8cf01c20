/** Lines that several texts have: a page's menu, a licence, a plan that is told again. They are the first to go where not all fits. */
import { wholeWords } from "../../events/text.ts";
import { createCounter } from "./counted.ts";

const REPEATED_MIN = 3;
/** More of one text is not looked through. */
const TEXT_CHARS_READ_MAX = 60_000;
/** Characters of the texts that are remembered before it starts afresh. */
const REMEMBERED_CHARS_MAX = 4_000_000;

const count = createCounter(linesIn, REMEMBERED_CHARS_MAX);

/** Whether a line stands in that many of the texts. */
export function repeatedLines(texts: readonly { readonly text: string }[]): (text: string) => boolean {
  const { countOf } = count(texts.map(({ text }) => text));
  return (text) => countOf(text.trim()) >= REPEATED_MIN;
}

function linesIn(text: string): ReadonlySet<string> {
  const lines = wholeWords(text, TEXT_CHARS_READ_MAX).split("\n");
  return new Set(lines.map((line) => line.trim()));
}
