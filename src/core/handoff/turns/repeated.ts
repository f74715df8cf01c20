/** Lines that several texts have: a page's menu, a licence, a plan that is told again. They are the first to go where not all fits. */
import { wholeWords } from "../../events/text.ts";
import { createCounter } from "./counted.ts";

const REPEATED_MIN = 3;
/** More of one text is not looked through. */
const TEXT_CHARS_READ_MAX = 60_000;
/** Characters of the texts that are remembered before it starts afresh. */
const REMEMBERED_CHARS_MAX = 2_000_000;

const count = createCounter(linesIn, REMEMBERED_CHARS_MAX);

/**
 * Whether a line stands in at least so many results and texts of one speaker; of the speaker's own lines the last one is no repetition: it
 * says what holds by then.
 */
export function repeatedLines(
  calls: readonly Texts[],
  said: readonly Texts[],
  least: number = REPEATED_MIN,
): (text: string, within?: Texts) => boolean {
  const texts = [...calls, ...said];
  const { pieces, counts, numberOf } = count(texts.map(({ text }) => text));
  const lastIn: Texts[] = [];
  pieces.slice(calls.length).forEach((own, at) => own.forEach((piece) => (lastIn[piece] = said[at]!)));
  return (text, within) => {
    const piece = numberOf(text.trim());
    return piece !== undefined && counts[piece]! >= least && (within === undefined || lastIn[piece] !== within);
  };
}

interface Texts {
  readonly text: string;
}

function linesIn(text: string): ReadonlySet<string> {
  const lines = wholeWords(text, TEXT_CHARS_READ_MAX).split("\n");
  return new Set(lines.map((line) => line.trim()));
}
