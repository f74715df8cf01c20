/** What the checks of requests share. */
import type { Complain } from "./kit.ts";

type Fields = Readonly<Record<string, unknown>>;

export const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);
export const fields = (value: unknown): Fields => value as Fields;

export function isJson(text: unknown): boolean {
  try {
    JSON.parse(text as string);
    return typeof text === "string";
  } catch {
    return false;
  }
}

/** Every block of a content list is one of these kinds; unknown kinds that stand for blocks of the future pass. */
export function checkBlocks(content: unknown, kinds: readonly string[], complain: Complain): void {
  for (const block of list(content)) {
    const type = String(block["type"]);
    if (!kinds.includes(type) && !type.startsWith("x_") && type !== "future_block")
      complain(`a ${type} block may not stand here`);
  }
}
