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
  /\b(?:decided|decision (?:is|was)|chose|(?<=\b(?:is|was|were|been|have|has|had|['’]ve) )chosen|opted|settled on|going with|go with|trade-?offs?|the right (?:approach|fix|place|choice)|better to)\b/i;
/** What others did in a text that was read is no decision of this session. */
const OTHERS = /\b(?:they|he|she|who)\s+(?:\w+\s+){0,2}(?:decided|chose|opted|settled)\b/i;
/** Says that one thing replaces another, or is as it is on purpose, which may be no more than an observation. */
const REPLACED =
  /\b(?:we['’]ll use|i['’]ll use|let['’]?s use|should use|will use|switch(?:ed|ing)? to|instead of|rather than|no longer need(?:s|ed)?|on purpose|by design|deliberate(?:ly)?|intentional(?:ly)?)\b/i;
/** Says why something is as it is. */
const CAUSE =
  /\b(?:root cause|the (?:real |actual |main )?(?:problem|issue|bug|cause|reason|fix|solution|culprit) (?:is|was|here)|the reason|this is why|that['’]?s why|which is why|turns out|so that|otherwise)\b/i;
const BECAUSE = /\b(?:because|since|due to)\b/i;
/** "The issue is that it returns 1 instead of 0": what is wrong is not replaced by what was expected. */
const SYMPTOM =
  /\b(?:root cause|the (?:real |actual |main )?(?:problem|issue|bug|cause|reason|culprit) (?:is|was|here))\b/i;
/** The same in scripts without spaces: hardly a text has them, and letters of all scripts are looked up one by one. */
const FOREIGN = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
const SETTLED_ELSEWHERE =
  /(?<!再)决定(?!是否|要不要)|(?:我|我们|最终|因此|所以)选择|选择了|选用|(?<!可以?)采用|改用|改为|にしました|ことにし(?:た|ます)|決定|採用|하기로|결정/;
const REPLACED_ELSEWHERE = /而不是|代わりに|ではなく|대신/;
const CAUSE_ELSEWHERE = /根本原因|原因是|问题在于|原因は|理由は|원인은|이유는/;
const BECAUSE_ELSEWHERE = /因为|所以(?:应|要|需)|なぜなら|ため、|때문/;
/** Settled only where the person agrees. */
const PROPOSES =
  /\b(?:recommend(?:ed|s|ation|ations)?|suggest(?:ed|s|ion|ions)?|propos(?:e|ed|es|al|als)|i['’]d|i would|my (?:pick|preference|vote))\b|建议|おすすめ|提案|추천/i;
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
  /** It is a proposal: settled only where the person agrees. */
  readonly proposes?: true;
}

/** The decisions that an assistant's text states, in order. */
export function decisionsIn(text: string): readonly Decision[] {
  if (!SETTLED.test(text) && !REPLACED.test(text) && !CAUSE.test(text) && !FOREIGN.test(text)) return [];
  const found = sentencesOf(text).flatMap((sentence): readonly Decision[] => {
    const weight = weightOf(sentence);
    if (weight < WEIGHT_MIN) return [];
    return [{ text: sentence, weight, ...(PROPOSES.test(sentence) ? { proposes: true } : {}) }];
  });
  const plainest = found.toSorted((a, b) => b.weight - a.weight).slice(0, PER_MESSAGE_MAX);
  return found.filter((one) => plainest.includes(one));
}

function weightOf(sentence: string): number {
  if (sentence.length > SENTENCE_CHARS_MAX || UNSETTLED.test(sentence)) return 0;
  const isForeign = FOREIGN.test(sentence);
  if (sentence.length < (isForeign ? FOREIGN_SENTENCE_CHARS_MIN : SENTENCE_CHARS_MIN)) return 0;
  const says = (plain: RegExp, elsewhere: RegExp): boolean =>
    plain.test(sentence) || (isForeign && elsewhere.test(sentence));
  // A cause with its own reason is as much an observation as without.
  const reason = says(CAUSE, CAUSE_ELSEWHERE) ? CAUSE_WEIGHT : says(BECAUSE, BECAUSE_ELSEWHERE) ? BECAUSE_WEIGHT : 0;
  if (says(SETTLED, SETTLED_ELSEWHERE) && !OTHERS.test(sentence)) return SETTLED_WEIGHT + reason;
  return says(REPLACED, REPLACED_ELSEWHERE) && !SYMPTOM.test(sentence) ? REPLACED_WEIGHT + reason : reason;
}
