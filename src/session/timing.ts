/** From how many tokens on a conversation is compacted, and why it is not yet where its threshold is passed. */

import type { SessionThreshold } from "../core/engines/settings.ts";

/**
 * `prices`: by `compression.schedule` its price is not justified yet. `back_off`: a compaction would free too little to be worth
 * making. `undone`: a person took the last compaction back. `writing`: a model writes the handoff beside the requests.
 */
export type PostponedBy = "prices" | "back_off" | "undone" | "writing";

export interface Postponement {
  readonly by: PostponedBy;
  /** One line. */
  readonly because: string;
}

/** Plain data; survives JSON. */
export interface CompactionTiming {
  /** Where the engine compacts. */
  readonly thresholdTokens: number;
  /** What a person set for this session alone, where the threshold comes from that. */
  readonly set?: SessionThreshold;
  /** The figure in force: the threshold, or where a compaction that waits is made at the latest; absent where none is made by itself. */
  readonly compactsAtTokens?: number;
  /** Set while the conversation is above its threshold and is not compacted. */
  readonly postponed?: Postponement;
}

/** Of what was sent last. */
export interface Room {
  readonly windowTokens: number;
  readonly leftTokens: number;
  /** Absent where nothing is compacted by itself. */
  readonly compactsAtTokens?: number;
}

/** The value of `x-precis-room`. */
export function roomLine({ windowTokens, leftTokens, compactsAtTokens }: Room): string {
  const compacts = compactsAtTokens === undefined ? "" : `; compacts_at=${compactsAtTokens}`;
  return `left=${leftTokens}; window=${windowTokens}${compacts}`;
}

/** A window that a provider's refusal revealed. */
export interface LearnedWindow {
  /** `named`: the provider's error named it. `refused`: it is nine tenths of what the provider refused. */
  readonly by: "named" | "refused";
  /** Tokens of the refused request, as the provider counted them or by estimate. */
  readonly refusedTokens: number;
  /** The error counted the output that the request asked for. */
  readonly countsOutput: boolean;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** A gateway tries a larger request from then on, in milliseconds since the epoch; absent in a session of the library. */
  readonly until?: number;
  /** The address that refused; absent in a session of the library. */
  readonly upstream?: string;
}

/** As it is kept, and as an operator sees it. */
export interface RememberedWindow extends LearnedWindow {
  readonly model: string;
  readonly upstream: string;
  readonly tokens: number;
  readonly until: number;
  /** How often a request was refused at the beginning or the end of its time. */
  readonly refusals: number;
}

/** Which remembered windows are meant: all of them where nothing is said. */
export interface WindowChoice {
  readonly tenant?: string | undefined;
  readonly model?: string | undefined;
  readonly upstream?: string | undefined;
}

export type TenantsWindow = RememberedWindow & { readonly tenant: string };

/** `setting`: a host or the configuration says it. `registry`: known by the model's name. `assumed`: nothing is known of the model. */
export type WindowOrigin =
  | { readonly from: "setting" | "registry" | "assumed"; readonly learned?: undefined }
  | { readonly from: "learned"; readonly learned: LearnedWindow };

/** `tokens` are input and output together. */
export type WindowInUse = WindowOrigin & { readonly tokens: number };

/** What a provider accepted. */
export interface AcceptedRequest {
  readonly inputTokens: number;
  /** What the request asked for at most. */
  readonly outputTokens: number;
}

/** Whether a learned window is refuted by a request that its provider accepted. */
export function isRefuted(
  { tokens, countsOutput }: Pick<LearnedWindow, "countsOutput"> & { readonly tokens: number },
  { inputTokens, outputTokens }: AcceptedRequest,
): boolean {
  return inputTokens + (countsOutput ? outputTokens : 0) > tokens;
}

const ORIGINS = {
  setting: "as configured",
  registry: "known by the model's name",
  assumed: "assumed, because nothing is known of the model",
} as const;

/** Where a window comes from, for a person, as the end of a sentence. */
export function windowOriginText(origin: WindowOrigin, now: number): string {
  if (origin.from !== "learned") return ORIGINS[origin.from];
  const { by, refusedTokens, at, until, upstream = "its provider" } = origin.learned;
  const how = by === "named" ? "and named this window" : "of which this is nine tenths";
  const refused = `${upstream} refused a request of ${refusedTokens.toLocaleString("en-US")} tokens`;
  const next =
    until === undefined ? "" : `; a larger one is tried ${until > now ? `in ${spanText(until - now)}` : "next"}`;
  const ago = now - at < MINUTE_MS ? "just now" : `${spanText(now - at)} ago`;
  return `learned ${ago}, when ${refused} ${how}${next}`;
}

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;

function spanText(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / MINUTE_MS));
  const [count, unit] = minutes < 2 * HOUR_MINUTES ? [minutes, "minute"] : [Math.round(minutes / HOUR_MINUTES), "hour"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
