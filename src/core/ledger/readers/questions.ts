/** Questions: what a person asked, what the assistant answered, and what the assistant wants to know before it goes on. */
import { sentencesOf } from "./sentences.ts";

const QUESTION = /[?？]["'」』)\]*]*$|(?:ですか|ますか|でしょうか|吗|呢)。?$/;
const QUESTION_CHARS_MIN = 8;
const QUESTION_CHARS_MAX = 400;
const ANSWER_CHARS_MIN = 24;
/** An answer is near the beginning. */
const ANSWER_SENTENCES_MAX = 12;
const WORD = /[\p{L}\p{N}_]{4,}/gu;
/** Agreement, announcements and introductions before the answer itself. */
const FILLER =
  /:$|^(?:you['’]re (?:absolutely |quite )?right|good (?:question|point|idea|catch)|great|sure|yes, (?:i|let)|let me|ah|i see|okay|perfect|excellent|looking at)\b.{0,60}$/i;

/** The questions in a text, in order, each verbatim. */
export function questionsIn(text: string): readonly string[] {
  if (!/[?？]|か。|吗|呢/.test(text)) return [];
  return sentencesOf(text).filter(
    (sentence) =>
      sentence.length >= QUESTION_CHARS_MIN && sentence.length <= QUESTION_CHARS_MAX && QUESTION.test(sentence),
  );
}

/** The question a turn ends with: what the assistant waits for. */
export function closingQuestionIn(text: string): string | undefined {
  const last = sentencesOf(text.slice(-CLOSING_CHARS)).slice(-2);
  return last.findLast(
    (sentence) =>
      sentence.length >= QUESTION_CHARS_MIN && sentence.length <= QUESTION_CHARS_MAX && QUESTION.test(sentence),
  );
}

const CLOSING_CHARS = 1_000;

/**
 * The sentence of a reply that speaks most of what was asked. Where none shares a word with the question, the first
 * that says anything, but only of a reply that came `directly`: after long work it speaks of the work.
 */
export function answerIn(reply: string, question: string, directly: boolean): string | undefined {
  const asked = new Set(wordsOf(question));
  let best: { readonly text: string; readonly shared: number } | undefined;
  for (const sentence of sentencesOf(reply.slice(0, ANSWER_SCAN_CHARS)).slice(0, ANSWER_SENTENCES_MAX)) {
    if (sentence.length < ANSWER_CHARS_MIN || FILLER.test(sentence) || QUESTION.test(sentence)) continue;
    const shared = wordsOf(sentence).filter((word) => asked.has(word)).length;
    if (best === undefined || shared > best.shared) best = { text: sentence, shared };
  }
  return best !== undefined && (best.shared > 0 || directly) ? best.text : undefined;
}

const ANSWER_SCAN_CHARS = 4_000;

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(WORD) ?? []) as string[];
}
