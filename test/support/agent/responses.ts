/** An agent's request of Responses, and the answer to it. */
import { fieldsOf, listOf, textOf, type Fields } from "../../../src/protocols/fields.ts";
import { optional, type AgentForm, type StreamReading } from "./form.ts";
import { idsOf } from "./ids.ts";

export const responsesAgent: AgentForm = {
  pathOf: () => "/v1/responses",
  credentials: (key) => ({ authorization: `Bearer ${key}` }),
  bodyOf: (sending) => ({
    model: sending.model,
    max_output_tokens: sending.maxOutputTokens,
    instructions: sending.system,
    input: sending.history,
    store: false,
    include: ["reasoning.encrypted_content"],
    ...optional(sending),
  }),
  readStream: readResponse,
  replyIn: ({ output }) => ({ messages: listOf(output), callIds: idsOf(output, "call_id") }),
};

/** The last event holds the whole response; where it comes without its items, they came one by one. */
function readResponse(): StreamReading {
  const items: unknown[] = [];
  let response: Fields | undefined;
  const take = (event: Fields): void => {
    if (event["type"] === "response.output_item.done") items.push(event["item"]);
    const ended = /^response\.(?:completed|incomplete|failed)$/.test(textOf(event["type"]) ?? "");
    if (ended) response = fieldsOf(event["response"]);
  };
  const answer = (): Fields | undefined =>
    response !== undefined && listOf(response["output"]).length === 0 ? { ...response, output: items } : response;
  return { take, answer };
}
