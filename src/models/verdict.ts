/** Whether one attempt gave an answer that can be used, and if not, why: read from what really came over the wire. */
import type { Generated } from "./ai-sdk.ts";
import type { Answer } from "./answers.ts";
import { errorIn, judgeAnswer, judgeConnection, type Judgement, type ReadOverflow } from "./failures.ts";
import { fieldsOf, listOf, parsed, wordsOf, type Fields } from "./json.ts";

/** Why an attempt threw: no answer, a broken one, a failure, or a good one that is not in the protocol's shape. */
export function judgeThrown(answer: Answer | undefined, error: unknown, overflow: ReadOverflow): Judgement {
  if (answer === undefined)
    return { class: "malformed", said: `the request was not made: ${String(error)}`, again: false };
  if (answer.unreachable !== undefined) return judgeConnection(answer.unreachable);
  if (answer.broken !== undefined) return { class: "malformed", said: answer.broken, again: true };
  return judgeStatus(answer, overflow) ?? { class: "malformed", said: misshapen(answer), again: true };
}

/** What is wrong with an answer that reads well as such. */
export function judgeGenerated(generated: Generated, answer: Answer, overflow: ReadOverflow): Judgement | undefined {
  const { text, finishReason } = generated;
  const refused = refusalIn(answer.body);
  if (finishReason === "content-filter" || refused !== undefined)
    return { class: "refusal", said: refused ?? "the provider's content filter stopped the answer", again: false };
  if (overflow(answer.status, answer.body) !== undefined)
    return { class: "overflow", said: "the model's window was full before its answer ended", again: false };
  const error = judgeStatus(answer, overflow);
  if (error !== undefined || text.trim() !== "") return error;
  const cut = finishReason === "length";
  const said = cut ? "the output limit was reached before any text" : "an answer without text";
  return { class: "malformed", said, again: !cut };
}

/** Routers and the Responses API may answer 200 and say in an error object what the status would have been. */
function judgeStatus(answer: Answer, overflow: ReadOverflow): Judgement | undefined {
  if (answer.status < 200 || answer.status > 299) return judgeAnswer(answer, overflow);
  const error = errorIn(answer.body);
  if (error === undefined) return undefined;
  return judgeAnswer({ ...answer, status: statusOf(error) ?? answer.status }, overflow);
}

const STATUS_OF_CODES: readonly (readonly [RegExp, number])[] = [
  [/rate_limit/, 429],
  [/authentication|invalid_api_key/, 401],
  [/server_error|api_error|overloaded|unavailable/, 503],
];

function statusOf(error: Fields): number | undefined {
  const said = error["code"] ?? error["status"];
  const status = Number(said);
  if (status >= 300 && status < 600) return status;
  const words = `${String(said)} ${String(error["type"])}`;
  return STATUS_OF_CODES.find(([code]) => code.test(words))?.[1];
}

function misshapen({ status, body }: Answer): string {
  const what = body.trim() === "" ? "nothing" : parsed(body) === undefined ? "no JSON" : "JSON of an unknown shape";
  return `HTTP ${status} with ${what}`;
}

/** A refusal in a field of its own: Chat beside the content, Responses as a part of the message. */
function refusalIn(body: string): string | undefined {
  const json = fieldsOf(parsed(body));
  const [choice] = listOf(json["choices"]);
  const message = fieldsOf(fieldsOf(choice)["message"]);
  const parts = listOf(json["output"]).flatMap((item) => listOf(fieldsOf(item)["content"]));
  const refusals = [message, ...parts].map((one) => wordsOf(fieldsOf(one)["refusal"]));
  return refusals.find((one) => one !== undefined);
}
