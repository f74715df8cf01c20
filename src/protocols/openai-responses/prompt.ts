/** A request of Responses as the prompt-cache model takes it. */
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
  type Weigh,
} from "../caching/prompt.ts";
import type { Fields } from "../dialect.ts";
import { fieldsOf, listOf, textOf } from "../fields.ts";

export function responsesPrompt(request: Fields, text: Weigh): CachePrompt {
  return { blocks: [...toolBlocks(request, text), ...responsesItems(request, text)], messageSettings: "" };
}

function responsesItems(request: Fields, text: Weigh): readonly PromptBlock[] {
  const { input, instructions } = request;
  const system = textOf(instructions) ?? "";
  const items = typeof input === "string" ? [{ type: "message", role: "user", content: input }] : listOf(input);
  return [
    ...(system === ""
      ? []
      : framed("system", { name: "", tokens: MESSAGE_TOKENS }, [{ name: system, tokens: text(system) }])),
    ...items
      .map(fieldsOf)
      .filter(({ type }) => type !== "compaction_trigger")
      .flatMap((item) => responsesItem(item, text)),
  ];
}

function responsesItem(item: Fields, text: Weigh): readonly PromptBlock[] {
  const kind = textOf(item["type"]) ?? "message";
  const isOutput = kind.endsWith("_output");
  if (kind !== "message" && !isOutput)
    return framed("messages", { name: "", tokens: MESSAGE_TOKENS }, [
      { name: nameOf(item), tokens: weighItem(item, text) },
    ]);
  const name = `${kind} ${String(item["role"])} ${String(item["call_id"])}`;
  const blocks = contentBlocks(item[isOutput ? "output" : "content"], "text");
  return framed(
    "messages",
    { name, tokens: MESSAGE_TOKENS + (isOutput ? RESULT_TOKENS : 0) },
    blocks.map((block) => contentPiece(block, text)),
  );
}

function weighItem(item: Fields, text: Weigh): number {
  switch (item["type"]) {
    case "function_call":
    case "custom_tool_call":
      return (
        CALL_TOKENS + text(textOf(item["name"]) ?? "") + text(textOf(item["arguments"]) ?? textOf(item["input"]) ?? "")
      );
    case "reasoning":
      return listOf(item["summary"]).reduce<number>((sum, one) => sum + text(textOf(fieldsOf(one)["text"]) ?? ""), 0);
    default:
      return text(nameOf(item));
  }
}
