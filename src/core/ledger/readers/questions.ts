/** Questions: what a person asked, what the assistant answered, and what the assistant wants to know before it goes on. */
import { sentencesOf } from "./sentences.ts";

const QUESTION = /[?？]["'」』)\]*]*$|(?:ですか|ますか|でしょうか|吗|呢)。?$/;
/** Where what stands outside quotation marks and brackets asks all the same. */
const ASKS =
  /^(?:(?:and|but|so|ok|okay|also|then|or|well|hm+)[,:]?\s+)?(?:what|why|how|when|where|who|whose|which|is|are|was|were|do|does|did|can|could|would|will|should|shall|may|has|have|had|am|isn|aren|don|doesn|didn|won|wouldn|shouldn|couldn|any|want|ready|was|wie|wo|wer|warum|wann|welche\w*|ist|sind|kann|kannst|soll|sollen)\b/i;
const OPENERS: Readonly<Record<string, string>> = { ")": "(", "]": "[", '"': '"', "'": "'", "」": "「", "』": "『" };
const QUESTION_CHARS_MIN = 8;
const QUESTION_CHARS_MAX = 400;
const ANSWER_CHARS_MIN = 24;
/** An answer is near the beginning. */
const ANSWER_SENTENCES_MAX = 12;
const WORD = /[\p{L}\p{N}_]{4,}/gu;
/** Agreement, announcements and introductions before the answer itself. */
const FILLER =
  /:$|^(?:you['’]re (?:absolutely |quite )?right|good (?:question|point|idea|catch)|great|sure|yes, (?:i|let)|let me|ah|i see|okay|perfect|excellent|looking at)\b.{0,60}$/i;

/** "This is a clever approach.", "Great idea!": agreement that says nothing of what was asked. */
const PRAISE =
  /^(?:(?:yes|yeah|ah|oh|wow|ok|okay|hm+)[,!.]?\s+)?(?:(?:that|this|it|you)(?:['’](?:s|re)|\s+(?:is|was|are|sounds|looks|seems)(?:\s+like)?)\s+|what\s+|i\s+(?:really\s+)?(?:like|love)\s+)?(?:(?:absolutely|indeed|really|actually|quite|very|such|pretty|truly|this|that|your|the|an?)\s+){0,3}(?:(?:good|great|nice|excellent|clever|smart|brilliant|fantastic|wonderful|awesome|interesting|elegant|solid|sound|fair|valid|important|insightful|thoughtful|sensible|reasonable|perfect|lovely|neat|impressive|sharp)(?:,?\s+(?:and\s+)?|(?=[.!]))){0,3}(?:(?:question|point|idea|catch|approach|observation|thought|thinking|suggestion|insight|plan|design|solution|proposal|call|concern|instinct|one|work|job|find)s?(?:\s+(?:here|indeed|overall|to ask))?)?[.!\s]*$|^¡?(?:(?:das ist )?(?:eine )?(?:sehr )?(?:gute|tolle|kluge|super) (?:frage|idee)|(?:muy )?buena (?:pregunta|idea)|(?:c['’]est une )?(?:très )?bonne (?:question|idée))[.!\s]*$|^(?:这是个?)?(?:很|非常)?(?:好|棒)的?(?:问题|主意|想法)[。！]*$/i;

/** The questions in a text, in order, each verbatim. */
export function questionsIn(text: string): readonly string[] {
  if (!/[?？]|か。|吗|呢/.test(text)) return [];
  return sentencesOf(text).filter(
    (sentence) => sentence.length >= QUESTION_CHARS_MIN && sentence.length <= QUESTION_CHARS_MAX && asks(sentence),
  );
}

/** The question a turn ends with: what the assistant waits for. */
export function closingQuestionIn(text: string): string | undefined {
  const last = sentencesOf(text.slice(-CLOSING_CHARS)).slice(-2);
  return last.findLast(
    (sentence) => sentence.length >= QUESTION_CHARS_MIN && sentence.length <= QUESTION_CHARS_MAX && asks(sentence),
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
    if (sentence.length < ANSWER_CHARS_MIN || isFiller(sentence) || asks(sentence)) continue;
    const shared = wordsOf(sentence).filter((word) => asked.has(word)).length;
    if (best === undefined || shared > best.shared) best = { text: sentence, shared };
  }
  return best !== undefined && (best.shared > 0 || directly) ? best.text : undefined;
}

function isFiller(sentence: string): boolean {
  return FILLER.test(sentence) || PRAISE.test(sentence);
}

/** A question mark inside quotation marks or brackets is that of what stands in them: a statement may go around it. */
function asks(sentence: string): boolean {
  const end = QUESTION.exec(sentence);
  if (end === null) return false;
  const closer = end[0].replace(/\*+$/, "").at(-1)!;
  const opener = OPENERS[closer];
  if (opener === undefined) return true;
  const opened = sentence.lastIndexOf(opener, end.index - 1);
  // "(… not too many, but is there a standard?)" asks for itself.
  if (opener === "(" && ASKS.test(sentence.slice(Math.max(sentence.lastIndexOf(", "), opened) + 1, end.index).trim()))
    return true;
  const outside = sentence.slice(0, Math.max(opened, 0)).replace(/^[\s*"'([「『]+/, "");
  return outside === "" || ASKS.test(outside);
}

const ANSWER_SCAN_CHARS = 4_000;

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(WORD) ?? []) as string[];
}
