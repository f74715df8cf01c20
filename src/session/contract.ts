/** What a session is to its host: options, hooks, calls and what they answer. */
import type { CachePrices, Schedule } from "../core/caching/schedule.ts";
import type { Compaction, CompactionReason, CompactionReport, Irreducible } from "../core/compaction/compaction.ts";
import type { EngineSettings } from "../core/engines/settings.ts";
import type {
  CompactRequest,
  Engine,
  EngineSource,
  EngineTool,
  Outcome,
  Remote,
  ToolAnswer,
  ToolCall,
  Estimator,
} from "../core/engines/contract.ts";
import type { Writer, Writers } from "../core/handoff/model/writer.ts";
import type { Chain } from "../core/transcript/links.ts";
import type { RedactOptions } from "../core/redaction/redact.ts";
import type { Message, Transcript } from "../core/transcript/message.ts";
import type { ProtocolName } from "../core/protocols.ts";
import type { ReportedUsage } from "../protocols/index.ts";
import type { Store } from "../store/store.ts";
import type { DisabledEngine, Events, SharedAhead, SharedBudget } from "./events.ts";
import type { RemovedResult } from "./receipt.ts";
import type { Pin, PinRequest } from "./pins.ts";
import type { RecallChoice, RecallHit } from "./recall/search.ts";
import type { Summarize } from "./summarize.ts";
import type { SessionCaching } from "./markers.ts";
import type { SpendLimit, SummarizerState } from "./summarizer.ts";
import type { CompactionTiming, Room, WindowInUse, WindowOrigin } from "./timing.ts";

export interface RuntimeOptions {
  /**
   * The name of a built-in or a registered engine (default `compressor`), what `loadEngine` of `precis/plugins` answered, or
   * an engine of your own. One that is not built in is held to its contract, and disabled where it breaks it.
   */
  readonly engine?: string | Engine | EngineSource;
  readonly settings?: Partial<EngineSettings>;
  /** What holds for one model in place of `engine` and `settings`; its engine is that of conversations that begin with it. */
  readonly perModel?: (model: string) => ModelPolicy | undefined;
  /** False: nothing compacts by itself, hygiene included; an explicit call still works. */
  readonly enabled?: boolean;
  readonly store?: Store;
  readonly tenant?: string;
  readonly model?: string;
  /** What the model's tokens are to our estimates, where it was learnt before; a start by the model's name otherwise. */
  readonly factor?: number;
  /** What an image is counted as, before `factor`; 1,600 by default. */
  readonly imageTokens?: number;
  /** Shared by the sessions of one process, so that a message is hashed once. */
  readonly chain?: Chain;
  readonly hooks?: Hooks;
  /** The models that may write handoffs; code alone where not given. Hygiene never waits for one. */
  readonly writers?: Pick<Writers, "auxiliary" | "main">;
  /** Has the provider compact, for engines that let it. Its item goes to that provider only: give it where every request does. */
  readonly remote?: Remote;
  /** What the session may spend on them. */
  readonly spendLimit?: Partial<SpendLimit>;
  /** What the session shares with others of the same owner; asked before a model is, beside `spendLimit`. */
  readonly sharedBudget?: SharedBudget;
  /** How long one compaction waits for either of them, in milliseconds. */
  readonly handoffWaitMs?: number;
  /** The clock, in milliseconds since the epoch. */
  readonly now?: () => number;
  /** Reads a file of the agent's again, by the path that the agent named, for engines that put files back. */
  readonly readFile?: NonNullable<CompactRequest["readFile"]>;
  /** Rules added to redaction, for example by `loadSecretRules` of `precis/secrets`. Our own rules are never off. */
  readonly secrets?: RedactOptions;
  /**
   * True: models write only what `ahead` compacts. `prepare` and `recover` wait for none, and leave a compaction that is
   * due and not yet pressing to be made ahead. Default false.
   */
  readonly modelsAhead?: boolean;
  /**
   * True: `ahead` is given the main model or the provider's compaction with each call, so what is due and not yet pressing can
   * wait for it. Default false.
   */
  readonly mainAhead?: boolean;
  /** Keeps what is made ahead where other processes that hold the same conversation find it. In memory alone by default. */
  readonly sharedAhead?: SharedAhead;
  /** What the provider's cache costs, and what picks the moment of a compaction. Asked at every decision. */
  readonly economy?: () => Economy | undefined;
  /** Tool results above this many tokens are digested as they arrive; 0, the default, leaves them. */
  readonly ingestLimitTokens?: number;
  /** Has the last word on a compaction before it is recorded. */
  readonly amend?: (compaction: Compaction, original: Transcript, estimator: Estimator) => Compaction;
  /** Whether `tools()` has the recall tool from the first compaction on; default `{ tool: "on" }`. */
  readonly recall?: { readonly tool: "on" | "off" };
  /** Whether the model may start a compaction itself, with the tool that `tools()` then has; default `{ tool: "off" }`. */
  readonly compactTool?: CompactToolOptions;
  /** Whether the model can ask how much room it has, with a tool that `tools()` then has; default `{ tool: "off" }`. */
  readonly roomTool?: { readonly tool: "on" | "off" };
  /** True: secrets are masked in everything `prepare` answers with, not only in handoffs. Default false. */
  readonly redactOutgoing?: boolean;
  /** What `state()` gave in an earlier process. */
  readonly state?: RuntimeState;
}

/** What a host sets for the conversations of one model. */
export interface ModelPolicy extends Pick<EngineSettings, "sessionThreshold" | "keepRecentTokens"> {
  readonly engine?: NonNullable<RuntimeOptions["engine"]>;
}

/** How a compaction is made ahead. */
export interface MakingAhead extends WaitingForMain {
  /** True: it is made however little the conversation weighs, because it was decided elsewhere. Default false. */
  readonly decided?: boolean;
}

export interface CompactToolOptions {
  readonly tool: "on" | "off";
  /** Its call is refused below this share of the threshold; default 0.5. */
  readonly fromShare?: number;
}

export interface SessionOptions extends RuntimeOptions {
  /** The protocol of the requests; default `openai-chat`. */
  readonly protocol?: ProtocolName;
  /**
   * Has a model write the handoffs: one by its name, as the configuration has it, or with where it is reached; the main model
   * behind the conversation, by a function that sends a request as the host sends its own; or a writer of one's own.
   */
  readonly summarize?: Summarize;
  /** Sets cache markers on what is to be sent; off where not given. */
  readonly caching?: SessionCaching;
}

export interface Economy {
  readonly schedule: Schedule;
  readonly prices: CachePrices;
  /** How long what was sent stays in the cache, in milliseconds. */
  readonly ttlMs: number;
  readonly addsTool?: boolean; // With its first compaction a conversation gets a tool, before all that is cached.
}

export interface Hooks {
  /** The host saves what must outlive the rewrite; awaited. */
  readonly beforeCompact?: (messages: readonly Message[]) => void | Promise<void>;
  readonly afterCompact?: (compaction: Compaction, change: Change) => void | Promise<void>;
}

export interface Change {
  /** Tool results that the model no longer sees in full. */
  readonly noLongerVisible: readonly RemovedResult[];
  /** Links of the conversation before and after, for a host that splits sessions at a compaction. */
  readonly parent: string;
  readonly child: string;
}

/** Plain data; survives JSON. An unknown `schemaVersion` is ignored. */
export interface RuntimeState {
  readonly schemaVersion: number;
  readonly engine: unknown;
  readonly contextLength: number;
  /** Absent in states of earlier versions. */
  readonly window?: WindowInUse;
  /** For a reader: the next request says it again. Absent in states of earlier versions. */
  readonly maxOutputTokens?: number;
  /** System prompt and tools of its last request. Absent in states of earlier versions. */
  readonly fixedTokens?: number;
  readonly factor: number;
  readonly pressed: boolean;
  readonly lastCovers: string | undefined;
  readonly compactions: number;
  readonly savedTokens: number;
  /** Absent in states of earlier versions. */
  readonly summarizer?: SummarizerState;
  /** For a reader: a session that resumes decides again. */
  readonly timing?: CompactionTiming;
}

/** A call that may have to wait for a model. */
export interface Waiting {
  /** Ends the wait: the call rejects with the signal's reason, and nothing has changed. */
  readonly signal?: AbortSignal;
}

/** A call that brings the main model along, as this very conversation reaches it. */
export interface WaitingForMain extends Waiting {
  /** Replaces `writers.main` in this call alone. */
  readonly main?: Writer;
  /** Replaces `remote` in this call alone. */
  readonly remote?: Remote;
}

export interface Prepared {
  /** What to send. */
  readonly transcript: Transcript;
  /** Set when this call compacted. */
  readonly compaction?: Compaction;
  /** Tokens of what would have gone out without it. */
  readonly dueTokens?: number;
  /** True where that compaction was made before it was due. */
  readonly ahead?: true;
  /** Tokens of what to send, as well as they are known. */
  readonly tokens: number;
  /** Tokens of what came. */
  readonly before: number;
  /** What to send is not what came: a compaction is in it, or results were digested as they arrived. */
  readonly compacted: boolean;
  /** A compaction is in it: from now on the recall tool can be offered without a loss of what the provider cached. */
  readonly recallable: boolean;
  /** Requests of the user that what to send may be missing: the compaction in it left them out, and they can be recalled. */
  readonly lostRequests: number;
  /** Set where a compaction was due and refused: nothing smaller is possible, or nothing that keeps every request. */
  readonly irreducible?: Irreducible;
  /** What to send leaves room for the answer, as well as that is known. */
  readonly fits: boolean;
  /** The threshold is near or passed and nothing is made ready: `ahead` is worth calling while there is time. */
  readonly soon: boolean;
  /**
   * The usage a provider reported for this very request, whatever was prepared since.
   *
   * @throws PrecisError `bad_usage` for what holds no number of input tokens.
   */
  readonly observe: (usage: ReportedUsage) => void;
}

export interface CompactOptions extends Waiting {
  /** Only these messages, by their numbers (`12`, `12-30`): their results become digests. The other options do not count then. */
  readonly messages?: string;
  readonly focus?: string;
  /** Size of the result in tokens. */
  readonly budget?: number;
  readonly reason?: CompactionReason;
  /** What speaks for this moment; goes into the report. */
  readonly because?: string;
  /** Compact although there is room. Default true: an explicit call means it. */
  readonly force?: boolean;
}

export interface RuntimeReport {
  readonly engine: string;
  readonly compactions: number;
  readonly savedTokens: number;
  readonly tokens: number;
  /** The window that it works with, and where that comes from: a setting, the model's name, or a refusal that revealed it. */
  readonly window: WindowInUse;
  /** From how many tokens on the conversation is compacted, and why it is not yet. */
  readonly timing: CompactionTiming;
  /** How much of the window is left; only with `roomTool`. */
  readonly room?: Room;
  readonly thresholdTokens: number;
  readonly last?: CompactionReport;
  /** The engine that was disabled, where one was; `engine` is the one that took its place. */
  readonly disabledEngine?: DisabledEngine;
}

/** A model's call of a tool, as its provider says it. */
export interface GivenToolCall extends Omit<ToolCall, "arguments"> {
  /** JSON text, as OpenAI has it, or an object, as Anthropic's `input` and Gemini's `args` are. */
  readonly arguments: string | object;
}

/** What a call of an engine's tool may take. */
export interface ToolBounds {
  /** Tokens of the answer at most; the engine's own bound holds too. */
  readonly tokensMax?: number;
  /** How long originals are read, in milliseconds; what was read by then is the answer. */
  readonly waitMs?: number;
  /** How long a model may take that a tool has read originals, in milliseconds. */
  readonly modelWaitMs?: number;
}

export interface Runtime {
  /**
   * What to send for a conversation, compacted where that is due. Tokens are of the model, as well as they are known.
   *
   * @throws PrecisError of the store (docs/store.md); the signal's reason where it aborts; what a hook throws.
   */
  readonly prepare: (transcript: Transcript, waiting?: WaitingForMain) => Promise<Prepared>;
  /**
   * Compacts now, whatever the threshold says; `unchanged` says why where nothing smaller came out.
   *
   * @throws PrecisError `bad_options` for options out of range, and of the store; the signal's reason where it aborts; what
   * a hook throws.
   */
  readonly compact: (
    transcript: Transcript,
    options?: CompactOptions & WaitingForMain,
  ) => Promise<Outcome & { readonly transcript: Transcript }>;
  /**
   * The usage a provider reported for what `prepare` answered last: its usage object as it is, or the whole response.
   *
   * @throws PrecisError `bad_usage` for what holds no number of input tokens; the session is then as it was.
   */
  readonly observe: (usage: ReportedUsage) => void;
  /**
   * What to send with the compaction in effect for it, if any; nothing is decided.
   *
   * @throws PrecisError of the store.
   */
  readonly standing: (transcript: Transcript) => Promise<Prepared>;
  /**
   * Makes the next compaction before it is due and keeps it in memory; `prepare` records it and puts it in place when it is
   * due and the conversation still begins with what it covers. False where there is nothing to make, or it is made already.
   *
   * @throws PrecisError of the store (docs/store.md); the signal's reason where it aborts; what a hook throws.
   */
  readonly ahead: (transcript: Transcript, how?: MakingAhead) => Promise<boolean>;
  /**
   * Whatever was caught: an `APIError` of the OpenAI or the Anthropic SDK, an `APICallError` or `RetryError` of the AI SDK,
   * a `Response` (read from a copy), `{ status, body }`, or an error that has one of them as its cause. Undefined where
   * it reports no overflow, and where nothing smaller is possible than what `prepare` gave.
   *
   * @throws PrecisError of the store (docs/store.md); the signal's reason where it aborts; what a hook throws.
   */
  readonly recover: (error: unknown, transcript: Transcript, waiting?: WaitingForMain) => Promise<Prepared | undefined>;
  /**
   * For a conversation in which the item of a provider's own compaction cannot stay: compacted here, in place of that. Models
   * are asked only for an explicit call. Undefined where no such compaction is in effect, or nothing smaller is possible.
   *
   * @throws PrecisError of the store (docs/store.md); the signal's reason where it aborts.
   */
  readonly withoutRemote: (transcript: Transcript, asked: CompactOptions) => Promise<Prepared | undefined>;
  /**
   * The original behind a recall id, byte for byte, or messages of it; for anything else the places that hold the words,
   * best first, empty where there is none.
   *
   * @throws PrecisError `unknown_recall_id`, `bad_range` for messages that are not there, and of the store.
   */
  readonly recall: (idOrWords: string, choice?: RecallChoice) => Promise<readonly RecallHit[]>;
  /** Tools for the model: the engine's, the same throughout a session, or from the first compaction on the recall tool. */
  readonly tools: () => readonly EngineTool[];
  /** Answers a model's call of one of them. Never rejects. */
  readonly callTool: (call: GivenToolCall, bounds?: ToolBounds) => Promise<ToolAnswer>;
  /**
   * Takes the last compaction back; automatic compaction then rests until an overflow or an explicit call. False where
   * there is none.
   *
   * @throws PrecisError of the store.
   */
  readonly undo: () => Promise<boolean>;
  /**
   * Pins a message, a range of messages or a fact in this conversation: no compaction from now on summarises such a message,
   * and every handoff states the fact word for word.
   *
   * @throws PrecisError `bad_range`, `bad_pin`, `too_many_pins`, and of the store.
   */
  readonly pin: (transcript: Transcript, what: PinRequest) => Promise<Pin>;
  /** False where there is no such pin. @throws PrecisError of the store. */
  readonly unpin: (transcript: Transcript, id: string) => Promise<boolean>;
  /**
   * Drops messages by their numbers (`12`, `12-30`): whole exchanges go, and of one that is in the range only in part the
   * results. `recall` has them, `undo` brings them back, and later compactions are made without them.
   *
   * @throws PrecisError `bad_range`, `pinned`, and of the store; the signal's reason where it aborts.
   */
  readonly drop: (
    transcript: Transcript,
    what: Waiting & { readonly messages: string },
  ) => Promise<Outcome & { readonly transcript: Transcript }>;
  /** What is pinned in it. @throws PrecisError of the store. */
  readonly pins: (transcript: Transcript) => Promise<readonly Pin[]>;
  /** Figures are tokens. Never throws. */
  readonly report: () => RuntimeReport;
  /**
   * The host goes on with another model, or with another window, in tokens.
   *
   * @throws PrecisError `bad_options` for a window or a reserve that is no whole number of tokens.
   */
  readonly modelChanged: (model: {
    readonly model?: string;
    readonly contextLength: number;
    readonly maxOutputTokens?: number;
    /** Where the window comes from; a setting by default. */
    readonly window?: WindowOrigin;
  }) => void;
  readonly reset: () => void;
  readonly on: Events["on"];
  readonly state: () => RuntimeState;
  /**
   * What `state()` answered before refusals that turned out to say nothing: what they taught is gone again.
   *
   * @throws PrecisError `bad_options` for what is no such state.
   */
  readonly restore: (before: RuntimeState) => void;
}
