/** The words that the gateway's parts share: a request that arrived, what was done about it, and what is reported of it. */
import type { CacheEffect } from "../core/caching/effectiveness.ts";
import type { CompactionReason } from "../core/compaction/compaction.ts";
import type { Usage } from "../core/engines/contract.ts";
import type { ProtocolName } from "../core/protocols.ts";
import type { CompactionTiming, PostponedBy, WindowInUse } from "../session/timing.ts";
import type { ChatCommandName } from "./chat-commands/command.ts";
import type { HeldThread } from "./conversations/threads.ts";

/** Header lines as they are on the wire, in order; names in any case. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

export interface ClientRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: HeaderLines;
  /** The body's bytes as they come, still compressed where it is; `undefined` for a request that has none. */
  readonly body: AsyncIterable<Uint8Array> | undefined;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** Counts what the gateway makes of the body, as it counts the body itself; undefined where nobody counts that. */
  readonly load?: Load | undefined;
}

/** What the bodies of all requests under way may hold together. */
export interface Load {
  /** Counts bytes of one request, or says that they are too many. */
  readonly take: (bytes: number) => boolean;
  readonly release: (bytes: number) => void;
}

/** A body whose end may be held back: what is sent to the client, in order. */
export type Bytes = AsyncIterable<Uint8Array>;

export interface ClientResponse {
  readonly status: number;
  readonly headers: HeaderLines;
  readonly body: Bytes | Uint8Array | undefined;
}

/** What is done about a request. It may reject: a `PrecisError` is answered by its code, anything else with a 500. */
export type RequestHandler = (client: ClientRequest) => Promise<ClientResponse>;

/** Why a request went out as it came although it could have been looked at. */
export type UntouchedReason =
  /** The body cannot be read as its protocol's: the provider may say what is wrong with it. */
  | "unreadable"
  /** Not UTF-8, or larger than what is decoded. */
  | "not_text"
  | "too_large_to_read"
  /** The provider holds the history or a part of it. */
  | "held_by_provider"
  /** Thinking that is bound to its conversation comes after what would change. */
  | "bound_thinking"
  /** A thread of the provider is due for compaction: its client is asked for the whole conversation. */
  | "thread_replay"
  /** The client asks the model for a summary of its own. */
  | "client_compaction"
  /** Too long, and no compaction keeps every request of the user, as `compression.keep_requests: all` wants. */
  | "requests_kept"
  /** The store does not answer, or is full. */
  | "store_unavailable"
  /** Its tenant has used up what it may store. */
  | "tenant_store_full"
  /** The gateway has more to do than it can, so this request was not read. */
  | "overloaded"
  /** Something of ours failed. */
  | "internal_fault";

/** What the gateway did about a request. */
export type Treatment =
  /** Not a request for a model's answer. */
  | { readonly kind: "passed" }
  /** Read, and there is nothing to change. */
  | { readonly kind: "unchanged" }
  | { readonly kind: "untouched"; readonly because: UntouchedReason }
  /** A compaction replaces what it covers; `fresh` when it was made for this very request. */
  | ({ readonly kind: "rewritten"; readonly fresh: boolean; readonly tokens: TokenSizes } & LostRequests)
  /** A command in the conversation, answered here. */
  | { readonly kind: "command"; readonly name: ChatCommandName }
  /** What would have been done, where nothing is to be rewritten. */
  | ({ readonly kind: "observed"; readonly tokens: TokenSizes } & LostRequests);

export interface LostRequests {
  /** Requests of the user that the model may be missing, because the compaction had no room for them; absent where none. */
  readonly lostRequests?: number;
}

/** Tokens of the client's request and of what was sent. */
export interface TokenSizes {
  readonly before: number;
  readonly after: number;
}

/** How a request ended. */
export type Outcome =
  | "answered"
  /** By the provider, with an error status. */
  | "refused"
  /** By the gateway: a limit, or no such route. */
  | "turned_away"
  /** The client left before the end. */
  | "aborted"
  /** The provider could not be reached, or its answer broke off. */
  | "upstream_failed";

/** What is reported of a request when it is over. Never content, never a credential. */
export interface RequestEvent {
  readonly kind: "request";
  readonly id: string;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly protocol: ProtocolName | undefined;
  readonly upstream: string;
  /** A configured name, or a hash of the credential. */
  readonly tenant: string;
  readonly model: string;
  readonly status: number;
  readonly streamed: boolean;
  readonly outcome: Outcome;
  /** Why its provider did not answer, or not to the end: our code, and what the connection reported. */
  readonly failure?: string | undefined;
  readonly treatment: Treatment;
  /** True when the provider refused it as too large and it was sent once more, compacted. */
  readonly retried: boolean;
  /** The engine that was disabled in this conversation; the built-in one stands in for it. */
  readonly disabledEngine?: string | undefined;
  /** The window of its model, and where that comes from; undefined where it was not read. */
  readonly window?: WindowInUse | undefined;
  /** From how many tokens on its conversation is compacted; undefined where it was not read. */
  readonly timing?: RequestTiming | undefined;
  readonly usage: Usage | undefined;
  /** What the provider's cache did for it; undefined where no usage was reported. */
  readonly cache: CacheEffect | undefined;
  /** Messages that its client had written again in another form, and that were sent in their former bytes. */
  readonly restored: number;
  /** What its provider keeps of the conversation, for a request that asked for that. */
  readonly thread?: HeldThread | undefined;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Until the request went on to the provider: what the gateway added before it. */
  readonly heldMs: number;
  /** Until the first byte of the provider's body. */
  readonly firstByteMs: number | undefined;
  readonly tookMs: number;
}

export interface RequestTiming extends Pick<CompactionTiming, "thresholdTokens" | "compactsAtTokens"> {
  /** Why it is not compacted although it is above the threshold. */
  readonly postponed?: PostponedBy;
}

export interface CompactionEvent {
  readonly kind: "compaction";
  readonly tenant: string;
  readonly model: string;
  /** Name of the engine that made it. */
  readonly engine: string;
  readonly reason: CompactionReason;
  /** What the moment was chosen by, where prices had a say. */
  readonly because: string | undefined;
  /** Made beside the requests, before it was due. */
  readonly ahead: boolean;
  readonly tokens: TokenSizes;
  /** Tokens of what would have gone out without it: of one that was made ahead, when it was put in place. */
  readonly dueTokens: number;
  readonly degraded: readonly string[];
  /** Messages that stay in a shorter form: results that are hidden or digested, mostly. */
  readonly shortened: number;
  /** The session began anew from a summary, and what it was is archived. */
  readonly restarted: boolean;
  /** Requests of the user that its result may be missing; each can be recalled. */
  readonly lostRequests: number;
  readonly modelCalls: number;
  readonly costUsd: number;
  readonly tookMs: number;
}

/** Something that an operator should know. */
export interface NoticeEvent {
  readonly kind: "notice";
  readonly code:
    | "pressure"
    | "postponed"
    | "backed_off"
    | "degraded"
    | "model_resting"
    | "irreducible"
    | "window_learned"
    | "window_remembered"
    | "window_forgotten"
    | "store_unavailable"
    | "internal_fault"
    | "background_failed"
    | "jobs_failed"
    | "tenant_limit"
    | "overloaded"
    | "circuit_open"
    | "circuit_closed"
    | "tenants_unchanged"
    | "hook_failed"
    | "reasoning_dropped"
    | "engine_disabled"
    | "retention";
  readonly tenant: string;
  /** One line, without content or secrets. */
  readonly message: string;
  /** Of a notice about a window. */
  readonly window?: WindowInUse;
}

/** A model recalled something. */
export interface RecallEvent {
  readonly kind: "recall";
  readonly tenant: string;
  readonly model: string;
  /** The name of the tool that it called. */
  readonly tool: string;
  readonly found: boolean;
  /** Of what it was answered, by estimate. */
  readonly tokens: number;
}

/** A compaction of the store's queue was worked on in this process. */
export interface JobEvent {
  readonly kind: "job";
  readonly tenant: string;
  readonly model: string;
  /** `nothing`: it was made already, is not due any more, or nothing smaller came out. What failed is tried again. */
  readonly outcome: "made" | "nothing" | "failed";
  readonly modelCalls: number;
  readonly costUsd: number;
  readonly tookMs: number;
}

export type GatewayEvent = RequestEvent | CompactionEvent | NoticeEvent | RecallEvent | JobEvent;
export type EmitEvent = (event: GatewayEvent) => void;
