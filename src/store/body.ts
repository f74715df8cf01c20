/** The bytes a message is kept as, and the words in them that a search looks through. */
import { isSame, type Message } from "../core/transcript/message.ts";
import type { Original } from "./store.ts";

/** A string of this length without white space is data: base64, a signature, a hash chain. */
const DATA_CHARACTERS_MIN = 512;
/** Tool arguments are JSON inside JSON, and may hold some themselves. */
const NESTED_JSON_MAX = 3;

/** How a body is read: a message as JSON, anything else as it is, media not at all. */
export type BodyForm = "message" | "text" | "media";

export interface Body {
  readonly form: BodyForm;
  readonly text: string;
}

/** The wire message that a message came from, or its own JSON. */
export function bodyOf({ role, parts, name, wire }: Message): string {
  return wire?.raw ?? JSON.stringify(name === undefined ? { role, parts } : { role, name, parts });
}

/** Which of the messages of one wire message this is. */
export function memberOf(message: Message): number {
  return Math.max(0, message.wire?.members.findIndex((member) => isSame(message, member)) ?? 0);
}

/** An original in the pieces that are kept: the messages of a span one by one, so that each is there only once. */
export function piecesOf({ kind, text }: Original): readonly Body[] {
  if (kind === "span") return text.split("\n").map((line) => ({ form: "message", text: line }));
  return [{ form: kind === "media" ? "media" : "text", text }];
}

/** What a search sees of a body. */
export function searchableText({ form, text }: Body): string {
  switch (form) {
    case "media":
      return "";
    case "text":
      return text;
    case "message": {
      const found: string[] = [];
      collectStrings(text, 0, found);
      return found.join("\n");
    }
  }
}

/** The strings and numbers in a JSON text, in order, but for data; the text itself where it is no JSON. */
function collectStrings(json: string, depth: number, found: string[]): void {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    found.push(json);
    return;
  }
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") collectReadable(next, depth, found);
    else if (typeof next === "number") found.push(String(next));
    else if (typeof next === "object" && next !== null) {
      for (const [key, inner] of Object.entries(next).toReversed()) {
        open.push(inner);
        // The keys of a wire message say nothing; those of what a tool was given or answered do.
        if (depth > 0 && !Array.isArray(next)) open.push(key);
      }
    }
  }
}

function collectReadable(text: string, depth: number, found: string[]): void {
  if (depth < NESTED_JSON_MAX && /^\s*[{[]/.test(text)) collectStrings(text, depth + 1, found);
  else if (text.length < DATA_CHARACTERS_MIN || /\s/.test(text.slice(0, DATA_CHARACTERS_MIN))) found.push(text);
}
