/**
 * An answer put together from the events of its stream, as the vendors' own clients do it: what a whole answer would
 * have said, or its error.
 */
import { fieldsOf, isFields, listOf, textOf } from "../../protocols/fields.ts";
import type { ProtocolName } from "../../protocols/index.ts";
import { parsedJson } from "../arguments.ts";
import type { Fields } from "../contract.ts";

export interface Assembler {
  /** One event's data as it came. */
  readonly take: (data: string) => void;
  /** The answer, or `{ error }` where the stream told of one or ended before the answer did. */
  readonly answer: () => Fields;
}

type Growing = Record<string, unknown>;

/** What a protocol's stream has told so far. */
interface Reading {
  readonly take: (event: Fields) => void;
  /** Undefined until the end was told. */
  readonly answer: () => Fields | undefined;
}

const CHAT_END = "[DONE]";
const BROKEN_OFF: Fields = { error: { message: "the stream ended before the answer did" } };

export function assemblerOf(protocol: ProtocolName): Assembler {
  const { take, answer } = readingOf(protocol);
  let error: unknown;
  return {
    take: (data) => {
      const event = data === CHAT_END ? { type: CHAT_END } : parsedJson(data)?.value;
      if (!isFields(event)) error ??= { message: "an event of the stream is no JSON" };
      else if (isFields(event["error"])) error ??= event["error"];
      else take(event);
    },
    answer: () => (error === undefined ? (answer() ?? BROKEN_OFF) : { error }),
  };
}

function readingOf(protocol: ProtocolName): Reading {
  switch (protocol) {
    case "openai-chat":
      return readChat();
    case "openai-responses":
      return readResponse();
    case "anthropic-messages":
      return readMessage();
  }
}

/** Blocks open, grow by deltas and close; the input of a call is JSON in pieces. */
function readMessage(): Reading {
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

/** Texts grow by deltas, calls by their index. */
function readChat(): Reading {
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

/** The last event holds the whole response; where it comes without its items, they were told one by one. */
function readResponse(): Reading {
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

function append(fields: Growing, name: string, piece: unknown): void {
  const before = fields[name];
  fields[name] = typeof before === "string" && typeof piece === "string" ? before + piece : piece;
}

function inside(fields: Growing, name: string): Growing {
  return (fields[name] ??= {}) as Growing;
}
