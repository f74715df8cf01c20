/**
 * Prints JSON the way clients of every kind do: odd key order, white space anywhere, needless escapes, integers beyond
 * 2^53. One value has many texts; a decoder must read all of them and give each back unchanged.
 */
import type { Random } from "./random.ts";

/** JSON text that is to be in the output exactly as it is. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type JsonLike =
  | null
  | boolean
  | number
  | bigint
  | string
  | RawJson
  | readonly JsonLike[]
  | { readonly [key: string]: JsonLike | undefined };

/** How a text is laid out; `compact` is what JSON.stringify writes. */
export type JsonLayout = "compact" | "spaced" | "indented" | "ascii" | "wild";
export const JSON_LAYOUTS: readonly JsonLayout[] = ["compact", "spaced", "indented", "ascii", "wild"];

/** Strings above this length are printed without the slow per-character choices. */
const STYLED_STRING_CHARS = 4096;

export function printJson(value: JsonLike, layout: JsonLayout, random: Random): string {
  const gap = (): string => (layout === "wild" ? random.pick(["", "", " ", "\n", "\t", "\r\n  "]) : "");
  const print = (one: JsonLike, depth: number): string => {
    if (one instanceof RawJson) return one.text;
    if (typeof one === "string") return printString(one, layout, random);
    if (typeof one === "bigint") return one.toString();
    if (Array.isArray(one))
      return wrap(
        "[",
        (one as readonly JsonLike[]).map((item) => print(item, depth + 1)),
        "]",
        depth,
      );
    if (typeof one === "object" && one !== null) return wrap("{", fields(one as Fields, depth), "}", depth);
    return JSON.stringify(one);
  };
  const fields = (one: Fields, depth: number): string[] => {
    const present = Object.keys(one).filter((key) => one[key] !== undefined);
    const ordered = layout === "wild" ? random.shuffle(present) : present;
    const colon = layout === "compact" ? ":" : ": ";
    return ordered.map(
      (key) =>
        `${printString(key, layout, random)}${gap()}${layout === "wild" ? ":" : colon}${gap()}${print(one[key]!, depth + 1)}`,
    );
  };
  const wrap = (open: string, items: readonly string[], close: string, depth: number): string => {
    if (items.length === 0) return `${open}${gap()}${close}`;
    if (layout === "indented") {
      const pad = "\n" + "  ".repeat(depth);
      return `${open}${pad}  ${items.join(`,${pad}  `)}${pad}${close}`;
    }
    if (layout === "wild") return open + items.map((item) => gap() + item + gap()).join(",") + close;
    return open + items.join(layout === "compact" ? "," : ", ") + close;
  };
  return gap() + print(value, 0) + gap();
}

type Fields = Readonly<Record<string, JsonLike | undefined>>;

function printString(text: string, layout: JsonLayout, random: Random): string {
  const plain = JSON.stringify(text);
  if (layout === "ascii") return plain.replace(/[\u007f-\uffff]/g, escaped);
  if (layout !== "wild" || text.length > STYLED_STRING_CHARS) return plain;
  return plain.replace(/[/a-z\u0080-\uffff]/g, (char, at: number) => {
    if (plain[at - 1] === "\\" || isInsideEscape(plain, at) || !random.chance(0.1)) return char;
    return char === "/" ? "\\/" : escaped(char);
  });
}

function isInsideEscape(text: string, at: number): boolean {
  const opened = text.lastIndexOf("\\u", at);
  return opened >= 0 && at - opened < 6;
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
