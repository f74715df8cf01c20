/**
 * Answers of the Gemini API. Every event of a stream is a whole response with some more parts; the one with a finish reason
 * is the last. An overflow is refused over HTTP.
 */
import type { Fields } from "../dialect.ts";
import { fieldsOf, listOf, parsed } from "../fields.ts";
import { failure, isFilled, type AnswerDialect, type AnswerSignal } from "../answers/signal.ts";
import { geminiUsage } from "./usage.ts";

export const geminiAnswers: AnswerDialect = {
  event: ({ data }) => {
    const response = fieldsOf(parsed(data));
    return response["error"] === undefined ? readResponse(response) : failure(data);
  },
  whole: (members) => {
    const error = members.get("error");
    if (isFilled(error)) return failure(`{"error":${error}}`);
    const usage = geminiUsage({ usageMetadata: parsed(members.get("usageMetadata")) });
    return { usage, ends: true, ...(isFilled(members.get("candidates")) ? { begins: true } : {}) };
  },
};

function readResponse(response: Fields): AnswerSignal {
  const candidates = listOf(response["candidates"]).map(fieldsOf);
  const begins = candidates.some(({ content }) => listOf(fieldsOf(content)["parts"]).length > 0);
  const ends = candidates.some(({ finishReason }) => finishReason !== undefined);
  const blocked = fieldsOf(response["promptFeedback"])["blockReason"] !== undefined;
  return {
    usage: geminiUsage(response),
    ...(begins || ends || blocked ? { begins: true } : {}),
    ...(ends || blocked ? { ends: true } : {}),
  };
}
