/** Figures that the assistant takes back: "My €9,184,221.55 was wrong", "the 0.987 was an artefact", and what it says instead. */
import { sentencesOf } from "./sentences.ts";

const WRONG =
  "\\b(?:was|were|turned out(?: to be)?|is an?|are)\\s+(?:(?:just|simply|also|plain|clearly|indeed|actually|an?)\\s)?(?:wrong|incorrect|inaccurate|artefacts?|artifacts?|mistakes?|typos?|miscounted|miscalculated|double[- ]counted|bogus)(?!\\p{L})";
/** Few texts have a figure at all, and one look at it costs less than one at the words. */
const MAY_HAVE_FIGURE = /\d(?:[.,]\d|\s?[%€])|[€$£]\d/;
const MAY_RETRACT = new RegExp(WRONG, "iu");
/** The figure next to it. */
const RETRACTS = new RegExp(`([€$£]?\\d[\\d.,]*\\d(?:\\s?%)?)[^.,;!?\\d\\n]{0,30}${WRONG}`, "iu");
const SUPPOSES = /\b(?:if|whether|unless|when|in case)\b|[?？]\s*$/i;
/** "Corrected revenue: €7,402,118.09": names what it is; "corrected 1,204 rows" reports work. */
const CORRECTED =
  /^\W*(?:(?:the\s)?(?:corrected|revised|recalculated)\s[^.;\n\d]{1,60}?(?::|\sis\b|\sare\b|\s=)|correction:)/i;
const FIGURE = /[€$£]?\d[\d.,]*\d(?:\s?%)?/;
/** A count of few digits or a code is in too many sentences that have nothing to do with it. */
const DIGITS_MIN = 3;
const MARKED = /[.,€$£%]/;
const SENTENCE_CHARS_MAX = 320;

export interface Retraction {
  /** Its digits and separators. */
  readonly figure: string;
  /** The sentence, verbatim, with the one before it where that has the figure that holds. */
  readonly text: string;
}

/** What an assistant's text takes back, in order. */
export function retractionsIn(text: string): readonly Retraction[] {
  if (!MAY_HAVE_FIGURE.test(text) || !MAY_RETRACT.test(text)) return [];
  const sentences = sentencesOf(text);
  return sentences.flatMap((sentence, at): readonly Retraction[] => {
    if (sentence.length > SENTENCE_CHARS_MAX || SUPPOSES.test(sentence)) return [];
    const figure = RETRACTS.exec(sentence)?.[1];
    if (figure === undefined || !isFigure(figure)) return [];
    return [{ figure: digitsOf(figure), text: withFigureBefore(text, sentence, sentences[at - 1]) }];
  });
}

/** Sentences that announce the figure that holds. */
export function correctedFiguresIn(text: string): readonly string[] {
  if (!MAY_HAVE_FIGURE.test(text) || !/[Cc]orrect|[Rr]evised|[Rr]ecalculated/.test(text)) return [];
  return sentencesOf(text).filter(
    (sentence) =>
      sentence.length <= SENTENCE_CHARS_MAX && CORRECTED.test(sentence) && isFigure(FIGURE.exec(sentence)?.[0] ?? ""),
  );
}

/** The sentences of a text that give a figure, each with what the next says of it: "AUC 0.987. That is excellent!" */
export function sentencesWith(text: string, figure: string): readonly string[] {
  if (!holdsFigure(text, figure)) return [];
  const sentences = sentencesOf(text);
  const isWith = sentences.map((sentence) => holdsFigure(sentence, figure));
  return sentences.filter(
    (sentence, at) => isWith[at] === true || (isWith[at - 1] === true && SAYS_OF_IT.test(sentence)),
  );
}

const SAYS_OF_IT = /^(?:that|this|it)(?:['’]s|\s(?:is|was|looks|seems))\b\D{0,40}$/i;

/** Whether a text gives just that figure, with separators or without. */
export function holdsFigure(text: string, figure: string): boolean {
  return holds(text, figure) || (figure.includes(",") && holds(text, figure.replaceAll(",", "")));
}

function holds(text: string, figure: string): boolean {
  for (let at = text.indexOf(figure); at >= 0; at = text.indexOf(figure, at + 1)) {
    const end = at + figure.length;
    const isPart = /\d[.,]?$/.test(text.slice(Math.max(0, at - 2), at)) || /^[.,]?\d/.test(text.slice(end, end + 2));
    if (!isPart) return true;
  }
  return false;
}

function isFigure(figure: string): boolean {
  return MARKED.test(figure) && figure.replace(/\D/g, "").length >= DIGITS_MIN;
}

function digitsOf(figure: string): string {
  return figure.replace(/[^\d.,]/g, "");
}

function withFigureBefore(text: string, sentence: string, before: string | undefined): string {
  const start = before === undefined ? -1 : text.indexOf(`${before} ${sentence}`);
  return start < 0 || !FIGURE.test(before!)
    ? sentence
    : text.slice(start, start + before!.length + 1 + sentence.length);
}
