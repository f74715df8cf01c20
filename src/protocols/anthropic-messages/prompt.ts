/** A request of Anthropic Messages as the prompt-cache model takes it. */
import type { CachePrompt, PromptBlock } from "../caching/prefix-cache.ts";
import {
  CALL_TOKENS,
  contentBlocks,
  markerOf,
  MESSAGE_TOKENS,
  nameOf,
  RESULT_TOKENS,
  toolBlocks,
  weighContent,
  type Weigh,
} from "../caching/prompt.ts";
import type { Fields } from "../dialect.ts";
import { fieldsOf, listOf, textOf } from "../fields.ts";

export function anthropicPrompt(request: Fields, text: Weigh): CachePrompt {
  const blocks = [...toolBlocks(request, text), ...anthropicSystem(request, text), ...anthropicMessages(request, text)];
  return {
    blocks: markedAtTop(request, blocks),
    messageSettings: JSON.stringify([
      request["tool_choice"],
      fieldsOf(request["thinking"])["type"],
      fieldsOf(request["thinking"])["budget_tokens"],
    ]),
  };
}

function anthropicSystem(request: Fields, text: Weigh): readonly PromptBlock[] {
  return contentBlocks(request["system"], "text").map((block, at) => ({
    section: "system",
    text: nameOf(block),
    tokens: weighContent(block, text) + (at === 0 ? MESSAGE_TOKENS : 0),
    ...markerOf(block),
  }));
}

function anthropicMessages(request: Fields, text: Weigh): readonly PromptBlock[] {
  return listOf(request["messages"])
    .map(fieldsOf)
    .flatMap((message) =>
      contentBlocks(message["content"], "text").map((block, at): PromptBlock => ({
        section: "messages",
        text: `${String(message["role"])} ${nameOf(block)}`,
        tokens: weighAnthropic(block, text) + (at === 0 ? MESSAGE_TOKENS : 0),
        ...markerOf(block),
      })),
    );
}

function weighAnthropic(block: Fields, text: Weigh): number {
  switch (block["type"]) {
    case "tool_use":
      return CALL_TOKENS + text(textOf(block["name"]) ?? "") + text(JSON.stringify(block["input"]));
    case "tool_result":
      return contentBlocks(block["content"], "text").reduce((sum, one) => sum + weighContent(one, text), RESULT_TOKENS);
    case "thinking":
      return text(textOf(block["thinking"]) ?? "");
    case "redacted_thinking":
      return 0;
    default:
      return weighContent(block, text);
  }
}

/** A marker for the whole request is on the last block that can carry one. */
function markedAtTop(request: Fields, blocks: readonly PromptBlock[]): readonly PromptBlock[] {
  const { marker } = markerOf({ cache_control: request["cache_control"] });
  if (marker === undefined) return blocks;
  const own = listOf(request["messages"]).flatMap((one) => contentBlocks(fieldsOf(one)["content"], "text"));
  const behind = own.length - 1 - own.findLastIndex(canCarry);
  return blocks.map((block, at) => (at === blocks.length - 1 - behind ? { ...block, marker } : block));
}

function canCarry({ type, text }: Fields): boolean {
  return type !== "thinking" && type !== "redacted_thinking" && (type !== "text" || text !== "");
}
