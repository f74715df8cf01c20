/**
 * What an engine is: a pure reducer over plain state, with one effect handed in. State lives in the store, so a
 * restart, a second replica or a rewind resumes exactly.
 */
import type { Compaction, CompactionReason, Irreducible } from "../compaction/compaction.ts";
import type { Writers } from "../handoff/model/writer.ts";
import type { EngineSettings } from "./settings.ts";
import type { RedactOptions } from "../redaction/redact.ts";
import type { Chain } from "../transcript/links.ts";
import type { Measure } from "../transcript/measure.ts";
import type { Transcript } from "../transcript/message.ts";

/** Tokens as a provider reported them for one request. `input` includes what was read from and written to the cache. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export type Decision =
  | { readonly kind: "none"; readonly because?: string }
  | {
      readonly kind: "compact";
      readonly reason: CompactionReason;
      readonly urgency: "soon" | "now";
      /** For the report. */
      readonly because?: string;
    };

/** What an engine works with beside the transcript. */
export interface Estimator {
  readonly measure: Measure;
  readonly chain: Chain;
}

/** A provider's own compaction: one item that only the provider can read. Rejects where it fails. */
export type Remote = (transcript: Transcript, signal?: AbortSignal) => Promise<RemoteItem>;

export interface RemoteItem {
  /** The item's own `type`. */
  readonly type: string;
  /** Its JSON text, sent back byte for byte. */
  readonly raw: string;
  /** The model that made it. */
  readonly model?: string;
  /** What it took, where the provider says so; `costUsd` where the model's price is known. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number; readonly costUsd?: number };
}

export interface CompactRequest extends Estimator {
  readonly reason: CompactionReason;
  /** A topic that gets 60 to 70 % of the handoff (Zhang 2026, section 12). */
  readonly focus?: string;
  /** What is sent today, where an earlier compaction is: savings are counted from it. */
  readonly standing?: Transcript;
  /** Size of the whole result in tokens: system, tools, messages, flat images. Overrides the documented minimums. */
  readonly budget?: number;
  /** A compaction that frees fewer tokens than this is not worth making: the conversation stays as it is. */
  readonly freesTokensMin?: number;
  /** The models that may write the handoff; where not given, code writes it. */
  readonly writers?: Writers;
  /** Reads a file of the agent's again, by the path that the agent named; undefined where it cannot be read. */
  readonly readFile?: (path: string, signal?: AbortSignal) => Promise<string | undefined>;
  /** Has the provider compact what is sent now; where it fails or is not given, the handoff is written here. */
  readonly remote?: Remote;
  /** The session's time, in milliseconds since the epoch; absent where there is no clock. */
  readonly now?: number;
  /** What is added to redaction, which is never off: further rules, source spared. One object for a session, so that answers are remembered. */
  readonly secrets?: RedactOptions;
  /** The host's: an abort rejects the compaction with its reason, and nothing has changed. */
  readonly signal?: AbortSignal;
}

/** How full the window is now: the last reported usage and an estimate of what came since, or an estimate of the whole. */
export interface ContextUsage {
  readonly tokens: number;
  readonly messages: number;
  /** Of the tokens, those of system prompt and tools; absent where nobody counted them. */
  readonly fixedTokens?: number;
}

/** In tokens; or what they are beside a fixed part (system prompt and tools) of so many. */
export type EngineFigure = number | ((fixedTokens: number) => number);

export interface Engine<State = unknown> {
  readonly name: string;
  /** From how many tokens on `decide` compacts, where one figure says it: a session's guard of the window leaves it that. */
  readonly triggerTokens?: EngineFigure;
  /** What a compaction brings a transcript down to and not below, where one figure says it: prices reckon with it. */
  readonly targetTokens?: EngineFigure;
  /** False where it never compacts by itself: nobody is told then that a compaction is near. */
  readonly compacts?: false;
  readonly init: () => State;
  readonly observe: (state: State, usage: Usage) => State;
  readonly decide: (state: State, usage: ContextUsage) => Decision;
  /** Compacts the client's own conversation: the originals, not an earlier result. */
  readonly compact: (state: State, transcript: Transcript, request: CompactRequest) => Promise<Outcome>;
  /** Tools that the model may be given. The same throughout a session: providers cache what follows them. */
  readonly tools?: (state: State) => readonly EngineTool[];
  /** Answers a call of one of them. Never rejects: what cannot be answered is an answer with `isError`. */
  readonly callTool?: (state: State, call: ToolCall, sources: Sources) => Promise<ToolAnswer>;
}

/** A tool as a model is told of it. */
export interface EngineTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ToolCall {
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly arguments: string;
}

/** Where the tools of an engine find what left the conversation, and how much they may answer. */
export interface Sources {
  /** What can be read of the original behind a recall id; undefined where there is none. */
  readonly original: (id: string) => Promise<string | undefined>;
  /** Tokens of an answer at most, by the core's estimate. */
  readonly tokensMax?: number;
  /** True once the time for this call is over: nothing further is read then. */
  readonly isLate?: () => boolean;
  /** Compiles a regular expression in RE2 syntax; absent where the host has no engine for it whose time is bounded. */
  readonly pattern?: (text: string) => Promise<LinePattern | PatternFault>;
  /** Has a model answer a prompt; undefined where none answered. Absent where there is no model. */
  readonly ask?: (prompt: ToolPrompt) => Promise<string | undefined>;
}

export interface LinePattern {
  /** Indexes of the lines that it matches, in order, as far as there is time. */
  readonly matching: (lines: readonly string[]) => Promise<readonly number[]>;
}

/** Why a text is not a pattern, and how its author can fix it. */
export interface PatternFault {
  readonly fault: string;
}

export interface ToolPrompt {
  readonly system: string;
  readonly user: string;
  readonly maxOutputTokens: number;
}

export interface ToolAnswer {
  readonly text: string;
  /** What in the text is original, word for word, and behind which id it is. */
  readonly quotes: readonly Quote[];
  readonly isError?: true;
}

export interface Quote {
  readonly id: string;
  readonly text: string;
}

/** A smaller valid transcript, or the reason why there is none. */
export type Outcome =
  | { readonly kind: "compacted"; readonly compaction: Compaction }
  | {
      readonly kind: "unchanged";
      readonly because: string;
      readonly irreducible?: Irreducible;
      /** The engine's state after the attempt; absent where it was not asked. */
      readonly state?: unknown;
    };

/** An engine as a session has it: one that lives in another thread decides in its own time. */
export interface ExternalEngine extends Omit<Engine, "decide"> {
  readonly decide: (state: unknown, usage: ContextUsage) => Decision | Promise<Decision>;
}

/** Where a session has an engine from that is not built in. It is asked again whenever the model's window changes. */
export interface EngineSource {
  readonly name: string;
  readonly make: (settings: EngineSettings) => ExternalEngine;
}
