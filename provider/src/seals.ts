/**
 * Signatures of what the model thought. One names the block, the thinking block before it, the model, and holds a keyed
 * hash of its text and one of everything that came before it: so the provider keeps nothing and still knows whether a
 * block was edited, whether anything before it changed, and whether one was taken out between two others.
 */
import { createHmac, hash } from "node:crypto";

export interface Seal {
  readonly id: string;
  /** The thinking block that came before it, or `FIRST`. */
  readonly after: string;
  /** The text is the one that was signed. */
  readonly whole: boolean;
  readonly sameModel: boolean;
  readonly samePrefix: boolean;
}

export interface Sealer {
  readonly sign: (thought: Thought) => string;
  /** Undefined if it is no signature of this provider. */
  readonly read: (signature: string, thought: Omit<Thought, "after" | "id">) => Seal | undefined;
  /** A keyed hash of a text, for what only has to come back as it went out. */
  readonly mac: (text: string) => string;
}

export interface Thought {
  readonly id: string;
  readonly after: string;
  readonly text: string;
  readonly model: string;
  /** Hash of everything before it, thinking left out. */
  readonly prefix: string;
}

const PART_HEX = 16;
const MAC_HEX = 32;
export const FIRST = "0".repeat(PART_HEX);

const FORM = new RegExp(`^[0-9a-f]{${3 * PART_HEX + 2 * MAC_HEX}}$`);

export function createSealer(secret: string): Sealer {
  const mac = (text: string): string => createHmac("sha256", secret).update(text).digest("hex").slice(0, MAC_HEX);
  const textMac = (head: string, text: string): string => mac(`text\n${head}\n${text}`);
  const prefixMac = (head: string, prefix: string): string => mac(`prefix\n${head}\n${prefix}`);
  return {
    mac,
    sign: ({ id, after, text, model, prefix }) => {
      const head = `${tag(id)}${after}${tag(model)}`;
      return Buffer.from(`${head}${textMac(head, text)}${prefixMac(head, prefix)}`, "hex").toString("base64");
    },
    read: (signature, { text, model, prefix }) => {
      const raw = Buffer.from(signature, "base64").toString("hex");
      if (!FORM.test(raw)) return undefined;
      const head = raw.slice(0, 3 * PART_HEX);
      return {
        id: head.slice(0, PART_HEX),
        after: head.slice(PART_HEX, 2 * PART_HEX),
        whole: raw.slice(3 * PART_HEX, 3 * PART_HEX + MAC_HEX) === textMac(head, text),
        sameModel: head.slice(2 * PART_HEX) === tag(model),
        samePrefix: raw.slice(-MAC_HEX) === prefixMac(head, prefix),
      };
    },
  };
}

function tag(name: string): string {
  return hash("sha256", name).slice(0, PART_HEX);
}
