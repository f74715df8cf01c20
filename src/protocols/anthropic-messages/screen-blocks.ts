/** Blocks of an Anthropic answer put together from the events of its stream, as a later request says them. */
import type { Fields } from "../dialect.ts";
import { countOf, fieldsOf, listOf, parsed, textOf } from "../fields.ts";
import { objectText } from "../json/edit.ts";

export interface AssembledBlock {
  /** Its number in the stream. */
  readonly index: number;
  readonly type: string;
  /** As JSON; the input of a call has the text the model wrote. */
  readonly text: string;
}

interface Growing {
  readonly fields: Record<string, unknown>;
  input: string;
}

/** Undefined where an event is of a kind that nobody here knows: the block cannot be sent again. */
export function assembleBlocks(events: readonly string[]): readonly AssembledBlock[] | undefined {
  const blocks = new Map<number, Growing>();
  for (const data of events) {
    const event = fieldsOf(parsed(data));
    const index = countOf(event["index"]) ?? 0;
    if (event["type"] === "content_block_start")
      blocks.set(index, { fields: { ...fieldsOf(event["content_block"]) }, input: "" });
    const block = blocks.get(index);
    if (event["type"] !== "content_block_delta") continue;
    if (block === undefined || !grow(block, fieldsOf(event["delta"]))) return undefined;
  }
  return Array.from(blocks, ([index, block]) => assembled(index, block)).filter(({ text }) => text !== "");
}

/** False for a delta of an unknown kind. */
function grow(block: Growing, delta: Fields): boolean {
  const { fields } = block;
  switch (delta["type"]) {
    case "text_delta":
      fields["text"] = joined(fields["text"], delta["text"]);
      return true;
    case "thinking_delta":
      fields["thinking"] = joined(fields["thinking"], delta["thinking"]);
      return true;
    case "signature_delta":
      fields["signature"] = delta["signature"];
      return true;
    case "input_json_delta":
      block.input += textOf(delta["partial_json"]) ?? "";
      return true;
    case "citations_delta":
      fields["citations"] = [...listOf(fields["citations"]), delta["citation"]];
      return true;
    default:
      return false;
  }
}

function joined(before: unknown, piece: unknown): string {
  return (textOf(before) ?? "") + (textOf(piece) ?? "");
}

/** A text without a visible character is refused in a request. */
function assembled(index: number, { fields, input }: Growing): AssembledBlock {
  const type = textOf(fields["type"]) ?? "";
  if (type === "text" && (textOf(fields["text"]) ?? "").trim() === "") return { index, type, text: "" };
  const members = Object.entries(fields).map(([key, value]) => [key, JSON.stringify(value)] as const);
  const own = input === "" ? {} : { input };
  return { index, type, text: objectText({ ...Object.fromEntries(members), ...own }) };
}
