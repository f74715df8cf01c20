/**
 * Decisions: sentences in which the assistant says what it settled on, found to be the cause, or chose and why.
 * Whole sentences, verbatim; the few of a message that say it most plainly.
 */
import { sentencesOf } from "./sentences.ts";

const SENTENCE_CHARS_MIN = 36;
/** A script without spaces says as much in fewer characters. */
const FOREIGN_SENTENCE_CHARS_MIN = 12;
const SENTENCE_CHARS_MAX = 360;
const PER_MESSAGE_MAX = 3;

/** Says that something was settled. */
const SETTLED =
  /\b(?:decided|decision (?:is|was)|chose|chosen|opted|settled on|going with|go with|trade-?offs?|on purpose|by design|deliberate(?:ly)?|intentional(?:ly)?|the right (?:approach|fix|place|choice)|better to)\b/i;
/** Says that one thing replaces another, which may be no more than an observation. */
const REPLACED =
  /\b(?:we['’]ll use|i['’]ll use|let['’]?s use|should use|will use|switch(?:ed|ing)? to|instead of|rather than|no longer need(?:s|ed)?)\b/i;
/** Says why something is as it is. */
const CAUSE =
  /\b(?:root cause|the (?:real |actual |main )?(?:problem|issue|bug|cause|reason|fix|solution|culprit) (?:is|was|here)|the reason|this is why|that['’]?s why|which is why|turns out|because of|so that|otherwise)\b/i;
const BECAUSE = /\b(?:because|since|due to)\b/i;
const OTHER_LANGUAGES: readonly RegExp[] = [
  /决定|选择了?|采用|改用|改为|而不是|原因是|因为|根本原因|问题在于|所以(?:应|要|需)/,
  /にしました|ことにし(?:た|ます)|決定|採用|代わりに|ではなく|原因は|理由は|なぜなら|ため、/,
  /하기로|결정|대신|때문|원인은|이유는/,
];
/** The next step announced, a choice offered or a question: not settled yet. */
const UNSETTLED =
  /^(?:now,? |let me |i['’]ll (?:start|now|check|look|read|run|search|also)|next,? |first,? |do you|would you|should (?:i|we)|option \w\b|if you)|[?？:：]\s*["')\]*]*$/i;

const SETTLED_WEIGHT = 3;
const REPLACED_WEIGHT = 2;
const CAUSE_WEIGHT = 2;
const BECAUSE_WEIGHT = 1;
const WEIGHT_MIN = 2;
/** From here on a sentence says plainly that something was settled, or says it with its reason. */
export const PLAIN_WEIGHT = 3;

export interface Decision {
  readonly text: string;
  /** How plainly it says so, 2 and up. */
  readonly weight: number;
}

/** The decisions that an assistant's text states, in order. */
export function decisionsIn(text: string): readonly Decision[] {
  if (!speaksOfDecisions(text)) return [];
  const found = sentencesOf(text).flatMap((sentence) => {
    const weight = weightOf(sentence);
    return weight < WEIGHT_MIN ? [] : [{ text: sentence, weight }];
  });
  const plainest = found.toSorted((a, b) => b.weight - a.weight).slice(0, PER_MESSAGE_MAX);
  return found.filter((one) => plainest.includes(one));
}

/** Most messages hold none: one look at the whole saves taking it apart. */
function speaksOfDecisions(text: string): boolean {
  return (
    SETTLED.test(text) ||
    REPLACED.test(text) ||
    CAUSE.test(text) ||
    OTHER_LANGUAGES.some((language) => language.test(text))
  );
}

function weightOf(sentence: string): number {
  if (sentence.length > SENTENCE_CHARS_MAX || UNSETTLED.test(sentence)) return 0;
  const foreign = OTHER_LANGUAGES.filter((language) => language.test(sentence)).length;
  if (sentence.length < (foreign > 0 ? FOREIGN_SENTENCE_CHARS_MIN : SENTENCE_CHARS_MIN)) return 0;
  const settled =
    SETTLED.test(sentence) || foreign > 0 ? SETTLED_WEIGHT : REPLACED.test(sentence) ? REPLACED_WEIGHT : 0;
  return settled + (CAUSE.test(sentence) ? CAUSE_WEIGHT : 0) + (BECAUSE.test(sentence) ? BECAUSE_WEIGHT : 0);
}
