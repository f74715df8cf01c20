/** What every contestant keeps of one cut: the baselines and the engines, at each budget and at the size each policy gives. */
import { ENGINE_DEFAULTS } from "../../../src/core/engines/settings.ts";
import type { Engine } from "../../../src/core/engines/contract.ts";
import { createEngine } from "../../../src/core/engines/engines.ts";
import { baselineOf, BASELINES } from "../recall/baselines.ts";
import { engineCompactor } from "../recall/compactor.ts";
import type { Cut } from "../recall/cuts.ts";
import { tokensOf } from "../recall/future-use.ts";
import type { Reader } from "../recall/reader.ts";

/** The size of a result: a share of the prefix, the policy's own, or another engine's. */
export type Size = number | "policy" | `as ${string}`;

/** What one contestant kept at one size. */
export interface Result {
  readonly contestant: string;
  readonly size: Size;
  readonly text: string;
  /** What its recall ids lead to. */
  readonly recallable: () => string;
  /** The prefix came back as it was. */
  readonly unchanged: boolean;
}

/** The engine whose result is next to each other's, at the same size. */
const DEFAULT_ENGINE = "compressor";

export function baselineResults({ prefix }: Cut, reader: Reader, budgets: readonly number[]): readonly Result[] {
  return budgets.flatMap((budget) =>
    BASELINES.map((contestant) => {
      const text = baselineOf(contestant, prefix, { budget, reader });
      return { contestant, size: budget, text, recallable: () => "", unchanged: false };
    }),
  );
}

/** At each budget, and at the size that its own policy gives if that ever compacts. */
export async function engineResults(
  { prefix }: Cut,
  reader: Reader,
  { engine, budgets }: { readonly engine: string; readonly budgets: readonly number[] },
): Promise<readonly Result[]> {
  const total = reader.size(prefix);
  const keep = async (contestant: string, size: Size, how: KeepOptions = {}): Promise<Result> => {
    const { room, window } = how;
    const kept = await engineCompactor(undefined, createContestant(contestant, window))(prefix, room);
    return { contestant, size, ...kept, unchanged: kept.report === undefined };
  };
  const results: Result[] = [];
  for (const budget of budgets) results.push(await keep(engine, budget, { room: Math.floor(budget * total) }));
  const window = triggeringWindow(engine, total, prefix.length);
  if (window === undefined) return results;
  const own = await keep(engine, "policy", { window });
  results.push(own);
  if (engine !== DEFAULT_ENGINE) results.push(await keep(DEFAULT_ENGINE, `as ${engine}`, { room: tokensOf(own.text) }));
  return results;
}

interface KeepOptions {
  /** Tokens of the measure; the policy's own size if absent. */
  readonly room?: number;
  readonly window?: number;
}

function createContestant(engine: string, contextLength = ENGINE_DEFAULTS.contextLength): Engine {
  return createEngine(engine, { ...ENGINE_DEFAULTS, contextLength, note: "handoff" });
}

/** Windows up to this many times the transcript, and so much more, are looked at. */
const WINDOW_FACTOR_MAX = 8;
const WINDOW_TOKENS_BEYOND = 200_000;

/**
 * The largest window in which the policy's own trigger is reached by a transcript of this size: so each engine meets it
 * at the moment at which it would have compacted. Undefined if it never would.
 */
export function triggeringWindow(name: string, tokens: number, messages: number): number | undefined {
  const triggers = (window: number): boolean => {
    const engine = createContestant(name, window);
    return engine.decide(engine.init(), { tokens, messages }).kind === "compact";
  };
  let [low, high] = [tokens, tokens * WINDOW_FACTOR_MAX + WINDOW_TOKENS_BEYOND];
  if (!triggers(low)) return undefined;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (triggers(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
