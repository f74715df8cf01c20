/** Reads the content of a wire message: a string, a list of blocks, or nothing, whatever the protocol calls its blocks. */
import type { OpaquePart, Part, TextPart } from "../core/transcript/message.ts";
import type { Fields } from "./dialect.ts";
import { fieldsOf, lazy, textOf } from "./fields.ts";
import { toldBy } from "./server-tools.ts";
import { elementTexts } from "./json/scan.ts";

/** Reads one block; undefined for a kind it does not know. `text` gives the block's JSON text when it is needed. */
export type BlockReader<P extends Part> = (block: Fields, at: number, text: () => string) => P | undefined;

/** One part a block, each with its index in `at`. An empty string is no part; `text` gives the JSON text of the value. */
export function readContent<P extends Part>(
  content: unknown,
  text: () => string,
  read: BlockReader<P>,
): (P | TextPart | OpaquePart)[] {
  if (content === undefined || content === null || content === "") return [];
  if (typeof content === "string") return [{ kind: "text", text: content, at: 0 }];
  if (!Array.isArray(content)) return [opaqueBlock(content, text(), 0)];
  const texts = lazy(() => elementTexts(text()));
  return content.map((block: unknown, at) => {
    const blockText = (): string => texts()[at]!;
    return read(fieldsOf(block), at, blockText) ?? opaqueBlock(block, blockText(), at);
  });
}

export function opaqueBlock(block: unknown, raw: string, at?: number): OpaquePart {
  const told = toldBy(fieldsOf(block));
  const type = textOf(fieldsOf(block)["type"]) ?? typeof block;
  return { kind: "opaque", type, raw, ...(at === undefined ? {} : { at }), ...(told === undefined ? {} : { told }) };
}
