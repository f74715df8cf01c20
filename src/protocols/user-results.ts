/**
 * What the protocols share whose results travel inside messages of the user: one tool message a result is read from them,
 * results are first when they are written, and a system message inside the conversation goes as a marked text.
 */
import type { Part } from "../core/transcript/message.ts";
import type { Draft, Entry } from "./dialect.ts";

/** A tool message for each result, then a user message with everything else; all of them share the bytes. */
export function readUserMessage(parts: readonly Part[]): readonly Draft[] {
  const results = parts.filter((part) => part.kind === "tool-result");
  const rest = parts.filter((part) => part.kind !== "tool-result");
  const drafts: Draft[] = results.map((result) => ({ role: "tool", parts: [result] }));
  return rest.length > 0 || results.length === 0 ? [...drafts, { role: "user", parts: rest }] : drafts;
}

/** The parts of messages that are written as one. */
export function resultsFirst(entries: readonly Entry[]): readonly Part[] {
  const parts = entries.flatMap(({ message }) => message.parts);
  return [
    ...parts.filter((part) => part.kind === "tool-result"),
    ...parts.filter((part) => part.kind !== "tool-result"),
  ];
}

/** What a system message says, for a text of the user. */
export function systemNotice(parts: readonly Part[]): string {
  const text = parts.map((part) => (part.kind === "text" ? part.text : "")).join("\n");
  return `<system-message>\n${text}\n</system-message>`;
}

export interface PartsChange {
  readonly before: readonly Part[];
  readonly after: readonly Part[];
}
