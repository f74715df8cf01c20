/**
 * A compaction in the middle of a tool loop may take away the thinking that the open turn has to begin with: the message
 * that held it went into the handoff, or its thinking was stripped. Here it is put back, byte for byte, before the
 * compaction is recorded, so that every later request forwards the same.
 */
import { amend, originsIn } from "../../../core/compaction/revise.ts";
import { applyCompaction, type Compaction } from "../../../core/compaction/compaction.ts";
import type { Estimator } from "../../../core/engines/contract.ts";
import {
  withParts,
  type Message,
  type OpaquePart,
  type Part,
  type Transcript,
} from "../../../core/transcript/message.ts";
import { elementTexts, memberText } from "../../../protocols/json/scan.ts";
import { openTurnOf, opensWithThinking } from "./turn.ts";

/** Of several thoughts the newest is carried, unless it weighs more than this; then the lightest. */
const CARRIED_TOKENS_MAX = 2_000;

/**
 * The compaction with the open turn's thinking in place; itself where nothing is missing, and for protocols other than
 * Anthropic's. Whether thinking is on plays no part, because a record outlives the request it was made for: what is
 * carried comes from the very turn that goes on. `covered` grows to the message that takes it, in the client's own chain.
 */
export function carryThinking(compaction: Compaction, original: Transcript, estimator: Estimator): Compaction {
  const before = openTurnOf(original.messages);
  if (before === undefined || !isOurs(original.messages[before.first]!)) return compaction;
  const rewritten = applyCompaction(original, compaction).messages;
  const turn = openTurnOf(rewritten);
  if (turn === undefined) return compaction;
  const originOf = originsIn(compaction);
  const edits = new Map<number, Message>();
  for (const at of new Set([turn.first, turn.last])) {
    const whole = withOwnThinking(rewritten[at]!, original.messages[originOf(at) ?? -1]);
    if (whole !== rewritten[at]) edits.set(at, whole);
  }
  const first = edits.get(turn.first) ?? rewritten[turn.first]!;
  const needed = !opensWithThinking(first) && opensWithThinking(original.messages[before.first]!);
  const carried = needed ? carriedFrom(original.messages.slice(before.first, originOf(turn.first)), estimator) : [];
  if (carried.length > 0) edits.set(turn.first, withParts(first, [...carried, ...first.parts]));
  return amend(compaction, original, { edits, estimator });
}

function isOurs({ wire }: Message): boolean {
  return wire?.protocol === "anthropic-messages";
}

/** A rewritten message with the thinking it had, each block where it was. */
function withOwnThinking(message: Message, was: Message | undefined): Message {
  if (was === undefined || was === message) return message;
  const kept = new Set(message.parts);
  if (was.parts.every((part) => part.kind !== "reasoning" || kept.has(part))) return message;
  const edited = message.parts.filter(({ kind }) => kind !== "reasoning");
  const inPlace = was.parts.flatMap((part) =>
    part.kind === "reasoning" ? part : (edited.find(({ kind, at }) => kind === part.kind && at === part.at) ?? []),
  );
  const placed = new Set<Part>(inPlace);
  return withParts(message, [...inPlace, ...edited.filter((part) => !placed.has(part))]);
}

/** The thinking that one of these messages opens with. */
function carriedFrom(messages: readonly Message[], { measure }: Estimator): readonly OpaquePart[] {
  const thoughts = messages.flatMap((message) => {
    const parts = openingThoughts(message);
    return parts.length === 0 ? [] : [{ parts, tokens: measure.message({ role: "assistant", parts }) }];
  });
  const newest = thoughts.at(-1);
  if (newest === undefined || newest.tokens <= CARRIED_TOKENS_MAX) return newest?.parts ?? [];
  return thoughts.reduce((lightest, one) => (one.tokens <= lightest.tokens ? one : lightest)).parts;
}

function openingThoughts({ role, parts, wire }: Message): readonly OpaquePart[] {
  if (role !== "assistant" || wire === undefined || parts[0]?.kind !== "reasoning") return [];
  const end = parts.findIndex(({ kind }) => kind !== "reasoning");
  const texts = elementTexts(memberText(wire.raw, "content")!);
  return parts.slice(0, end < 0 ? parts.length : end).map(({ at }) => {
    const raw = texts[at!]!;
    return Object.freeze({ kind: "opaque", type: typeIn(raw), raw });
  });
}

function typeIn(block: string): string {
  return JSON.parse(memberText(block, "type") ?? '"thinking"') as string;
}
