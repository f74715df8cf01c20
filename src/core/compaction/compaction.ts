/**
 * A compaction is data: what was planned, what stands now, where each old message went, and what can be fetched back.
 * The audit trail, the diff view, undo and the tests all read this one object. Applying it is pure.
 */
import type { Message, Transcript } from "../transcript/message.ts";

export const COMPACTION_SCHEMA_VERSION = 1;

/** Why a compaction ran. */
export type CompactionReason = "threshold" | "hygiene" | "overflow" | "payload" | "explicit" | "budget";

/** Something that left the transcript, under the id that the compacted context shows. */
export interface Evicted {
  readonly id: string;
  /** `result`: a tool result's text; `arguments`: a call's JSON; `media`: an image or file; `span`: whole messages. */
  readonly kind: "result" | "arguments" | "media" | "text" | "span";
  /** Index of the (first) message in the original conversation. */
  readonly message: number;
  /** Index after the last message, for a span. */
  readonly end?: number;
  /** The original bytes, for everything but a span (whose bytes are those of its messages). */
  readonly original?: string;
  /** One line for a person: the tool and its target. */
  readonly label: string;
}

/** Where an old message went: it stands unchanged at an index of `after`, was rewritten there, or went into the summary. */
export type Destination =
  | { readonly kind: "kept"; readonly at: number }
  | { readonly kind: "edited"; readonly at: number }
  | { readonly kind: "summarised" };

/** Why a transcript cannot be made small enough; all figures in tokens. */
export interface Irreducible {
  readonly limit: number;
  readonly smallest: number;
  readonly because: string;
}

export interface CompactionReport {
  readonly engine: string;
  readonly reason: CompactionReason;
  readonly tokens: { readonly before: number; readonly after: number };
  readonly messages: {
    readonly before: number;
    readonly after: number;
    readonly kept: number;
    readonly edited: number;
    readonly summarised: number;
  };
  /** Tokens by part of the result. */
  readonly parts: {
    readonly system: number;
    readonly tools: number;
    readonly head: number;
    readonly handoff: number;
    readonly anchor: number;
    readonly tail: number;
  };
  /** The rung of the ladder that sufficed: 0 none needed. */
  readonly rung: number;
  /** Set when even the smallest result exceeds the budget. */
  readonly irreducible?: Irreducible;
  /** Why the result is poorer than it should be, one line each; empty when it is not. */
  readonly degraded: readonly string[];
  /** Recall ids, in order of appearance. */
  readonly recall: readonly string[];
  /** What neither the result holds nor a recall id shown in it leads to directly. */
  readonly lost: { readonly paths: number; readonly identifiers: number; readonly examples: readonly string[] };
  readonly modelCalls: number;
  readonly costUsd: number;
}

export interface Compaction {
  readonly schemaVersion: typeof COMPACTION_SCHEMA_VERSION;
  /** The messages that replace `messages[0 .. covered)`; the rest of the conversation follows untouched. */
  readonly after: readonly Message[];
  /** How many messages of the original conversation `after` replaces. */
  readonly covered: number;
  /** The link of the last replaced message, in the client's own chain. */
  readonly covers: string;
  /** Replaces the leading system prompt where the engine notes the rewrite there. */
  readonly system?: readonly Message[];
  /** One entry a covered message. */
  readonly map: readonly Destination[];
  readonly evicted: readonly Evicted[];
  /** The engine's state after this compaction: plain, serialisable. */
  readonly state: unknown;
  readonly report: CompactionReport;
}

/** The transcript with the compaction in place of the prefix it covers. */
export function applyCompaction(transcript: Transcript, compaction: Compaction): Transcript {
  return {
    ...transcript,
    system: compaction.system ?? transcript.system,
    messages: [...compaction.after, ...transcript.messages.slice(compaction.covered)],
  };
}
