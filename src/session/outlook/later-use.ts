/** What the session did after a compaction, held against it: identifiers from before that the agent used again, and whether they are still there. */
import { described } from "../../core/digest/call.ts";
import type { Redactor } from "../../core/redaction/redactor.ts";
import { callsOf, contentText, type Message } from "../../core/transcript/message.ts";
import { identifiersOf } from "./future-use.ts";

/** What follows a compaction: as many messages of the agent are looked at. */
const LATER_MESSAGES_MAX = 40;
const IDENTIFIERS_MAX = 80;
const MISSING_SHOWN_MAX = 8;

export interface LaterUse {
  /** Identifiers from before the compaction that the agent used after it. */
  readonly used: number;
  /** Of these, still in what would have been sent. */
  readonly held: number;
  /** Some that are not. */
  readonly missing: readonly string[];
}

export interface LaterUseParts {
  readonly messages: readonly Message[];
  /** The compacted request holds the messages before this index. */
  readonly end: number;
  readonly sent: readonly Message[];
  /** A secret is no identifier to show. */
  readonly redact: Redactor;
}

export function laterUse({ messages, end, sent, redact }: LaterUseParts): LaterUse {
  const before = messages.slice(0, end).map(textOf).join("\n");
  const kept = sent.map(textOf).join("\n");
  const later = messages
    .slice(end)
    .filter(({ role }) => role === "assistant")
    .slice(0, LATER_MESSAGES_MAX);
  const used = [...new Set(later.flatMap((message) => [...identifiersOf(redact(textOf(message)))]))]
    .filter((id) => before.includes(id))
    .slice(0, IDENTIFIERS_MAX);
  const missing = used.filter((id) => !kept.includes(id));
  return { used: used.length, held: used.length - missing.length, missing: missing.slice(0, MISSING_SHOWN_MAX) };
}

function textOf(message: Message): string {
  // Decoded: an escape such as `\t` in the JSON of a call would pass for a letter of what follows it.
  const calls = callsOf(message).flatMap((call) => described(call).values);
  return [contentText(message.parts), ...calls].join("\n");
}
