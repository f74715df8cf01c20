/**
 * What requests and compactions came to, by day and model: spend, cache, compactions, delays and errors. Kept in the store,
 * so that a restart does not begin anew; several gateways on one store add to the same days.
 */
import { costOf, type Prices } from "../../models/ai-sdk.ts";
import { createRegistry, lookUp, type Registry } from "../../models/registry/registry.ts";
import type { HistoryStore } from "../../store/store.ts";
import type { CompactionEvent, EmitEvent, RequestEvent } from "../contract.ts";
import { addCounts, addDelay, emptyCounts, isCounts, type Counts } from "./counts.ts";

export interface FiguresOptions {
  readonly store: Pick<HistoryStore, "getState" | "putState">;
  readonly registry?: Registry | undefined;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

export interface DayFigures extends Counts {
  /** `2026-11-25`. */
  readonly day: string;
  readonly model: string;
}

export interface Figures {
  readonly onEvent: EmitEvent;
  /** The last days, today's with what is not kept yet. */
  readonly read: (days: number) => Promise<readonly DayFigures[]>;
  readonly close: () => Promise<void>;
}

const FIGURE_LIMITS = Object.freeze({
  /** Models of one day; further ones are counted as `other`. */
  modelsADay: 50,
  /** How long what was counted may be lost in a crash. */
  keepEveryMs: 30_000,
  dayMs: 24 * 60 * 60_000,
});

/** Not a tenant that a client can have: names are letters, digits and few signs, hashes have no spaces. */
const OWN_TENANT = "precis figures";
const OTHER_MODELS = "other";

type Day = Map<string, Counts>;

export function createFigures({ store, registry = createRegistry(), now = Date.now }: FiguresOptions): Figures {
  const pricesOf = (model: string): Prices | undefined => lookUp(registry, model)?.prices;
  let unkept = new Map<string, Day>();
  let keeping: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const keep = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const days = unkept;
    unkept = new Map();
    // A store that fails is reported by the requests; these figures are then incomplete.
    keeping = keepDays(store, days, keeping).catch(() => undefined);
    return keeping;
  };
  const countsOf = (model: string): Counts => {
    const day = formatDay(now());
    const models = unkept.get(day) ?? new Map<string, Counts>();
    unkept.set(day, models);
    timer ??= setTimeout(() => void keep(), FIGURE_LIMITS.keepEveryMs).unref();
    return findCounts(models, model);
  };
  return {
    onEvent: (event) => {
      if (event.kind === "request" && event.model !== "")
        addRequest(countsOf(event.model), event, pricesOf(event.model));
      else if (event.kind === "compaction") addCompaction(countsOf(event.model), event);
    },
    read: async (days) => {
      await keeping;
      const found: DayFigures[] = [];
      for (let back = days - 1; back >= 0; back--) {
        const day = formatDay(now() - back * FIGURE_LIMITS.dayMs);
        const kept = await readDay(store, day);
        merge(kept, unkept.get(day) ?? new Map());
        for (const [model, counts] of kept) found.push({ day, model, ...counts });
      }
      return found;
    },
    close: keep,
  };
}

function formatDay(at: number): string {
  return new Date(at).toISOString().slice(0, "2026-11-25".length);
}

function findCounts(models: Day, model: string): Counts {
  const name = models.has(model) || models.size < FIGURE_LIMITS.modelsADay ? model : OTHER_MODELS;
  const counts = models.get(name) ?? emptyCounts();
  models.set(name, counts);
  return counts;
}

async function keepDays(
  store: FiguresOptions["store"],
  days: ReadonlyMap<string, Day>,
  before: Promise<void>,
): Promise<void> {
  await before;
  for (const [day, counted] of days) {
    const kept = await readDay(store, day);
    merge(kept, counted);
    await store.putState(OWN_TENANT, day, Object.fromEntries(kept));
  }
}

async function readDay(store: FiguresOptions["store"], day: string): Promise<Day> {
  const state = await store.getState(OWN_TENANT, day);
  if (typeof state !== "object" || state === null) return new Map();
  return new Map(Object.entries(state).filter((entry): entry is [string, Counts] => isCounts(entry[1])));
}

function merge(into: Day, from: Day): void {
  for (const [model, counts] of from) addCounts(findCounts(into, model), counts);
}

function addRequest(counts: Counts, event: RequestEvent, prices: Prices | undefined): void {
  const { outcome, treatment, usage, cache } = event;
  counts.requests++;
  if (outcome === "refused") counts.refused++;
  else if (outcome === "turned_away") counts.turnedAway++;
  else if (outcome === "upstream_failed") counts.upstreamFailed++;
  else if (outcome === "aborted") counts.aborted++;
  if (event.retried && outcome === "answered") counts.retried++;
  if (outcome !== "turned_away") addDelay(counts.heldMs, event.heldMs);
  if (event.firstByteMs !== undefined) addDelay(counts.firstByteMs, event.firstByteMs);
  if (cache !== undefined) {
    counts.cacheSavedUsd += cache.savedUsd - cache.surchargeUsd;
    counts.cacheMissedUsd += cache.missedUsd ?? 0;
  }
  const notSent = treatment.kind === "rewritten" ? treatment.tokens.before - treatment.tokens.after : 0;
  counts.notSentTokens += notSent;
  if (usage === undefined) return;
  counts.inputTokens += usage.input;
  counts.outputTokens += usage.output;
  counts.cacheReadTokens += usage.cacheRead;
  counts.cacheWriteTokens += usage.cacheWrite;
  if (prices === undefined) {
    counts.unpriced++;
    return;
  }
  const tokens = {
    inputTokens: usage.input,
    outputTokens: usage.output,
    cacheReadTokens: usage.cacheRead,
    cacheWriteTokens: usage.cacheWrite,
  };
  counts.spendUsd += costOf(tokens, prices);
  // What was not sent would have cost what the rest of this request's input cost: mostly the price of reading a cache.
  const inputUsd = costOf({ ...tokens, outputTokens: 0 }, prices);
  if (usage.input > 0) counts.notSentUsd += (inputUsd / usage.input) * notSent;
}

function addCompaction(counts: Counts, { tokens, costUsd, ahead, lostRequests }: CompactionEvent): void {
  counts.compactions++;
  if (ahead) counts.compactionsAhead++;
  counts.compactedTokens += tokens.before - tokens.after;
  counts.compactionUsd += costUsd;
  counts.lostRequests += lostRequests;
}
