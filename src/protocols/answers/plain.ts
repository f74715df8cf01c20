/** A whole answer that was to be plain text: its text, how it ended, and whether the model called a tool all the same. */
import type { Fields } from "../dialect.ts";
import { fieldsOf, listOf, textOf } from "../fields.ts";
import type { ProtocolName } from "../protocol.ts";

export interface PlainAnswer {
  readonly text: string;
  /** `called`: a tool was called, or the provider was about to run one of its own. */
  readonly ended: "stop" | "length" | "refused" | "called";
}

/** Undefined for what is no answer of this protocol. */
export function readPlainAnswer(protocol: ProtocolName, answer: unknown): PlainAnswer | undefined {
  return READERS[protocol](fieldsOf(answer));
}

const READERS: Readonly<Record<ProtocolName, (answer: Fields) => PlainAnswer | undefined>> = {
  "anthropic-messages": readMessage,
  "openai-chat": readCompletion,
  "openai-responses": readResponse,
};

/** `pause_turn`: a tool of the provider's own is still at work. */
const MESSAGE_CALLS: ReadonlySet<string> = new Set(["tool_use", "pause_turn"]);

function readMessage(answer: Fields): PlainAnswer | undefined {
  if (!Array.isArray(answer["content"])) return undefined;
  const blocks = answer["content"].map(fieldsOf);
  const stop = String(answer["stop_reason"]);
  const calls = MESSAGE_CALLS.has(stop) || blocks.some(({ type }) => /tool_(?:use|result)$/.test(String(type)));
  return plain(textOfBlocks(blocks, "text"), { calls, refused: stop === "refusal", length: stop === "max_tokens" });
}

function readCompletion(answer: Fields): PlainAnswer | undefined {
  const choice = fieldsOf(listOf(answer["choices"])[0]);
  const message = fieldsOf(choice["message"]);
  if (Object.keys(message).length === 0) return undefined;
  const { content, tool_calls: toolCalls, function_call: functionCall, refusal } = message;
  const stop = choice["finish_reason"];
  return plain(textOf(content) ?? textOfBlocks(listOf(content).map(fieldsOf), "text"), {
    calls: listOf(toolCalls).length > 0 || (functionCall !== undefined && functionCall !== null),
    refused: stop === "content_filter" || (textOf(refusal) ?? "") !== "",
    length: stop === "length",
  });
}

function readResponse(answer: Fields): PlainAnswer | undefined {
  if (!Array.isArray(answer["output"])) return undefined;
  const items = answer["output"].map(fieldsOf);
  const blocks = items.filter(({ type }) => type === "message").flatMap(({ content }) => listOf(content).map(fieldsOf));
  const why = fieldsOf(answer["incomplete_details"])["reason"];
  return plain(textOfBlocks(blocks, "output_text"), {
    calls: items.some(({ type }) => String(type).endsWith("_call")),
    refused: why === "content_filter" || blocks.some(({ type }) => type === "refusal"),
    length: why === "max_output_tokens",
  });
}

function textOfBlocks(blocks: readonly Fields[], type: string): string {
  return blocks.flatMap((block) => (block["type"] === type ? (textOf(block["text"]) ?? []) : [])).join("");
}

interface Signs {
  readonly calls: boolean;
  readonly refused: boolean;
  readonly length: boolean;
}

function plain(text: string, { calls, refused, length }: Signs): PlainAnswer {
  return { text, ended: calls ? "called" : refused ? "refused" : length ? "length" : "stop" };
}
