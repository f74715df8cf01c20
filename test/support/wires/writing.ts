/** What the writers of request bodies share. */
import { RawJson, type JsonLike } from "../json-text.ts";
import type { Random } from "../random.ts";
import { BIG_INTEGER, objectOrEmpty } from "../turns-to-ir.ts";
import type { Turn, TurnCall, TurnContent } from "../turns.ts";
import type { Fields } from "./kit.ts";

export type Reply = Extract<Turn, { kind: "assistant" }>;
export type TextBlock = Extract<TurnContent, { kind: "text" }>;

export const textBlock = (value: string): TextBlock => ({ kind: "text", text: value });
export const dataUrl = (mediaType: string, data: string): string => `data:${mediaType};base64,${data}`;
export const base64Source = (mediaType: string, data: string): JsonLike => ({
  type: "base64",
  media_type: mediaType,
  data,
});
export const unknownBlock = (type: string): JsonLike => ({ type, n: BIG_INTEGER });
export const callText = (call: TurnCall): RawJson => new RawJson(objectOrEmpty(call.arguments));

/** Fields no decoder knows, now and then. */
export function extras(random: Random): Fields {
  return random.chance(0.2) ? { x_trace: BIG_INTEGER, x_list: [1.5, null, "]"] } : {};
}

function onlyText(content: readonly TurnContent[]): string | undefined {
  const [first] = content;
  return content.length === 1 && first?.kind === "text" && first.text !== "" ? first.text : undefined;
}

/** Content as a string where it is one text, else as blocks; nothing at all in any of the forms clients use. */
export function contentOf(
  content: readonly TurnContent[],
  random: Random,
  block: (one: TurnContent) => JsonLike,
): JsonLike {
  const text = onlyText(content);
  if (text !== undefined && random.chance(0.5)) return text;
  if (content.length === 0 && random.chance(0.5)) return "";
  return content.map(block);
}
