/**
 * Reads Gemini contents. A content that carries function responses becomes one tool message a response, then a user
 * message with everything else; all of them share the bytes.
 */
import { opaqueBlock } from "../blocks.ts";
import type { Part } from "../../core/transcript/message.ts";
import type { Draft, Fields, WireElement } from "../dialect.ts";
import { fieldsOf, lazy, textOf } from "../fields.ts";
import { elementTexts, memberText } from "../json/scan.ts";
import { readUserMessage } from "../user-results.ts";
import { numbering, readContentPart, readReplyPart, readUserPart, type Numbering } from "./parts.ts";

type PartReader = (part: Fields, at: number, text: () => string, idFor: Numbering) => Part | undefined;

export function readContent([element]: readonly WireElement[]): readonly Draft[] {
  const { value, text } = element!;
  switch (value["role"]) {
    case "model":
      return [{ role: "assistant", parts: partsOf(value, text, readReplyPart) }];
    case "system":
      return [{ role: "system", parts: partsOf(value, text, readContentPart) }];
    default:
      return readUserMessage(partsOf(value, text, readUserPart));
  }
}

function partsOf(content: Fields, text: string, read: PartReader): readonly Part[] {
  const parts = content["parts"];
  if (!Array.isArray(parts)) return [];
  const texts = lazy(() => elementTexts(memberText(text, "parts")!));
  const idFor = numbering();
  return parts.map((part: unknown, at) => {
    const partText = (): string => texts()[at]!;
    return read(fieldsOf(part), at, partText, idFor) ?? opaqueBlock(part, partText(), at);
  });
}

/** A content, one part, or a text. */
export function readSystem(value: unknown, text: string): Draft | undefined {
  if (typeof value === "string")
    return value === "" ? undefined : { role: "system", parts: [{ kind: "text", text: value, at: 0 }] };
  const parts = partsOf(fieldsOf(value), text, readContentPart);
  const only = textOf(fieldsOf(value)["text"]);
  if (parts.length === 0 && only !== undefined) return { role: "system", parts: [{ kind: "text", text: only }] };
  return parts.length === 0 ? undefined : { role: "system", parts };
}
