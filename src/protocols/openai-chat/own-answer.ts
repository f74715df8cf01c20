/** An answer of ours as Chat Completions has it. It took no tokens of a model. */
import { asksForStream, streamedBody, wholeBody, type WriteOwnAnswer } from "../answers/own-answer.ts";
import { fieldsOf } from "../fields.ts";

const USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
const END = "[DONE]";

export const chatOwnAnswer: WriteOwnAnswer = ({ id, model, text, createdSeconds }, asked) => {
  const head = { id: `chatcmpl-${id}`, created: createdSeconds, model };
  if (!asksForStream(asked)) {
    const message = { role: "assistant", content: text, refusal: null };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: "stop" }];
    return wholeBody({ ...head, object: "chat.completion", choices, usage: USAGE });
  }
  const withUsage = fieldsOf(asked.member("stream_options"))["include_usage"] === true;
  const chunk = (delta: object, finish_reason: string | null) => ({
    data: {
      ...head,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(withUsage ? { usage: null } : {}),
    },
  });
  const last = { data: { ...head, object: "chat.completion.chunk", choices: [], usage: USAGE } };
  return streamedBody([
    chunk({ role: "assistant", content: "" }, null),
    chunk({ content: text }, null),
    chunk({}, "stop"),
    ...(withUsage ? [last] : []),
    { data: END },
  ]);
};
