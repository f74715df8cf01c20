/** An agent's request of Anthropic Messages, and the answer to it. */
import { fieldsOf, type Fields } from "../../../src/protocols/fields.ts";
import { append, optional, type AgentForm, type StreamReading } from "./form.ts";
import { idsOf } from "./ids.ts";
import { parsedJson } from "../../../provider/src/arguments.ts";

export const anthropicAgent: AgentForm = {
  pathOf: () => "/v1/messages",
  credentials: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  bodyOf: (sending) => {
    const { model, system, history, maxOutputTokens } = sending;
    return { model, max_tokens: maxOutputTokens, system, messages: history, ...optional(sending) };
  },
  readStream: readMessage,
  replyIn: ({ content }) => ({ messages: [{ role: "assistant", content }], callIds: idsOf(content, "id") }),
};

type Growing = Record<string, unknown>;

/** Blocks open, grow by deltas and close; the input of a call is JSON in pieces. */
function readMessage(): StreamReading {
  let message: Growing = {};
  const content: Growing[] = [];
  const inputs = new Map<Growing, string>();
  let over = false;
  const grow = (block: Growing, delta: Fields): void => {
    for (const [name, piece] of Object.entries(delta)) {
      if (name === "partial_json") inputs.set(block, `${inputs.get(block) ?? ""}${String(piece)}`);
      else if (name === "signature") block[name] = piece;
      else if (name !== "type") append(block, name, piece);
    }
  };
  const take = (event: Fields): void => {
    const block = content[Number(event["index"])];
    switch (event["type"]) {
      case "message_start":
        message = { ...fieldsOf(event["message"]) };
        break;
      case "content_block_start":
        content[Number(event["index"])] = { ...fieldsOf(event["content_block"]) };
        break;
      case "content_block_delta":
        if (block !== undefined) grow(block, fieldsOf(event["delta"]));
        break;
      case "content_block_stop": {
        const input = block === undefined ? "" : (inputs.get(block) ?? "");
        if (block !== undefined && input !== "") block["input"] = parsedJson(input)?.value;
        break;
      }
      case "message_delta":
        Object.assign(message, event["delta"], {
          usage: { ...fieldsOf(message["usage"]), ...fieldsOf(event["usage"]) },
        });
        break;
      case "message_stop":
        over = true;
    }
  };
  return { take, answer: () => (over ? { ...message, content } : undefined) };
}
