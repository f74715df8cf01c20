/** A whole answer of Anthropic Messages that was to be plain text. */
import { plain, textOfBlocks, type PlainAnswer } from "../answers/plain.ts";
import type { Fields } from "../dialect.ts";
import { fieldsOf } from "../fields.ts";

/** `pause_turn`: a tool of the provider's own is still at work. */
const MESSAGE_CALLS: ReadonlySet<string> = new Set(["tool_use", "pause_turn"]);

export function readAnthropicAnswer(answer: Fields): PlainAnswer | undefined {
  if (!Array.isArray(answer["content"])) return undefined;
  const blocks = answer["content"].map(fieldsOf);
  const stop = String(answer["stop_reason"]);
  const calls = MESSAGE_CALLS.has(stop) || blocks.some(({ type }) => /tool_(?:use|result)$/.test(String(type)));
  return plain(textOfBlocks(blocks, "text"), { calls, refused: stop === "refusal", length: stop === "max_tokens" });
}
