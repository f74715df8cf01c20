/** Cost beside recall: every strategy over the same long sessions, because either alone is easy to fake. */
import { type CutOptions, EVALUATION_CUTS } from "../../../eval/src/recall/cuts.ts";
import { createProgress } from "../progress.ts";
import type { Contestant } from "./contestant.ts";
import { runOf, stretchesOf, type Run } from "./loop.ts";
import { intervalOf } from "./pooled.ts";
import type { Sitting } from "./sittings.ts";
import { NOTHING, ourStrategy, peerStrategy, type Strategy } from "./strategies.ts";

/** Sessions that go well over the trigger, asked late, when they have. */
export const LOOP_CUTS: CutOptions = { ...EVALUATION_CUTS, shares: [0.6, 0.8], floorTokens: 60_000 };
/** What peers are told to leave of a compacted history: a small and a large piece. */
const LEFT_TOKENS = [8_000, 20_000];

export interface CostRow {
  readonly name: string;
  readonly from: string;
  readonly how: string;
  readonly sessions: number;
  readonly requests: number;
  /** In millions of input tokens; and what summaries took of it. */
  readonly cost: number;
  readonly summaries: number;
  readonly summaryCalls: number;
  /** Over what the same sessions cost uncompacted, and without summaries. */
  readonly ofNothing: number;
  readonly meanSent: number;
  readonly busts: number;
  readonly invalid: number;
  readonly bound: number;
  /** Ours at its threshold less this one's, 95 % by transcript. */
  readonly boundDifference: readonly [number, number];
  /** Ours at its threshold over this one's, 95 % by transcript. */
  readonly costRatio: number;
  readonly costRatioInterval: readonly [number, number];
}

export async function costRows(
  peers: readonly Contestant[],
  sittings: readonly Sitting[],
): Promise<readonly CostRow[]> {
  const stretches = stretchesOf(sittings);
  const counted = new Set<string>();
  const strategies = [
    ourStrategy("threshold"),
    ourStrategy("cost"),
    NOTHING,
    ...LEFT_TOKENS.flatMap((tokens) => peers.map((peer) => peerStrategy(peer, tokens))),
  ].filter(({ name, how }) => !counted.has(name + how) && counted.add(name + how));
  const progress = createProgress("cost of sessions", stretches.length * strategies.length);
  const runs = new Map<Strategy, Run[]>(strategies.map((strategy) => [strategy, []]));
  for (const stretch of stretches)
    for (const strategy of strategies) {
      runs.get(strategy)!.push(await runOf(strategy, stretch));
      progress.step(`${strategy.name} on ${stretch.file}`);
    }
  progress.end();
  const ours = runs.get(strategies[0]!)!;
  const nothing = sum(runs.get(NOTHING)!, ({ cost }) => cost);
  return strategies.map((strategy) => rowOf(strategy, runs.get(strategy)!, { ours, nothing }));
}

interface Beside {
  readonly ours: readonly Run[];
  readonly nothing: number;
}

function rowOf({ name, from, how }: Strategy, runs: readonly Run[], { ours, nothing }: Beside): CostRow {
  const pairs = runs.map((run, at) => ({ file: run.file, run, own: ours[at]! }));
  const total = (of: (run: Run) => number): number => sum(runs, of);
  const costRatio = (drawn: typeof pairs): number =>
    sum(drawn, ({ own }) => own.cost) / sum(drawn, ({ run }) => run.cost);
  const behind = (drawn: typeof pairs): number =>
    boundOf(drawn.map(({ own }) => own)) - boundOf(drawn.map(({ run }) => run));
  const cost = total((run) => run.cost);
  const MILLION = 1e6;
  return {
    name,
    from,
    how,
    sessions: runs.length,
    requests: total(({ requests }) => requests),
    cost: cost / MILLION,
    summaries: total(({ summaries }) => summaries) / MILLION,
    summaryCalls: total(({ told }) => told.calls),
    ofNothing: cost / nothing,
    meanSent: total(({ sent }) => sent) / total(({ requests }) => requests),
    busts: total(({ busts }) => busts),
    invalid: total(({ invalid }) => invalid),
    bound: boundOf(runs),
    boundDifference: intervalOf(pairs, (drawn) => behind([...drawn])),
    costRatio: costRatio(pairs),
    costRatioInterval: intervalOf(pairs, (drawn) => costRatio([...drawn])),
  };
}

function boundOf(runs: readonly Run[]): number {
  const scores = runs.flatMap((run) => run.scores);
  return sum(scores, ({ bound }) => bound) / sum(scores, ({ bindable }) => bindable);
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
