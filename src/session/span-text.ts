/** What can be read of the original behind a span, which is one JSON text a message in whatever protocol it came. */
import { isFields, parsed } from "../protocols/fields.ts";

/** Keys whose texts are for machines. */
const UNREAD_KEYS = new Set(["signature", "encrypted_content", "data", "image_url", "file_data", "thoughtSignature"]);

/** A line of JSON a message becomes what can be read of it; other lines stay. */
export function spanText(text: string): string {
  return text
    .split("\n")
    .map((line) => {
      const message = parsed(line);
      return message === undefined ? line : [...textsIn(message)].join("\n");
    })
    .join("\n");
}

function* textsIn(value: unknown, key = ""): Generator<string> {
  if (typeof value === "string") yield key === "role" ? `[${value}]` : value;
  else if (Array.isArray(value)) for (const one of value) yield* textsIn(one, key);
  else if (isFields(value))
    for (const [name, one] of Object.entries(value)) if (isRead(name)) yield* textsIn(one, name);
}

function isRead(key: string): boolean {
  return !UNREAD_KEYS.has(key) && key !== "type" && key !== "id" && key !== "cache_control" && !key.endsWith("_id");
}
