/** What an operator can see of the kept conversations, and what can be done to one: what both doors, command line and HTTP, call. */
import type { Runtime } from "./contract.ts";
import type { CompactionReport, Destination, Irreducible } from "../core/compaction/compaction.ts";
import type { SessionThreshold } from "../core/engines/settings.ts";
import type { SacredZoneStatistics } from "../core/engines/sacred-zone/sacred-zone.ts";
import type { Message, Origin, Role } from "../core/transcript/message.ts";
import type { ProtocolName } from "../core/protocols.ts";
import type { Cooldown } from "./cooldowns.ts";
import type { Pin, PinRequest } from "./pins.ts";
import type { CompactionTiming, TenantsWindow, WindowChoice, WindowInUse } from "./timing.ts";
import type { Original, TenantEntry, UsageEntry } from "../store/store.ts";

/** What a session was until it restarted from a summary, kept as a session of its own. */
export interface Archive {
  readonly session: string;
  readonly messages: number;
  readonly createdAt: number;
}

export interface HiddenResult {
  readonly id: string;
  /** Of its message, from 1. */
  readonly number: number;
  readonly label: string;
  /** When it was hidden, in milliseconds since the epoch, where the engine keeps that. */
  readonly at?: number;
}

export interface EngineFigures {
  readonly name: string;
  /** Of `sacred-zone`: what its compactions saved, and the provider's cache. */
  readonly statistics?: SacredZoneStatistics;
  /** In the order of their messages. */
  readonly hidden: readonly HiddenResult[];
}

export interface SessionSummary {
  readonly tenant: string;
  readonly id: string;
  /** What its first request says, without secrets; empty where no person spoke. */
  readonly title: string;
  /** The model that was asked last, where an answer reported usage. */
  readonly model?: string;
  readonly messages: number;
  /** What its last request took, as the provider reported it, or an estimate of what would go out. */
  readonly tokens: number;
  readonly tokensAre: "reported" | "estimated";
  /** The model's window and where that comes from, where the model is known. */
  readonly window?: WindowInUse;
  /** What its requests cost, by their reported usage and the model's prices; absent where no price is known. */
  readonly spendUsd?: number;
  readonly compactedBy?: string;
  /** The newest compaction that was not undone. */
  readonly lastCompaction?: { readonly at: number; readonly tokens: CompactionReport["tokens"] };
  readonly compactions: number;
  /** The newest was undone: nothing compacts it by itself until an overflow or an explicit compaction. */
  readonly undone: boolean;
  /** From how many tokens on it is compacted, and why it is not yet; absent where no gateway has answered it since. */
  readonly timing?: CompactionTiming;
  /** Models that failed when they were to write its handoffs, and until when they are not asked. */
  readonly resting: readonly Cooldown[];
  /** Sessions that left this one. */
  readonly branches: number;
  /** What this session was before each restart from a summary, the oldest first; these are not counted as branches. */
  readonly archives: readonly Archive[];
  /** The session that this one is an archive of. */
  readonly archiveOf?: string;
  readonly parent?: string;
  /** How many messages it shares with its parent. */
  readonly forkedAt?: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface CompactionShown {
  readonly covered: number;
  readonly undone: boolean;
  /** It is what the next request goes out with. */
  readonly stands: boolean;
  readonly createdAt: number;
  readonly report: CompactionReport;
}

export interface MessageShown {
  readonly number: number;
  readonly role: Role;
  readonly tokens: number;
  readonly text: string;
  /** Calls by tool and target. */
  readonly calls: readonly string[];
}

export interface SessionShown extends SessionSummary {
  /** From where on it is compacted, where a person set that for this session. */
  readonly threshold?: SessionThreshold;
  readonly protocol?: ProtocolName;
  /** Tokens of a whole request on the provider's scale: with the conversation as the client knows it, and as it would go out. */
  readonly estimate: { readonly original: number; readonly sent: number };
  readonly sentMessages: number;
  readonly history: readonly CompactionShown[];
  /** Absent where nothing was compacted and no engine has been at work. */
  readonly engine?: EngineFigures;
  readonly tail: readonly MessageShown[];
}

export interface RequestUsage extends Pick<
  UsageEntry,
  "model" | "at" | "input" | "output" | "cacheRead" | "cacheWrite"
> {
  readonly message: number;
  readonly costUsd?: number;
}

/** What fills the context of a session; tokens are those of whole requests, estimated on the scale of the newest that was reported. */
export interface ContextView {
  /** Absent where no answer has named a model yet. */
  readonly windowTokens?: number;
  /** From how many tokens on it is compacted; absent where no gateway has answered it since. */
  readonly thresholdTokens?: number;
  /** What providers reported of its requests, oldest first; `message` is the number of the last message of the request. */
  readonly requests: readonly RequestUsage[];
  /** After each message, as the client knows the conversation. */
  readonly original: readonly number[];
  /** After each message, with the compactions in effect. */
  readonly sent: readonly number[];
  /** The largest first, adding up to the last of `original`; system prompt and tools are one without messages. */
  readonly fills: readonly {
    readonly role: Role;
    readonly tool?: string;
    readonly messages: number;
    readonly tokens: number;
  }[];
  /** `at` is the number of the last message that a compaction replaces, `since` that of the first request that went out with it. */
  readonly compactions: readonly {
    readonly at: number;
    readonly since: number;
    readonly undone: boolean;
    readonly tokens: CompactionReport["tokens"];
  }[];
}

/** Some of many messages: from a number on, counted from 1. */
export interface Page {
  readonly from: number;
  readonly count: number;
}

export interface PartShown {
  readonly kind: "text" | "thinking" | "call" | "result" | "media";
  readonly text: string;
  /** How long it is in full, where `text` is only its beginning. */
  readonly chars?: number;
  /** The tool, of a call and of its result. */
  readonly tool?: string;
  readonly failed?: true;
}

export interface MessageInFull {
  readonly number: number;
  readonly role: Role;
  readonly tokens: number;
  readonly parts: readonly PartShown[];
}

/** A compaction that was made and not applied. It can be applied for ten minutes. */
export interface CompactionPreview {
  readonly kind: "preview";
  readonly session: string;
  readonly preview: string;
  readonly report: CompactionReport;
}

/** A compaction message by message. */
export interface CompactionView {
  readonly report: CompactionReport;
  /** What became of every message that it covers. */
  readonly map: readonly Destination[];
  /** The text of the handoff; absent where none was written. */
  readonly handoff?: string;
  /** What became of each message, of those that were asked for; `recall` leads to its original. */
  readonly before: readonly (MessageShown & { readonly became: Destination; readonly recall?: string })[];
  readonly after: readonly (MessageShown & { readonly origin?: Origin })[];
}

export type CompactResult =
  | { readonly kind: "compacted"; readonly session: string; readonly report: CompactionReport }
  | {
      readonly kind: "unchanged";
      readonly session: string;
      readonly because: string;
      readonly irreducible?: Irreducible;
    };

export interface UndoResult {
  readonly session: string;
  /** The report of the compaction that was taken back. */
  readonly undone: CompactionReport;
  /** The one before it, which is in effect again. */
  readonly standing?: CompactionReport;
}

/** From where on a session is compacted now. */
export interface ThresholdResult {
  readonly session: string;
  /** What is set for it; absent where the configuration decides. */
  readonly set?: SessionThreshold;
  readonly thresholdTokens: number;
  /** Its newest compaction was undone: the threshold holds again after an explicit compaction or an overflow. */
  readonly undone?: true;
}

export interface SessionPins {
  readonly session: string;
  readonly pins: readonly Pin[];
}

export interface ForkResult {
  readonly session: string;
  readonly parent: string;
  readonly messages: number;
}

export const SYNTHETIC_CHOICES = ["mark", "drop", "keep"] as const;

export interface ExportOptions {
  /** The conversation's own by default. */
  readonly to?: ProtocolName;
  /** One array, or a message a line. */
  readonly form: "json" | "jsonl";
  /** As it would be sent; otherwise as the client knows it, without anything of ours. */
  readonly compacted: boolean;
  /** What precis wrote: labelled with `precis_origin`, left out with what it replaced put back where it was only shortened, or as it is sent. */
  readonly synthetic: (typeof SYNTHETIC_CHOICES)[number];
  /** Secrets are masked unless the very bytes are wanted. */
  readonly secrets: "mask" | "keep";
}

export interface Exported {
  readonly session: string;
  readonly protocol: ProtocolName;
  readonly text: string;
  readonly messages: number;
  /** Of these, labelled or kept. */
  readonly synthetic: number;
}

export type FoundOriginal =
  | {
      readonly kind: "message";
      readonly tenant: string;
      readonly session: string;
      readonly number: number;
      readonly role: Role;
      /** The recall id of the original that it left the conversation with, where it left. */
      readonly recall?: string;
      readonly text: string;
      readonly missing: readonly string[];
    }
  | {
      readonly kind: "original";
      readonly tenant: string;
      readonly id: string;
      readonly label: string;
      readonly number?: number;
      readonly role?: Role;
      readonly text: string;
      readonly missing: readonly string[];
    };

/** Which session is meant: its id or the unique beginning of one, of one tenant or of any. */
export interface Which {
  readonly tenant: string | undefined;
  readonly id: string;
}

export interface SearchQuery {
  readonly tenant: string | undefined;
  readonly words: string;
  readonly session?: string;
  readonly limit: number;
}

export interface CompactHow {
  /** Only these messages, by their numbers: `12`, `12-30`. */
  readonly messages?: string;
  readonly focus?: string;
  /** Size of the result in tokens, given those of the conversation; by the settings where not given. */
  readonly budget?: (tokens: number) => number;
  readonly signal?: AbortSignal;
}

export interface ForkHow {
  /** The message it leaves after, from 1; the last one by default. */
  readonly at?: number;
  readonly name?: string;
}

export type SessionTools = Pick<Runtime, "tools" | "callTool">;

export interface EngineToolsScope {
  /** Whether an original may be read; all of the tenant's where not given. */
  readonly reads?: (id: string) => Promise<boolean>;
}

/** Calls about one session reject with `unknown_session` or `ambiguous_session`; all with what docs/store.md lists. */
export interface History {
  readonly tenants: () => Promise<readonly TenantEntry[]>;
  /** Windows that refusals revealed and that are remembered, the newest first. */
  readonly windows: (choice: WindowChoice) => Promise<readonly TenantsWindow[]>;
  /** Forgets these. A running gateway goes by the windows that were known before from its next requests on. */
  readonly forgetWindows: (choice: WindowChoice) => Promise<readonly TenantsWindow[]>;
  /** Newest first; the first `offset` are left out. */
  readonly list: (tenant: string | undefined, limit: number, offset?: number) => Promise<readonly SessionSummary[]>;
  readonly show: (which: Which, tail: number) => Promise<SessionShown>;
  readonly context: (which: Which) => Promise<ContextView>;
  /** Messages part by part; those that there are of the page. */
  readonly read: (which: Which, page: Page) => Promise<readonly MessageInFull[]>;
  /** `number` counts those of `show` from 1. @throws PrecisError `unknown_compaction`. */
  readonly compaction: (which: Which, number: number, page?: Page) => Promise<CompactionView>;
  /** What `compact` would make now. Nothing is kept but in memory. */
  readonly preview: (which: Which, how: CompactHow) => Promise<CompactionPreview | CompactResult>;
  /** The preview message by message. @throws PrecisError `unknown_preview`. */
  readonly showPreview: (which: Which, preview: string, page?: Page) => Promise<CompactionView>;
  /**
   * The preview with another text as its handoff, as a preview of its own. @throws PrecisError `unknown_preview`, `bad_handoff`.
   */
  readonly editPreview: (which: Which, preview: string, handoff: string) => Promise<CompactionPreview>;
  /** Applies exactly what was shown. @throws PrecisError `unknown_preview`. */
  readonly applyPreview: (which: Which, preview: string) => Promise<CompactResult>;
  /** An explicit compaction now: the conversation's next request goes out with it. It also lifts an undo. */
  readonly compact: (which: Which, how: CompactHow) => Promise<CompactResult>;
  /** Drops these messages; `recall` has them, and undo brings them back. @throws PrecisError `bad_range`, `pinned`. */
  readonly drop: (which: Which, messages: string) => Promise<CompactResult>;
  /** Takes the newest compaction back; undefined where none is. */
  readonly undo: (which: Which) => Promise<UndoResult | undefined>;
  /**
   * Sets from where on this session is compacted, or with undefined leaves that to the configuration again. A running gateway
   * on the same store keeps to it from its next request on, unless an undo holds compaction back. @throws PrecisError `bad_threshold`.
   */
  readonly setThreshold: (which: Which, threshold: SessionThreshold | undefined) => Promise<ThresholdResult>;
  readonly pins: (which: Which) => Promise<SessionPins>;
  /** @throws PrecisError `bad_range`, `bad_pin`, `too_many_pins`. */
  readonly pin: (which: Which, what: PinRequest) => Promise<SessionPins>;
  /** @throws PrecisError `unknown_pin`. */
  readonly unpin: (which: Which, id: string) => Promise<SessionPins>;
  /** @throws PrecisError `session_exists`, `bad_fork`. */
  readonly fork: (which: Which, how: ForkHow) => Promise<ForkResult>;
  readonly export: (which: Which, options: ExportOptions) => Promise<Exported>;
  /** Its messages as its client knows them, secrets and all. */
  readonly messages: (which: Which) => Promise<readonly Message[]>;
  /** The tools of its engine, and what a call of one is answered; of no session, what a new one would have. */
  readonly engineTools: (which: Which | undefined, scope?: EngineToolsScope) => Promise<SessionTools>;
  readonly recall: (tenant: string | undefined, id: string) => Promise<Original | undefined>;
  /** Messages and removed originals that hold the words, best first, each place once; texts are without secrets. */
  readonly search: (query: SearchQuery) => Promise<readonly FoundOriginal[]>;
}
