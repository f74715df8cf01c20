/**
 * SHA-256 of a text in hexadecimal: by the host's own code where it has some that answers at once, as Node, Bun and Deno
 * do, and in JavaScript in a browser and an edge worker, whose own only answers later.
 */
import { sha256 as digest } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { builtin } from "./builtin.ts";

type Digest = (text: string) => string;

/** Asked for at the first text: Node's module takes a while to load. */
let known: Digest | undefined;

export function sha256(text: string): string {
  known ??= digestOfHost() ?? sha256InJavaScript;
  return known(text);
}

function digestOfHost(): Digest | undefined {
  const hash = builtin("node:crypto")?.hash;
  return typeof hash === "function" ? (text) => hash("sha256", text) : undefined;
}

export function sha256InJavaScript(text: string): string {
  return bytesToHex(digest(utf8ToBytes(text)));
}
