/**
 * What the gateway knows of the models behind it: windows from the registry, corrected by what overflows and reported
 * usage taught of each tenant's, and kept so that a restart does not have to be taught again.
 */
import { initialFactor } from "../session/calibration.ts";
import { lookUp, type Registry } from "../models/registry/registry.ts";
import type { HistoryStore } from "../store/store.ts";

export interface ModelKnowledge {
  /** Tokens, input and output together. */
  readonly windowTokens: number;
  /** What this model's tokens are to our estimates. */
  readonly factor: number;
}

/** What requests taught, as it is kept. */
interface Learnt {
  /** The window that an overflow named. */
  readonly limitTokens?: number;
  readonly factor: number;
}

export interface ModelBook {
  readonly of: (tenant: string, model: string) => ModelKnowledge;
  /** Loads what was learnt before this process began; once a model. */
  readonly recalled: (tenant: string, model: string) => Promise<void> | undefined;
  readonly learn: (tenant: string, model: string, learnt: Partial<Learnt>) => void;
}

export interface ModelBookOptions {
  readonly store: HistoryStore;
  readonly registry: Registry;
  /** One window for every model, where it is stated. */
  readonly contextLength: number | undefined;
  /** The window of a model that nothing is known of. */
  readonly unknownTokens: number;
}

/** Models of all tenants that are remembered. */
const MODELS_MAX = 1_024;
/** A factor that moved less than this is not written down again. */
const FACTOR_STEP = 0.02;

/** The window of a model that nothing is known of: what the smaller of today's hosted models have. */
export const UNKNOWN_WINDOW_TOKENS = 128_000;

interface Entry {
  readonly statedTokens: number;
  learnt: Learnt;
  recalling: Promise<void> | undefined;
  kept: Learnt | undefined;
}

export function createModelBook({ store, registry, contextLength, unknownTokens }: ModelBookOptions): ModelBook {
  const entries = new Map<string, Entry>();
  const entryOf = (tenant: string, model: string): Entry => {
    const key = `${tenant}\n${model}`;
    const known = entries.get(key);
    if (known !== undefined) return known;
    const statedTokens = contextLength ?? lookUp(registry, model)?.windowTokens ?? unknownTokens;
    const entry = { statedTokens, learnt: { factor: initialFactor(model) }, recalling: undefined, kept: undefined };
    if (entries.size >= MODELS_MAX) entries.delete(entries.keys().next().value!);
    entries.set(key, entry);
    return entry;
  };
  const recall = async (tenant: string, model: string, entry: Entry): Promise<void> => {
    const before = learntIn(await store.getState(tenant, rootOf(model)));
    if (before !== undefined) entry.kept = entry.learnt = before;
    entry.recalling = undefined;
  };
  return {
    of: (tenant, model) => {
      const { statedTokens, learnt } = entryOf(tenant, model);
      return { windowTokens: Math.min(statedTokens, learnt.limitTokens ?? Infinity), factor: learnt.factor };
    },
    recalled: (tenant, model) => {
      if (entries.has(`${tenant}\n${model}`)) return entryOf(tenant, model).recalling;
      const entry = entryOf(tenant, model);
      // Without the store the model is learnt anew.
      entry.recalling = recall(tenant, model, entry).catch(() => void (entry.recalling = undefined));
      return entry.recalling;
    },
    learn: (tenant, model, news) => {
      const entry = entryOf(tenant, model);
      const limitTokens = Math.min(entry.learnt.limitTokens ?? Infinity, news.limitTokens ?? Infinity);
      entry.learnt = { factor: news.factor ?? entry.learnt.factor, ...(limitTokens < Infinity ? { limitTokens } : {}) };
      if (entry.kept !== undefined && same(entry.kept, entry.learnt)) return;
      const now = (entry.kept = entry.learnt);
      void store.putState(tenant, rootOf(model), now).catch(() => void (entry.kept = undefined));
    },
  };
}

function rootOf(model: string): string {
  return `model ${model}`;
}

function same(one: Learnt, other: Learnt): boolean {
  return one.limitTokens === other.limitTokens && Math.abs(one.factor - other.factor) < FACTOR_STEP;
}

function learntIn(state: unknown): Learnt | undefined {
  const { limitTokens, factor } = (state ?? {}) as Partial<Record<string, unknown>>;
  if (typeof factor !== "number") return undefined;
  return { factor, ...(typeof limitTokens === "number" ? { limitTokens } : {}) };
}
