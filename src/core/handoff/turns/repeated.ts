/** Lines that several texts have: a page's menu, a licence, a plan that is told again. They are the first to go where not all fits. */
import { wholeWords } from "../../events/text.ts";
import { createCounter } from "./counted.ts";

/** More of one text is not looked through. */
const TEXT_CHARS_READ_MAX = 60_000;
/** Characters of the texts that are remembered before it starts afresh. */
const REMEMBERED_CHARS_MAX = 2_000_000;

const count = createCounter(linesIn, REMEMBERED_CHARS_MAX);

/** Whether a line of a text stands in a later one, too: the last to have it tells it, for it says what holds by then. */
export function repeatedLines(texts: readonly Text[]): (line: string, within: Text) => boolean {
  const { pieces, numberOf } = count(texts.map(({ text }) => text));
  const lastIn: Text[] = [];
  pieces.forEach((own, at) => own.forEach((piece) => (lastIn[piece] = texts[at]!)));
  return (line, within) => {
    const piece = numberOf(line.trim());
    return piece !== undefined && lastIn[piece] !== within;
  };
}

interface Text {
  readonly text: string;
}

function linesIn(text: string): ReadonlySet<string> {
  const lines = wholeWords(text, TEXT_CHARS_READ_MAX).split("\n");
  return new Set(lines.map((line) => line.trim()));
}
