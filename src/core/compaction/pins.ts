/** What a person pinned: messages that no compaction summarises, and facts that every handoff states word for word. */
import { HANDOFF_END, HANDOFF_START, opensWithHandoff } from "../handoff/marks.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { exchangesOf } from "../transcript/exchanges.ts";
import { contentText, textMessage, withParts, type Message } from "../transcript/message.ts";
import type { Compaction } from "./compaction.ts";

export interface Pins {
  /** Indices in the original conversation, ascending. */
  readonly messages: readonly number[];
  readonly facts: readonly string[];
}

export const NO_PINS: Pins = Object.freeze({ messages: [], facts: [] });

/** Pinned messages with those that they cannot stand without: a call with its results. */
export function wholeExchanges(messages: readonly Message[], pinned: readonly number[]): readonly number[] {
  const wanted = new Set(pinned);
  return exchangesOf(messages).flatMap(({ start, end }) => {
    const all = Array.from({ length: end - start }, (_, offset) => start + offset);
    return all.some((at) => wanted.has(at)) ? all : [];
  });
}

/** Whether a compaction that was made before keeps to these pins. */
export function honours({ after, map }: Compaction, { messages, facts }: Pins, redact: Redactor): boolean {
  if (messages.some((at) => map[at] !== undefined && map[at].kind !== "kept")) return false;
  const text = facts.length === 0 ? "" : after.map(({ parts }) => contentText(parts)).join("\n");
  return facts.every((fact) => text.includes(redact(fact)));
}

/** The compaction with the facts in its handoff; where something was summarised without one, in a handoff of their own. */
export function withFacts(compaction: Compaction, facts: readonly string[], redact: Redactor): Compaction {
  const { after, map } = compaction;
  if (facts.length === 0 || !map.some(({ kind }) => kind === "summarised")) return compaction;
  const lines = ["## Pinned", ...facts.map((fact) => `- ${redact(fact)}`)].join("\n");
  const at = after.findIndex(isHandoff);
  if (at >= 0) return { ...compaction, after: after.with(at, stating(after[at]!, lines)) };
  const own = textMessage("user", `${HANDOFF_START}\n${lines}\n${HANDOFF_END}`, "summary");
  const first = map.findIndex(({ kind }) => kind === "summarised");
  const before = map.slice(0, first).findLast((one) => "at" in one);
  const place = before === undefined || !("at" in before) ? 0 : before.at + 1;
  const moved = map.map((one) => ("at" in one && one.at >= place ? { ...one, at: one.at + 1 } : one));
  return { ...compaction, after: after.toSpliced(place, 0, own), map: moved };
}

function isHandoff({ origin, parts }: Message): boolean {
  return origin === "summary" && opensWithHandoff(contentText(parts));
}

/** Behind the sentence that says what the record is, before everything that it says. */
function stating(handoff: Message, lines: string): Message {
  const at = handoff.parts.findIndex((part) => part.kind === "text" && opensWithHandoff(part.text));
  const part = handoff.parts[at];
  if (part?.kind !== "text") return handoff;
  const end = /\n(?=## |\[end of precis)/.exec(part.text)?.index ?? part.text.length;
  const text = `${part.text.slice(0, end)}\n${lines}${part.text.slice(end)}`;
  return withParts(handoff, handoff.parts.with(at, Object.freeze({ ...part, text })));
}
