/** Bytes: what they seem to be and how many there are. */
import { thousands } from "../cut.ts";
import type { Page } from "../page.ts";
import type { DigestContent } from "../short.ts";

const MAGIC: readonly (readonly [start: RegExp, name: string])[] = [
  [/^iVBORw0KGgo|^.PNG/, "PNG image"],
  [/^\/9j\//, "JPEG image"],
  [/^R0lGOD|^GIF8/, "GIF image"],
  [/^JVBERi0|^%PDF-/, "PDF"],
  [/^UEsDB|^PK\u0003\u0004/, "ZIP archive"],
  [/^H4sI/, "gzip data"],
  [/^.ELF/, "ELF program"],
];

export function shortBinary({ text }: Page): DigestContent {
  const start = text.slice(0, 40).trimStart();
  const name =
    MAGIC.find(([pattern]) => pattern.test(start))?.[1] ??
    (/^[A-Za-z0-9+/=\s_-]+$/.test(text.slice(0, 400)) ? "base64" : "bytes");
  return { facts: [name, `${thousands(text.length)} characters`], lines: [] };
}
