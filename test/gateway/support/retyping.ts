/** A client that writes its messages again: keys in another order, texts as blocks, arguments from the object they mean. */

import { protocols } from "../../../src/protocols/index.ts";
import { type ProtocolName } from "../../../src/core/protocols.ts";
import { definitions } from "../../../src/protocols/registry.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A request with all of its messages in another form. */
export function retypedBody(body: string, protocol: ProtocolName): string {
  const { messages: key } = protocols[protocol].keys;
  const request = JSON.parse(body) as Record<string, unknown>;
  const { textBlock } = definitions[protocol];
  return JSON.stringify({ ...request, [key]: (request[key] as unknown[]).map((one) => retyped(one, textBlock)) });
}

/** The same message in another form. */
export function retyped(message: unknown, textBlock: string): unknown {
  if (!isObject(message)) return message;
  const type = message["role"] === "assistant" && textBlock === "input_text" ? "output_text" : textBlock;
  return turned({ ...message, ...asBlocks(message, type) });
}

function asBlocks({ content }: Fields, type: string): Fields {
  // No provider takes an empty block.
  if (typeof content === "string") return content.trim() === "" ? {} : { content: [{ type, text: content }] };
  if (!Array.isArray(content)) return {};
  return {
    content: content.map((block: unknown) => (isObject(block) ? { ...block, ...asBlocks(block, type) } : block)),
  };
}

/** Keys from the last to the first, all the way down; in the text of arguments too. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, key === "arguments" ? turnedArguments(inner) : turned(inner)]),
  );
}

function turnedArguments(text: unknown): unknown {
  if (typeof text !== "string" || !text.startsWith("{") || /\d/.test(text)) return text;
  try {
    return JSON.stringify(turned(JSON.parse(text)));
  } catch {
    return text;
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
