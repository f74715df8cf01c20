/**
 * What crosses between a session and the thread that a plugin runs in: data alone. Messages go without the bytes they came
 * from, and come back as the objects they are here, so that what a plugin kept is sent to the provider byte for byte.
 */
import { reachTo } from "../core/compaction/revise.ts";
import type { Compaction, CompactionReason } from "../core/compaction/compaction.ts";
import type { EngineSettings } from "../core/engines/settings.ts";
import type { Outcome, ContextUsage, ToolCall, Usage } from "../core/engines/contract.ts";
import { demandOutcome, printMessage } from "./suite/fault.ts";
import type { Resting, WriterPrompt, WriterReply } from "../core/handoff/model/writer.ts";
import type { Chain } from "../core/transcript/links.ts";
import { wholeWire, type Message, type Transcript } from "../core/transcript/message.ts";
import type { FaultData } from "./fault.ts";

export type WriterRole = "auxiliary" | "main";

interface WriterData {
  readonly model: string;
  readonly windowTokens: number;
}

/** `Writers` without their effect: the thread asks by role. */
export interface WritersData {
  readonly auxiliary?: WriterData;
  readonly main?: WriterData;
  readonly resting: readonly Resting[];
  readonly withheld?: string;
}

/** The engine's own state, and the usages that were reported since. Without a state of its own it begins. */
export interface EngineInput {
  readonly own?: unknown;
  readonly usages: readonly Usage[];
}

export interface DecideData extends EngineInput {
  readonly name: "decide";
  readonly settings: EngineSettings;
  readonly usage: ContextUsage;
}

export interface CompactData extends EngineInput {
  readonly name: "compact";
  readonly settings: EngineSettings;
  readonly transcript: Transcript;
  readonly standing?: Transcript;
  readonly reason: CompactionReason;
  readonly focus?: string;
  readonly budget?: number;
  readonly now?: number;
  /** Of the measure. */
  readonly factor: number;
  readonly imageTokens?: number;
  /** Whether redaction spares source code. */
  readonly code: boolean;
  readonly writers?: WritersData;
}

export interface ToolData extends EngineInput {
  readonly name: "tool";
  readonly settings: EngineSettings;
  readonly call: ToolCall;
  readonly tokensMax?: number;
  /** When the call is late, in milliseconds since the epoch. */
  readonly lateAtMs: number;
}

/** The contract suite on one transcript, in a window of that many tokens if one is given. */
export interface CheckData {
  readonly name: "check";
  readonly transcript: Transcript;
  readonly contextTokens?: number;
}

export type CallData = DecideData | CompactData | ToolData | CheckData;

export type ToThread =
  | { readonly kind: "call"; readonly call: CallData; readonly answerBytesMax: number }
  | { readonly kind: "reply"; readonly ask: number; readonly reply: WriterReply | string | undefined };

export type FromThread =
  | { readonly kind: "ready" }
  | { readonly kind: "ask"; readonly ask: number; readonly role: WriterRole; readonly prompt: WriterPrompt }
  | { readonly kind: "read"; readonly ask: number; readonly id: string }
  | { readonly kind: "printed"; readonly text: string }
  | { readonly kind: "answer"; readonly bytes: Uint8Array }
  | { readonly kind: "failed"; readonly fault: FaultData };

/** Transcripts without their wire slices; a message that is in several is one object in all. */
export function createBaring(): (transcript: Transcript) => Transcript {
  const known = new Map<Message, Message>();
  const bare = (message: Message): Message => {
    if (message.wire === undefined) return message;
    const { wire: _, ...rest } = message;
    const one = known.get(message) ?? rest;
    known.set(message, one);
    return one;
  };
  return (transcript) => ({
    ...transcript,
    system: transcript.system.map(bare),
    messages: transcript.messages.map(bare),
  });
}

/** In the thread: a message of the transcript that is in the result goes back as its index. */
export function packOutcome(outcome: unknown, { messages }: Transcript): unknown {
  const { compaction } = (outcome ?? {}) as { readonly compaction?: { readonly after?: unknown } };
  if (!isDense(compaction?.after)) return outcome;
  const places = new Map(messages.map((message, at) => [message, at]));
  const after = compaction.after.map((message: unknown) => places.get(message as Message) ?? message);
  return { ...(outcome as object), compaction: { ...compaction, after } };
}

/**
 * In the session: the outcome on the transcript's own messages. Reaches to the end of a wire message, so that it is
 * written as one. Throws an `EngineFault` for what is no outcome.
 */
export function unpackOutcome(answer: unknown, transcript: Transcript, chain: Chain): Outcome {
  const { messages } = transcript;
  const { compaction } = (answer ?? {}) as { readonly compaction?: { readonly after?: unknown } };
  const placed = isDense(compaction?.after)
    ? compaction.after.map((one: unknown) => (typeof one === "number" ? messages[one] : one))
    : undefined;
  const outcome =
    placed === undefined ? answer : { ...(answer as object), compaction: { ...compaction, after: placed } };
  demandOutcome(outcome);
  if (outcome.kind === "unchanged") return outcome;
  const restored = withWires(outcome.compaction, transcript);
  return { kind: "compacted", compaction: reachTo(restored, wholeWire(messages, restored.covered), transcript, chain) };
}

/** A list without holes: one with them can be short to write down and endless to go through. */
function isDense(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && Object.keys(value).length === value.length;
}

/** Messages that the map calls kept are the very objects; those it calls edited remember the bytes they were. */
function withWires(compaction: Compaction, { system, messages }: Transcript): Compaction {
  const own = new Set(messages);
  const after = compaction.after.map((message) => (own.has(message) ? message : unwired(message)));
  compaction.map.forEach((destination, at) => {
    const original = messages[at];
    if (!("at" in destination) || original === undefined) return;
    const there = after[destination.at];
    if (there === undefined || there === original) return;
    if (destination.kind === "edited") after[destination.at] = wiredAs(there, original);
    else if (printMessage(there) === printMessage(unwired(original))) after[destination.at] = original;
  });
  const before = compaction.system?.map((message, at) => wiredAs(unwired(message), system[at]));
  return { ...compaction, after, ...(before === undefined ? {} : { system: before }) };
}

function unwired(message: Message): Message {
  const { wire: _, ...rest } = message;
  return Object.freeze(rest);
}

function wiredAs(message: Message, original: Message | undefined): Message {
  return original?.wire === undefined ? message : Object.freeze({ ...message, wire: original.wire });
}
