/** A request of Chat Completions as the prompt-cache model takes it. */
import type { CachePrompt, PromptBlock } from "../caching/prefix-cache.ts";
import {
  CALL_TOKENS,
  contentBlocks,
  contentPiece,
  framed,
  MESSAGE_TOKENS,
  nameOf,
  RESULT_TOKENS,
  toolBlocks,
  type Piece,
  type Weigh,
} from "../caching/prompt.ts";
import type { Fields } from "../dialect.ts";
import { fieldsOf, listOf, textOf } from "../fields.ts";

export function chatPrompt(request: Fields, text: Weigh): CachePrompt {
  const messages = listOf(request["messages"]).flatMap((one) => chatMessage(fieldsOf(one), text));
  return { blocks: [...toolBlocks(request, text), ...messages], messageSettings: "" };
}

function chatMessage(message: Fields, text: Weigh): readonly PromptBlock[] {
  const { role, content, refusal, tool_calls: calls } = message;
  const pieces = [
    ...contentBlocks(content, "text").map((block) => contentPiece(block, text)),
    ...(typeof refusal === "string" ? [{ name: `refusal ${refusal}`, tokens: text(refusal) }] : []),
    ...listOf(calls).map((call): Piece => {
      const asked = fieldsOf(fieldsOf(call)["function"] ?? fieldsOf(call)["custom"]);
      const given = textOf(asked["arguments"]) ?? textOf(asked["input"]) ?? "";
      return { name: nameOf(call), tokens: CALL_TOKENS + text(textOf(asked["name"]) ?? "") + text(given) };
    }),
  ];
  const name = [role, message["name"] ?? "", message["tool_call_id"] ?? ""].map(String).join(" ");
  return framed("messages", { name, tokens: MESSAGE_TOKENS + (role === "tool" ? RESULT_TOKENS : 0) }, pieces);
}
