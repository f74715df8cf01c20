/**
 * What the gateway knows of the models behind it: windows from the registry, corrected by what refusals and reported
 * usage taught of each tenant's, and kept so that a restart does not have to be taught again. A learned window belongs to
 * the upstream that refused: another may serve the same model with another window.
 */
import { initialFactor } from "../session/calibration.ts";
import { lookUp, statedImageTokens, type Registry } from "../models/registry/registry.ts";
import { WINDOW_TOKENS_MIN } from "../protocols/overflow.ts";
import type { HistoryStore } from "../store/store.ts";

export interface ModelKnowledge {
  /** Tokens, input and output together. */
  readonly windowTokens: number;
  /** What this model's tokens are to our estimates. */
  readonly factor: number;
  /** What an image is counted as, where the configuration says so. */
  readonly imageTokens?: number;
}

/** A window that a refusal taught, named by it or not. */
interface LearnedWindow {
  readonly limitTokens: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What requests taught, as it is kept. */
interface LearnedWindows {
  readonly factor: number;
  /** By upstream. */
  readonly windows: Readonly<Record<string, LearnedWindow>>;
}

export interface ModelBook {
  /** Without an upstream: what is known of the model wherever it is served. */
  readonly of: (tenant: string, model: string, upstream?: string) => ModelKnowledge;
  /** Loads what was learnt before this process began; later, in the background, what other gateways have learnt since. */
  readonly recalled: (tenant: string, model: string) => Promise<void> | undefined;
  readonly learnFactor: (tenant: string, model: string, factor: number) => void;
  readonly learnWindow: (tenant: string, model: string, window: { upstream: string; limitTokens: number }) => void;
  /** A request of that many tokens was answered: a learned window that is smaller was wrong, or is no longer right. */
  readonly answered: (tenant: string, model: string, answer: { upstream: string; inputTokens: number }) => void;
}

export interface ModelBookOptions {
  readonly store: HistoryStore;
  readonly registry: Registry;
  /** One window for every model, where it is stated. */
  readonly contextLength: number | undefined;
  /** The window of a model that nothing is known of. */
  readonly unknownTokens: number;
  readonly now?: () => number;
}

/** Models of all tenants that are remembered. */
const MODELS_MAX = 1_024;
/** A factor that moved less than this is not written down again. */
const FACTOR_STEP = 0.02;
/** What other gateways on the same store learn is read this often. */
const REFRESH_MS = 30_000;
/** A learned window is tried again after a day: limits of accounts rise, and one more refusal is sent again unseen. */
const LEARNED_WINDOW_MS_MAX = 24 * 60 * 60_000;

/** The window of a model that nothing is known of: what the smaller of today's hosted models have. */
export const UNKNOWN_WINDOW_TOKENS = 128_000;

interface ModelEntry {
  readonly statedTokens: number;
  learnt: LearnedWindows;
  recalling: Promise<void> | undefined;
  kept: LearnedWindows | undefined;
  readAt: number;
}

export function createModelBook(options: ModelBookOptions): ModelBook {
  const { store, registry, contextLength, unknownTokens, now = Date.now } = options;
  const entries = new Map<string, ModelEntry>();
  const entryOf = (tenant: string, model: string): ModelEntry => {
    const key = `${tenant}\n${model}`;
    const known = entries.get(key);
    if (known !== undefined) return known;
    const statedTokens = contextLength ?? lookUp(registry, model)?.windowTokens ?? unknownTokens;
    const learnt = { factor: initialFactor(model), windows: {} };
    const entry = { statedTokens, learnt, recalling: undefined, kept: undefined, readAt: now() };
    if (entries.size >= MODELS_MAX) entries.delete(entries.keys().next().value!);
    entries.set(key, entry);
    return entry;
  };
  const { recall, keep } = createKeeping(store, now);
  const learn = (tenant: string, model: string, news: Partial<LearnedWindows>): void => {
    const entry = entryOf(tenant, model);
    entry.learnt = { ...entry.learnt, ...news };
    if (entry.kept !== undefined && same(entry.kept, entry.learnt)) return;
    entry.kept = entry.learnt;
    void keep(tenant, model, entry).catch(() => void (entry.kept = undefined));
  };
  const windowOf = ({ learnt }: ModelEntry, upstream: string): number => {
    const window = learnt.windows[upstream];
    return window === undefined || now() - window.at > LEARNED_WINDOW_MS_MAX ? Infinity : window.limitTokens;
  };
  return {
    of: (tenant, model, upstream = "") => {
      const entry = entryOf(tenant, model);
      const { factor } = entry.learnt;
      return {
        windowTokens: Math.min(entry.statedTokens, windowOf(entry, upstream)),
        factor,
        ...statedImageTokens(registry, model),
      };
    },
    recalled: (tenant, model) => {
      const isKnown = entries.has(`${tenant}\n${model}`);
      const entry = entryOf(tenant, model);
      if (isKnown && now() - entry.readAt > REFRESH_MS) void recall(tenant, model, entry).catch(() => undefined);
      if (isKnown) return entry.recalling;
      // Without the store the model is learnt again.
      entry.recalling = recall(tenant, model, entry).catch(() => void (entry.recalling = undefined));
      return entry.recalling;
    },
    learnFactor: (tenant, model, factor) => learn(tenant, model, { factor }),
    learnWindow: (tenant, model, { upstream, limitTokens }) => {
      const entry = entryOf(tenant, model);
      if (limitTokens < WINDOW_TOKENS_MIN || limitTokens >= windowOf(entry, upstream)) return;
      learn(tenant, model, { windows: { ...entry.learnt.windows, [upstream]: { limitTokens, at: now() } } });
    },
    answered: (tenant, model, { upstream, inputTokens }) => {
      const { statedTokens, learnt } = entryOf(tenant, model);
      if (inputTokens <= (learnt.windows[upstream]?.limitTokens ?? Infinity)) return;
      // Kept as news of its own, so that no other gateway brings the smaller one back.
      const contradicted = { limitTokens: Math.max(statedTokens, inputTokens), at: now() };
      learn(tenant, model, { windows: { ...learnt.windows, [upstream]: contradicted } });
    },
  };
}

/** Reads and writes what was learnt, beside other gateways on the same store. */
function createKeeping(store: HistoryStore, now: () => number) {
  const recall = async (tenant: string, model: string, entry: ModelEntry): Promise<void> => {
    entry.readAt = now();
    const before = learntIn(await store.getState(tenant, rootOf(model)));
    if (before !== undefined)
      entry.kept = entry.learnt = { ...before, windows: newestOf(before.windows, entry.learnt.windows) };
    entry.recalling = undefined;
  };
  /** With what other gateways have written meanwhile. */
  const keep = async (tenant: string, model: string, entry: ModelEntry): Promise<void> => {
    const { windows = {} } = learntIn(await store.getState(tenant, rootOf(model))) ?? {};
    const merged = newestOf(windows, entry.learnt.windows);
    entry.kept = entry.learnt = { ...entry.learnt, windows: merged };
    await store.putState(tenant, rootOf(model), entry.learnt);
  };
  return { recall, keep };
}

function rootOf(model: string): string {
  return `model ${model}`;
}

type Windows = LearnedWindows["windows"];

function newestOf(some: Windows, others: Windows): Windows {
  const newest = { ...some };
  for (const [upstream, window] of Object.entries(others))
    if (window.at >= (newest[upstream]?.at ?? 0)) newest[upstream] = window;
  return newest;
}

function same(one: LearnedWindows, other: LearnedWindows): boolean {
  return one.windows === other.windows && Math.abs(one.factor - other.factor) < FACTOR_STEP;
}

function learntIn(state: unknown): LearnedWindows | undefined {
  const { factor, windows } = (state ?? {}) as Partial<Record<string, unknown>>;
  if (typeof factor !== "number") return undefined;
  const found = Object.entries((windows ?? {}) as Readonly<Record<string, unknown>>).filter(isLearned);
  return { factor, windows: Object.fromEntries(found) };
}

function isLearned(entry: [string, unknown]): entry is [string, LearnedWindow] {
  const { limitTokens, at } = (entry[1] ?? {}) as Partial<Record<string, unknown>>;
  return typeof limitTokens === "number" && limitTokens >= WINDOW_TOKENS_MIN && typeof at === "number";
}
