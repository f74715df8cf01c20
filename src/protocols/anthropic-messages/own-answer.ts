/** An answer of ours as Anthropic Messages has it. It took no tokens of a model. */
import { asksForStream, streamedBody, wholeBody, type WriteOwnAnswer } from "../answers/own-answer.ts";
import type { Fields } from "../dialect.ts";
import { anthropicThreads } from "./threads.ts";

const USAGE = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };
const ENDED = { stop_reason: "end_turn", stop_sequence: null };
const OPEN = { stop_reason: null, stop_sequence: null };

function event(name: string, fields: Fields) {
  return { name, data: { type: name, ...fields } };
}

export const anthropicOwnAnswer: WriteOwnAnswer = ({ id, model, text }, asked) => {
  const use = anthropicThreads.useOf(asked.member);
  // The client continues where the provider's thread is, which knows nothing of this answer.
  const own = use?.kind === "continue" ? use.previousId : `msg_${id}`;
  const message = { id: own, type: "message", role: "assistant", model, usage: USAGE };
  if (!asksForStream(asked)) return wholeBody({ ...message, content: [{ type: "text", text }], ...ENDED });
  return streamedBody([
    event("message_start", { message: { ...message, content: [], ...OPEN } }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    event("content_block_delta", { index: 0, delta: { type: "text_delta", text } }),
    event("content_block_stop", { index: 0 }),
    event("message_delta", { delta: ENDED, usage: USAGE }),
    event("message_stop", {}),
  ]);
};
