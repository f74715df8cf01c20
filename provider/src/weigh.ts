/** What a piece of a request weighs and looks like: its tokens by our estimator, and the text by which it is known again. */
import { hash } from "node:crypto";
import { estimateText } from "../../src/core/transcript/estimate.ts";
import { isFields, listOf, textOf, type Fields } from "../../src/protocols/fields.ts";
import { createRecentMap } from "../../src/store/recent-map.ts";
import type { Block, Prompt } from "./contract.ts";
import type { ModelTraits } from "./traits.ts";

/** Role and separators of a message; name and ids of a call; frame of a result: as our own measure has them. */
export const MESSAGE_TOKENS = 4;
export const CALL_TOKENS = 8;
export const RESULT_TOKENS = 4;
/** Flat, because a provider renders pages we cannot see. */
const FILE_TOKENS = 1_600;

/** A history comes back with every request: texts of some length are weighed once. */
const KNOWN_CHARS_MIN = 256;
const KNOWN_TEXTS_MAX = 20_000;
const known = createRecentMap<number>({ entries: KNOWN_TEXTS_MAX });

/** `estimateText`, remembered by the text's hash, which is five times cheaper. */
export function textTokens(text: string): number {
  if (text.length < KNOWN_CHARS_MIN) return estimateText(text);
  const key = hash("sha256", text);
  const tokens = known.get(key) ?? estimateText(text);
  known.set(key, tokens);
  return tokens;
}

const MARKERS = new Set(["cache_control", "prompt_cache_breakpoint"]);

/** A block's JSON, markers left out and its own keys in one order; what is inside of it stays as it was sent. */
export function canonical(block: unknown): string {
  if (!isFields(block)) return JSON.stringify(block);
  const keys = Object.keys(block)
    .filter((key) => !MARKERS.has(key))
    .sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${inner(key, block[key])}`).join(",")}}`;
}

/** Blocks in a result can carry markers too. */
function inner(key: string, value: unknown): string {
  return key === "content" && Array.isArray(value) ? `[${value.map(canonical).join(",")}]` : JSON.stringify(value);
}

export type Weigh = (block: Fields) => number;

/** Texts, media at a flat price, and anything else as its JSON. */
export function weighContent(imageTokens: number): Weigh {
  return (block) => {
    const text = textOf(block["text"]) ?? textOf(block["refusal"]);
    if (text !== undefined) return textTokens(text);
    switch (block["type"]) {
      case "image":
      case "image_url":
      case "input_image":
        return imageTokens;
      case "document":
      case "file":
      case "input_file":
        return FILE_TOKENS;
      default:
        return textTokens(canonical(block));
    }
  };
}

/** Declarations of tools, which come before everything else. */
export function toolBlocks(tools: unknown): readonly Block[] {
  return listOf(tools).map((tool): Block => {
    const text = canonical(tool);
    return { section: "tools", text, tokens: textTokens(text) };
  });
}

/** The whole prompt, in this model's tokens. */
export function promptOf(
  blocks: readonly Block[],
  traits: ModelTraits,
  rest: Pick<Prompt, "messageSettings" | "maxOutputTokens">,
): Prompt {
  const scaled = blocks.map((block) => ({ ...block, tokens: Math.ceil(block.tokens * traits.tokenFactor) }));
  return { blocks: scaled, inputTokens: scaled.reduce((sum, { tokens }) => sum + tokens, 0), ...rest };
}
