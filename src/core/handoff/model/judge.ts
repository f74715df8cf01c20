/**
 * Whether an answer as a whole can be taken at all: not empty, not refused, not a copy, not cut off before it said much.
 * What says enough is taken, whatever its sections are called.
 */
import type { Measure } from "../../transcript/measure.ts";
import type { FailureClass } from "./writer.ts";
import type { Answer } from "./answer.ts";

export interface Objection {
  readonly class: FailureClass;
  readonly because: string;
}

export interface AnswerToJudge {
  readonly answer: Answer;
  readonly ended: "stop" | "length";
  /** Whether a further stage follows: one that has nothing to say then is not the end. */
  readonly goesOn: boolean;
  /** What the model was given to read, and the record that it was to bring up to date. */
  readonly source: string;
  readonly record: string;
  /** How long the record was to be. */
  readonly targetTokens: number;
  readonly measure: Measure;
}

/** An answer in none of the sections asked for says at least so much. */
const UNSTRUCTURED_TOKENS_MIN = 100;
/** One that was cut off has that much of the length asked for. */
const CUT_OFF_SHARE_MIN = 0.25;
/** More of an answer than this, in runs of `RUN_CHARS` copied from the source, is an echo. */
const ECHO_SHARE_MAX = 0.8;
const RUN_CHARS = 100;
const RUNS_MAX = 200;
const REFUSAL_CHARS = 400;
const REFUSAL =
  /^\W*(?:i['’]?m (?:very |so )?(?:sorry|unable)|i am (?:very |so )?(?:sorry|unable)|sorry\b|i (?:can['’]?t|cannot|won['’]?t|must decline)|i apologi[sz]e|as an ai\b|unfortunately,? i\b|this (?:request|content) (?:violates|cannot)|抱歉|很抱歉|对不起|我无法|我不能|申し訳|죄송|lo siento|je suis désolé|es tut mir leid)/i;

export function objectionTo({
  answer,
  ended,
  goesOn,
  source,
  record,
  targetTokens,
  measure,
}: AnswerToJudge): Objection | undefined {
  const { body, headings, items } = answer;
  if (body === "") return malformed("the answer is empty");
  const tokens = measure.text(body);
  if (headings === 0 && REFUSAL.test(body.slice(0, REFUSAL_CHARS)))
    return { class: "refusal", because: "the answer is a refusal" };
  if (isEcho(body, source)) return malformed("the answer copies what it was given");
  if (tokens > measure.text(source) + measure.text(record))
    return malformed("the answer is larger than what it was made from");
  if (ended === "length" && tokens < targetTokens * CUT_OFF_SHARE_MIN) return malformed("the answer was cut off");
  if (headings === 0 && tokens < UNSTRUCTURED_TOKENS_MIN)
    return malformed("the answer is short and has none of the sections asked for");
  if (!goesOn && [...items.values()].every((texts) => texts.length === 0))
    return malformed("every section of the answer is empty");
  return undefined;
}

function malformed(because: string): Objection {
  return { class: "malformed", because };
}

/** Runs are looked at in even steps, so that the cost is bounded. */
function isEcho(body: string, source: string): boolean {
  const step = Math.max(RUN_CHARS, Math.ceil(body.length / RUNS_MAX));
  let [copied, runs] = [0, 0];
  for (let at = 0; at + RUN_CHARS <= body.length; at += step, runs++)
    if (source.includes(body.slice(at, at + RUN_CHARS))) copied++;
  return runs > 0 && copied / runs > ECHO_SHARE_MAX;
}
