/** What all writers need: ids that follow from what is written, and a time for every record. */
import { createHash } from "node:crypto";
import type { ContentPart } from "../core/transcript/message.ts";
import type { Session } from "./session.ts";

export interface WriteContext {
  /** The new session's id, a UUID. */
  readonly id: string;
  /** The time of what has none of its own. */
  readonly nowMs: number;
}

/** A UUID that is the same for the same words. */
export function uuidFrom(...words: readonly string[]): string {
  const hex = hashOf(...words);
  const variant = "89ab"[Number.parseInt(hex[16]!, 16) % 4]!;
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

export function hashOf(...words: readonly string[]): string {
  const hash = createHash("sha256");
  for (const word of words) hash.update(word).update("\u0000");
  return hash.digest("hex");
}

/** The time of each message: its own, or that of the last one before it that has one. Never backwards. */
export function stampsOf({ messages }: Session, nowMs: number): readonly number[] {
  let last = messages.find(({ timeMs }) => timeMs !== undefined)?.timeMs ?? nowMs;
  return messages.map(({ timeMs }) => (last = Math.max(last, timeMs ?? last)));
}

export const isoOf = (ms: number): string => new Date(ms).toISOString();

export function jsonLines(records: readonly unknown[]): string {
  return `${records.map((record) => JSON.stringify(record)).join("\n")}\n`;
}

export function dataUrl(source: Extract<ContentPart, { kind: "image" }>["source"]): string {
  return source.type === "data"
    ? `data:${source.mediaType};base64,${source.data}`
    : source.type === "url"
      ? source.url
      : source.id;
}
