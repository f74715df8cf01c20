/** Replays a session turn by turn under each strategy at once, and sums up what came of it. */
import { requestsOf, type Recording } from "./requests.ts";
import { createRun, writtenOf, type Bust, type Replayed, type RunSettings, type Sent, type Strategy } from "./run.ts";
import type { ReplayTerms } from "./terms.ts";

export interface ReplayOptions {
  readonly terms: ReplayTerms;
  readonly strategies: readonly Strategy[];
  /** Between two requests where the file does not say when they were made, in milliseconds. */
  readonly gapMs: number;
  /** Tokens that each request reserves for its answer. */
  readonly maxOutputTokens?: number | undefined;
  readonly session?: RunSettings;
  /** Called with each request under each strategy; waited for. */
  readonly onSent?: (sent: Sent) => void | Promise<void>;
  /** Called with each turn before it is replayed; waited for. */
  readonly onTurn?: (turn: number, of: number) => void | Promise<void>;
}

export interface ReplayedSession {
  readonly requests: number;
  /** Requests whose time was assumed. */
  readonly untimed: number;
  readonly spanMs: number;
  /** Tokens that each request reserves for its answer. */
  readonly maxOutputTokens: number;
  readonly runs: readonly ReplayedRun[];
}

export interface ReplayedRun {
  readonly strategy: Strategy;
  readonly requests: readonly Replayed[];
  readonly totals: Totals;
}

/** Tokens of all requests; input is everything that was sent: fresh, read and written. */
export interface Totals {
  readonly input: number;
  readonly fresh: number;
  readonly read: number;
  readonly written: number;
  readonly output: number;
  /** US dollars: what was sent, and that with the answers. */
  readonly inputUsd: number;
  readonly usd: number;
  /** The largest request. */
  readonly peak: number;
  readonly compactions: number;
  readonly busts: Readonly<Record<Bust["because"], number>>;
  /** Tokens that were in the cache and were not read from it. */
  readonly bustTokens: number;
  /** The first request that is more than the window holds, counted from 0. */
  readonly overAt: number | undefined;
}

/** No request is kept: memory goes by what was sent, not by how often. A session without a turn gives runs without requests. */
export async function replay(recording: Recording, options: ReplayOptions): Promise<ReplayedSession> {
  const { terms, strategies, gapMs, session = {}, onSent, onTurn } = options;
  const { protocol, model } = terms;
  const requests = requestsOf(recording, { protocol, model, gapMs, maxOutputTokens: options.maxOutputTokens });
  const runs = strategies.map((strategy) => ({
    run: createRun({ strategy, terms, session, maxOutputTokens: requests.maxOutputTokens }),
    replayed: [] as Replayed[],
  }));
  let turn = 0;
  for (const request of requests.all()) {
    await onTurn?.(turn++, requests.count);
    for (const { run, replayed } of runs) {
      const sent = await run.ask(request);
      replayed.push(sent.replayed);
      await onSent?.(sent);
    }
  }
  return {
    requests: requests.count,
    untimed: requests.untimed,
    spanMs: requests.spanMs,
    maxOutputTokens: requests.maxOutputTokens,
    runs: runs.map(({ run, replayed }) => ({
      strategy: run.strategy,
      requests: replayed,
      totals: totalsOf(replayed),
    })),
  };
}

export function totalsOf(requests: readonly Replayed[]): Totals {
  const sum = (pick: (one: Replayed) => number): number => requests.reduce((so, one) => so + pick(one), 0);
  const because = (cause: Bust["because"]): number => sum(({ bust }) => (bust?.because === cause ? 1 : 0));
  const overAt = requests.findIndex(({ over }) => over);
  return {
    input: sum(({ use }) => use.inputTokens),
    fresh: sum(({ use }) => use.inputTokens - use.cacheReadTokens - writtenOf(use)),
    read: sum(({ use }) => use.cacheReadTokens),
    written: sum(({ use }) => writtenOf(use)),
    output: sum(({ outputTokens }) => outputTokens),
    inputUsd: sum(({ inputUsd }) => inputUsd),
    usd: sum(({ usd }) => usd),
    peak: requests.reduce((most, { use }) => Math.max(most, use.inputTokens), 0),
    compactions: sum(({ compaction }) => (compaction === undefined ? 0 : 1)),
    busts: { compaction: because("compaction"), expired: because("expired"), other: because("other") },
    bustTokens: sum(({ bust }) => bust?.tokens ?? 0),
    overAt: overAt < 0 ? undefined : overAt,
  };
}
