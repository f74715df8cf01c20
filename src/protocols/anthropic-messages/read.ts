/**
 * Reads Anthropic messages. A user message that carries results becomes one tool message a result, then a user message
 * with everything else; all of them share the bytes.
 */
import type { Part } from "../../core/transcript/message.ts";
import { readContent } from "../blocks.ts";
import type { Draft, WireElement } from "../dialect.ts";
import { memberText } from "../json/scan.ts";
import { readContentBlock, readReplyBlock, readUserBlock } from "./blocks.ts";

export function readMessage([element]: readonly WireElement[]): readonly Draft[] {
  const { value, text } = element!;
  const content = value["content"];
  const contentText = (): string => memberText(text, "content")!;
  switch (value["role"]) {
    case "assistant":
      return [{ role: "assistant", parts: readContent(content, contentText, readReplyBlock) }];
    case "system":
      return [{ role: "system", parts: readContent(content, contentText, readContentBlock) }];
    default: {
      const parts: Part[] = readContent(content, contentText, readUserBlock);
      const results = parts.filter((part) => part.kind === "tool-result");
      const rest = parts.filter((part) => part.kind !== "tool-result");
      const drafts: Draft[] = results.map((result) => ({ role: "tool", parts: [result] }));
      return rest.length > 0 || results.length === 0 ? [...drafts, { role: "user", parts: rest }] : drafts;
    }
  }
}

export function readSystem(value: unknown, text: string): Draft | undefined {
  const parts = readContent(value, () => text, readContentBlock);
  return parts.length === 0 ? undefined : { role: "system", parts };
}
