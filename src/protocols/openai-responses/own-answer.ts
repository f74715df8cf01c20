/** An answer of ours as Responses has it. It took no tokens of a model. */
import { asksForStream, streamedBody, wholeBody, type OwnAnswer, type WriteOwnAnswer } from "../answers/own-answer.ts";
import type { Fields } from "../dialect.ts";
import { textOf } from "../fields.ts";

const USAGE = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

export const responsesOwnAnswer: WriteOwnAnswer = (answer, asked) => {
  const previousId = textOf(asked.member("previous_response_id"));
  const opened = {
    // The client continues from the provider's last response, which knows nothing of this answer.
    id: previousId ?? `resp_${answer.id}`,
    object: "response",
    created_at: answer.createdSeconds,
    model: answer.model,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    previous_response_id: previousId ?? null,
    store: false,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
  };
  const item = messageItem(answer);
  const response = { ...opened, status: "completed", output: [item], usage: USAGE };
  if (!asksForStream(asked)) return wholeBody(response);
  return streamedBody(eventsOf({ ...opened, status: "in_progress", output: [], usage: null }, item, response));
};

function messageItem({ id, text }: OwnAnswer) {
  return { id: `msg_${id}`, type: "message", status: "completed", role: "assistant", content: [textPart(text)] };
}

function textPart(text: string) {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function eventsOf(opened: Fields, item: ReturnType<typeof messageItem>, response: Fields) {
  const { id: item_id, content } = item;
  const [part] = content;
  const text = part!.text;
  const place = { item_id, output_index: 0, content_index: 0 };
  const events: readonly (readonly [type: string, fields: Fields])[] = [
    ["response.created", { response: opened }],
    ["response.in_progress", { response: opened }],
    ["response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress", content: [] } }],
    ["response.content_part.added", { ...place, part: textPart("") }],
    ["response.output_text.delta", { ...place, delta: text, logprobs: [] }],
    ["response.output_text.done", { ...place, text, logprobs: [] }],
    ["response.content_part.done", { ...place, part }],
    ["response.output_item.done", { output_index: 0, item }],
    ["response.completed", { response }],
  ];
  return events.map(([type, fields], at) => ({ name: type, data: { type, sequence_number: at, ...fields } }));
}
