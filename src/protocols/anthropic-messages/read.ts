/**
 * Reads Anthropic messages. A user message that carries results becomes one tool message a result, then a user message
 * with everything else; all of them share the bytes.
 */
import { readContent } from "../blocks.ts";
import type { Draft, WireElement } from "../dialect.ts";
import { memberText } from "../json/scan.ts";
import { readUserMessage } from "../user-results.ts";
import { readContentBlock, readOpenReplyBlock, readReplyBlock, readUserBlock } from "./blocks.ts";

/** Other vendors that speak the protocol want back what their models thought (https://api-docs.deepseek.com/guides/thinking_mode). */
export function wantsThinking(model: string | undefined): boolean {
  return model !== undefined && !/claude/i.test(model);
}

export function readMessage([element]: readonly WireElement[], model?: string): readonly Draft[] {
  const { value, text } = element!;
  const content = value["content"];
  const contentText = (): string => memberText(text, "content")!;
  switch (value["role"]) {
    case "assistant":
      return [
        {
          role: "assistant",
          parts: readContent(content, contentText, wantsThinking(model) ? readOpenReplyBlock : readReplyBlock),
        },
      ];
    case "system":
      return [{ role: "system", parts: readContent(content, contentText, readContentBlock) }];
    default:
      return readUserMessage(readContent(content, contentText, readUserBlock));
  }
}

export function readSystem(value: unknown, text: string): Draft | undefined {
  const parts = readContent(value, () => text, readContentBlock);
  return parts.length === 0 ? undefined : { role: "system", parts };
}
