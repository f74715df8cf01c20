/** An agent's request of Chat Completions, and the answer to it. */
import { fieldsOf, isFields, listOf, type Fields } from "../../../src/protocols/fields.ts";
import { append, optional, type AgentForm, type StreamReading } from "./form.ts";
import { idsOf } from "./ids.ts";
import { CHAT_END } from "../../../provider/src/chat/reply.ts";

export const chatAgent: AgentForm = {
  pathOf: () => "/v1/chat/completions",
  credentials: (key) => ({ authorization: `Bearer ${key}` }),
  bodyOf: (sending) => {
    const { model, stream, history, maxOutputTokens } = sending;
    const usage = stream ? { stream_options: { include_usage: true } } : {};
    return { model, max_completion_tokens: maxOutputTokens, messages: history, ...usage, ...optional(sending) };
  },
  readStream: readChat,
  replyIn: (answer) => {
    const message = fieldsOf(fieldsOf(listOf(answer["choices"])[0])["message"]);
    return { messages: [message], callIds: idsOf(message["tool_calls"], "id") };
  },
};

type Growing = Record<string, unknown>;

/** Texts grow by deltas, calls by their index. */
function readChat(): StreamReading {
  let head: Fields = {};
  const message: Growing = { role: "assistant", content: null, refusal: null };
  const calls: Growing[] = [];
  let finish: unknown;
  let usage: unknown;
  let over = false;
  const growCall = (delta: Fields): void => {
    const call = (calls[Number(delta["index"])] ??= {});
    for (const [name, piece] of Object.entries(delta)) {
      if (isFields(piece)) for (const [part, text] of Object.entries(piece)) append(inside(call, name), part, text);
      else if (name !== "index") call[name] = piece;
    }
  };
  const take = (event: Fields): void => {
    if (event["type"] === CHAT_END) over = true;
    if (isFields(event["usage"])) ({ usage } = event);
    const choice = fieldsOf(listOf(event["choices"])[0]);
    if (event["id"] !== undefined) head = { id: event["id"], model: event["model"] };
    finish = choice["finish_reason"] ?? finish;
    const { role: _, tool_calls: grown, ...texts } = fieldsOf(choice["delta"]);
    for (const [name, piece] of Object.entries(texts)) if (piece !== null) append(message, name, piece);
    for (const delta of listOf(grown).filter(isFields)) growCall(delta);
  };
  const answer = (): Fields => {
    const said = message["content"] === "" && calls.length > 0 ? null : message["content"];
    const whole = { ...message, content: said, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
    return { ...head, choices: [{ index: 0, message: whole, finish_reason: finish }], usage };
  };
  return { take, answer: () => (over ? answer() : undefined) };
}

function inside(fields: Growing, name: string): Growing {
  return (fields[name] ??= {}) as Growing;
}
