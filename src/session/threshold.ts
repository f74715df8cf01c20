/**
 * From where on a single session is compacted, as a person set it. It is kept in the store beside the conversation, by its first
 * link, so that it holds in every process and after a restart, until it is removed.
 */
import { readAmount } from "../core/compaction/budget.ts";
import { LIMIT_USABLE_SHARE } from "../core/engines/room.ts";
import type { SessionThreshold } from "../core/engines/settings.ts";
import { PrecisError } from "../core/errors.ts";
import type { Transcript } from "../core/transcript/message.ts";
import type { HistoryStore, Store } from "../store/store.ts";
import type { SessionContext } from "./context.ts";
import { useSettings } from "./state.ts";

const THRESHOLD_LIMITS = Object.freeze({
  shareMin: 0.05,
  shareMax: LIMIT_USABLE_SHARE,
  tokensMin: 1_000,
  tokensMax: 100_000_000,
});

const SCHEMA_VERSION = 1;
const PERCENT = 100;

type ThresholdStore = Pick<HistoryStore, "getState" | "putState">;

/** A conversation: its first link, and where it is kept. */
export interface ThresholdPlace {
  readonly store: ThresholdStore;
  readonly tenant: string;
  readonly root: string;
}

/** `60%`, `90k`, `90000`. @throws PrecisError `bad_threshold`. */
export function thresholdFrom(text: string): SessionThreshold {
  const percent = /^([0-9]{1,2}(?:\.[0-9]{1,2})?) ?%$/.exec(text.trim());
  const { shareMin, shareMax, tokensMin, tokensMax } = THRESHOLD_LIMITS;
  if (percent !== null) {
    const share = Number(percent[1]) / PERCENT;
    if (share >= shareMin && share <= shareMax) return { share };
    throw badThreshold(`${percent[1]} % is not from ${shareMin * PERCENT} to ${shareMax * PERCENT} % of the window`);
  }
  const tokens = readAmount(text);
  if (tokens !== undefined && Number.isInteger(tokens) && tokens >= tokensMin && tokens <= tokensMax) return { tokens };
  throw badThreshold("the threshold is neither a share of the window nor a whole number of 1,000 tokens or more");
}

export function badThreshold(message: string, hint = "Write for example 60% or 90k."): PrecisError {
  return new PrecisError(message, { code: "bad_threshold", hint });
}

/** As a person reads it. */
export function thresholdText(set: SessionThreshold): string {
  if ("tokens" in set) return `${set.tokens.toLocaleString("en-US")} tokens`;
  return `${Number((set.share * PERCENT).toFixed(2))} % of the window`;
}

/** @throws PrecisError of the store. */
export async function readThreshold({ store, tenant, root }: ThresholdPlace): Promise<SessionThreshold | undefined> {
  const state = (await store.getState(tenant, stateName(root))) as { readonly threshold?: unknown } | undefined;
  return isThreshold(state?.threshold) ? state.threshold : undefined;
}

/** @throws PrecisError of the store. */
export function writeThreshold(
  { store, tenant, root }: ThresholdPlace,
  threshold: SessionThreshold | undefined,
): Promise<void> {
  return store.putState(tenant, stateName(root), { schemaVersion: SCHEMA_VERSION, threshold });
}

/** Has the session keep to what is set now. */
export async function followThreshold(context: SessionContext, { messages }: Transcript): Promise<void> {
  const { store, tenant, chain, state, options } = context;
  const root = chain.linksOf(messages.slice(0, 1))[0];
  if (root === undefined || !keepsState(store)) return;
  const set = (await readThreshold({ store, tenant, root })) ?? options.perModel?.(state.model ?? "")?.sessionThreshold;
  const { settings } = state;
  if (JSON.stringify(set) === JSON.stringify(settings.sessionThreshold)) return;
  useSettings(state, options, { ...settings, sessionThreshold: set });
}

function keepsState(store: Store): store is Store & ThresholdStore {
  return "getState" in store && "putState" in store;
}

function stateName(root: string): string {
  return `threshold:${root}`;
}

export function isThreshold(value: unknown): value is SessionThreshold {
  if (typeof value !== "object" || value === null) return false;
  const { share, tokens } = value as { readonly share?: unknown; readonly tokens?: unknown };
  return typeof share === "number" ? share > 0 && share < 1 : typeof tokens === "number" && tokens > 0;
}
