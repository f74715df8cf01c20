/** An answer of ours as the Gemini API has it. It took no tokens of a model. */
import { streamedBody, wholeBody, type WriteOwnAnswer } from "../answers/own-answer.ts";

const USAGE = { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 };

export const geminiOwnAnswer: WriteOwnAnswer = ({ id, model, text }, { target }) => {
  const candidate = { content: { parts: [{ text }], role: "model" }, finishReason: "STOP", index: 0 };
  const response = { candidates: [candidate], usageMetadata: USAGE, modelVersion: model, responseId: id };
  if (!target.includes(":streamGenerateContent")) return wholeBody(response);
  if (/[?&]alt=sse(?:&|$)/.test(target)) return streamedBody([{ data: response }]);
  // Without that, a stream is one JSON array.
  return { ...wholeBody([response]), streamed: true };
};
