/** A text as the bytes that a database keeps of it, and the hash that a body is found by. */
import { hash } from "node:crypto";
import type { Vault } from "./vault.ts";

export interface EncodedText {
  readonly encoding: string;
  readonly content: Uint8Array;
}

/** The text types of databases and UTF-8 know no lone surrogates; bytes do. */
export function encoded(text: string): EncodedText {
  return text.isWellFormed()
    ? { encoding: "utf8", content: Buffer.from(text, "utf8") }
    : { encoding: "utf16", content: Buffer.from(text, "utf16le") };
}

/** The text of a row of bodies. */
export function decoded(vault: Vault, { encoding, content }: EncodedText): string {
  const plain = vault.open("body", content);
  const bytes = Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength);
  return bytes.toString(encoding === "utf8" ? "utf8" : "utf16le");
}

export function keyOf(encoding: string, content: Uint8Array): Uint8Array {
  return hash(
    "sha256",
    encoding === "utf8" ? content : Buffer.concat([Buffer.from(`${encoding}\n`), content]),
    "buffer",
  );
}
