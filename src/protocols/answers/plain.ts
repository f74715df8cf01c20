/** A whole answer that was to be plain text: its text, how it ended, and whether the model called a tool all the same. */
import type { Fields } from "../dialect.ts";
import { textOf } from "../fields.ts";

export interface PlainAnswer {
  readonly text: string;
  /** `called`: a tool was called, or the provider was about to run one of its own. */
  readonly ended: "stop" | "length" | "refused" | "called";
}

export function textOfBlocks(blocks: readonly Fields[], type: string): string {
  return blocks.flatMap((block) => (block["type"] === type ? (textOf(block["text"]) ?? []) : [])).join("");
}

interface Signs {
  readonly calls: boolean;
  readonly refused: boolean;
  readonly length: boolean;
}

export function plain(text: string, { calls, refused, length }: Signs): PlainAnswer {
  return { text, ended: calls ? "called" : refused ? "refused" : length ? "length" : "stop" };
}
