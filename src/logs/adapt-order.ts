/** The order of parts and results, and messages that stand apart here and are one in another format. */
import { textMessage, withParts, type Part } from "../core/transcript/message.ts";
import type { Holds } from "./format.ts";
import type { Losses } from "./losses.ts";
import type { RecordedCompaction, Session, SessionMessage } from "./session.ts";

export function sortedFor(session: Session, holds: Holds, losses: Losses): Session {
  const messages = holds.resultOrder ? session.messages : withResultsInOrder(session.messages, losses);
  return {
    ...session,
    messages: messages.map((one) => {
      const parts = oneText(sortedParts(one, holds, losses), one, holds, losses);
      return parts === one.message.parts ? one : { ...one, message: withParts(one.message, parts) };
    }),
  };
}

const PART_RANKS: Partial<Readonly<Record<Part["kind"], number>>> = { reasoning: 0, "tool-call": 2 };

function rankOf(part: Part): number {
  return PART_RANKS[part.kind] ?? 1;
}

function sortedParts({ message }: SessionMessage, holds: Holds, losses: Losses): readonly Part[] {
  if (holds.parts === "any" || message.role !== "assistant") return message.parts;
  const sorted = message.parts.toSorted((a, b) => rankOf(a) - rankOf(b));
  if (sorted.some((part, at) => part !== message.parts[at])) losses.note("part_order");
  return sorted;
}

/** Texts become one text, and pieces of thinking one piece, each in the place of its first. */
function oneText(parts: readonly Part[], { message }: SessionMessage, holds: Holds, losses: Losses): readonly Part[] {
  if (holds.oneText !== "everywhere" || message.role === "tool") return parts;
  const joined = joinedOf(joinedOf(parts, "text"), "reasoning");
  if (joined.length < parts.length) losses.note("joined_texts");
  return joined.length < parts.length ? joined : parts;
}

function joinedOf(parts: readonly Part[], kind: "text" | "reasoning"): readonly Part[] {
  const texts = parts.flatMap((part) => (part.kind === kind ? [part.text] : []));
  if (texts.length < 2) return parts;
  const first = parts.findIndex((part) => part.kind === kind);
  return parts.flatMap((part, at): readonly Part[] => {
    if (part.kind !== kind) return [part];
    return at === first ? [{ kind, text: texts.join("\n\n") }] : [];
  });
}

const OPENING = "[precis: the session begins with this reply]";

export function openedFor(session: Session, holds: Holds, losses: Losses): Session {
  const [first] = session.messages;
  if (!holds.opensWithUser || first === undefined || first.message.role === "user") return session;
  losses.note("opening");
  const { timeMs } = first;
  const opening = { message: textMessage("user", OPENING), ...(timeMs !== undefined && { timeMs }) };
  const compactions = session.compactions.map(({ at, summary, context }) => ({
    at: at + 1,
    summary: summary + 1,
    context: context.map((index) => index + 1),
  }));
  return { ...session, messages: [opening, ...session.messages], compactions };
}

/** Results are right behind their turn; a compaction's context is a list of places, which stay. */
function withResultsInOrder(messages: readonly SessionMessage[], losses: Losses): readonly SessionMessage[] {
  const ordered = [...messages];
  for (let from = 0; from < ordered.length; from++) {
    const calls = ordered[from]!.message.parts.flatMap((part) => (part.kind === "tool-call" ? [part.id] : []));
    let end = from + 1;
    while (ordered[end]?.message.role === "tool") end++;
    if (calls.length < 2) continue;
    const results = ordered.slice(from + 1, end);
    const sorted = results.toSorted((a, b) => calls.indexOf(callIdOf(a)) - calls.indexOf(callIdOf(b)));
    if (sorted.some((one, at) => one !== results[at])) losses.note("result_order");
    for (const [at, one] of sorted.entries()) ordered[from + 1 + at] = one;
  }
  return ordered;
}

function callIdOf({ message }: SessionMessage): string {
  const [part] = message.parts;
  return part?.kind === "tool-result" ? part.callId : "";
}

export function mergedFor(session: Session, holds: Holds, losses: Losses): Session {
  const said = session.messages.map((one) => one.message.parts.length > 0);
  const fixed = new Set(session.compactions.flatMap(({ at, summary }) => [at, summary, summary + 1]));
  const messages: SessionMessage[] = [];
  // Where each message went; an empty one is nowhere.
  const places = session.messages.map((one, at) => {
    if (!said[at]) return -1;
    const last = messages.at(-1);
    if (last === undefined || fixed.has(at) || !isOneWith(last, one, holds)) return messages.push(one) - 1;
    losses.note("merged_messages");
    const parts = oneText([...last.message.parts, ...one.message.parts], last, holds, losses);
    messages[messages.length - 1] = { ...last, message: withParts(last.message, parts) };
    return messages.length - 1;
  });
  return { ...session, messages, compactions: session.compactions.map((one) => movedTo(one, places, messages.length)) };
}

function isOneWith(last: SessionMessage, next: SessionMessage, { mergesReplies }: Holds): boolean {
  if (!mergesReplies || last.injected !== next.injected) return false;
  return [last, next].every(({ message: { role, origin } }) => role === "assistant" && origin !== "summary");
}

function movedTo(
  { at, summary, context }: RecordedCompaction,
  places: readonly number[],
  count: number,
): RecordedCompaction {
  const next = places.slice(at).find((place) => place >= 0) ?? count;
  return {
    at: next,
    summary: places[summary]!,
    context: [...new Set(context.map((index) => places[index]!).filter((place) => place >= 0))],
  };
}
