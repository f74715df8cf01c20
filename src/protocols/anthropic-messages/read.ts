/**
 * Reads Anthropic messages. A user message that carries results becomes one tool message a result, then a user message
 * with everything else; all of them share the bytes.
 */
import type { OpaquePart } from "../../core/transcript/message.ts";
import { readContent } from "../blocks.ts";
import type { Draft, Fields, WireElement } from "../dialect.ts";
import { fieldsOf } from "../fields.ts";
import { memberText } from "../json/scan.ts";
import { readUserMessage } from "../user-results.ts";
import { SETTINGS, readContentBlock, readOpenReplyBlock, readReplyBlock, readUserBlock } from "./blocks.ts";

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
      return [
        { role: "system", parts: [...readContent(content, contentText, readContentBlock), ...settingsIn(value)] },
      ];
    default:
      return readUserMessage(readContent(content, contentText, readUserBlock));
  }
}

/** Settings for the turns to come (https://platform.claude.com/docs/en/build-with-claude/effort-per-message). */
function settingsIn({ output_config: settings }: Fields): readonly OpaquePart[] {
  const declares = Object.keys(fieldsOf(settings));
  return declares.length === 0
    ? []
    : [{ kind: "opaque", type: SETTINGS, raw: JSON.stringify({ output_config: settings }), declares }];
}

export function readSystem(value: unknown, text: string): Draft | undefined {
  const parts = readContent(value, () => text, readContentBlock);
  return parts.length === 0 ? undefined : { role: "system", parts };
}
