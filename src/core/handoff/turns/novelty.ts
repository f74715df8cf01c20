/**
 * Which of many texts say something of their own: where not all fit, "go on" and the same question asked again go before a text whose
 * words stand in no other. Words are compared, never understood.
 */
import { keyOf } from "../../events/text.ts";

/** A text says something of its own if so much of its words stands in no other. */
const OWN_SHARE = 0.2;
/** More of a text is not compared. */
const COMPARED_CHARS_MAX = 2_000;

/** Whether one of these texts says something of its own. Figures count as the same figure. */
export function ownWordsAmong(texts: readonly string[]): (text: string) => boolean {
  const counts = new Map<string, number>();
  for (const text of texts) for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return (text) => {
    const words = [...wordsOf(text)];
    return words.filter((word) => (counts.get(word) ?? 0) <= 1).length >= words.length * OWN_SHARE;
  };
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

function wordsOf(text: string): ReadonlySet<string> {
  const compared = keyOf(text.slice(0, COMPARED_CHARS_MAX)).replace(/\d+/g, "0");
  const words = Array.from(segmenter.segment(compared), ({ segment }) => segment);
  return new Set(words.filter((word) => word.trim() !== ""));
}
