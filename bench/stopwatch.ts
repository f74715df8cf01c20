/** Takes times: warms up first so that the compiler is done, then says median and spread. */

export interface Times {
  readonly samples: number;
  readonly minMs: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

export interface Rounds {
  /** Untimed runs before the first sample. */
  readonly warmups: number;
  readonly samples: number;
}

/** Gets the number of the round, counting the warm-ups, so that it can work on something new each time. */
type Run = (round: number) => unknown;

export async function timed(run: Run, rounds: Rounds): Promise<Times> {
  const [only] = await timedInTurns([run], rounds);
  return only!.times;
}

interface InTurns {
  readonly times: Times;
  /** Its time as a multiple of the first one's in the same round: the median over the rounds. */
  readonly ofFirst: number;
}

/** A round of each after another: whatever else the machine does falls on all, and their ratios stay what they are. */
export async function timedInTurns(runs: readonly Run[], { warmups, samples }: Rounds): Promise<readonly InTurns[]> {
  for (let round = 0; round < warmups; round += 1) for (const run of runs) await run(round);
  const taken = runs.map((): number[] => []);
  for (let round = warmups; round < warmups + samples; round += 1)
    for (const [at, run] of runs.entries()) {
      const start = performance.now();
      await run(round);
      taken[at]!.push(performance.now() - start);
    }
  const first = taken[0] ?? [];
  return taken.map((own) => ({
    times: timesOf(own),
    ofFirst: quantile(
      own.map((ms, round) => ms / first[round]!),
      0.5,
    ),
  }));
}

function timesOf(taken: readonly number[]): Times {
  const samples = taken.length;
  return { samples, minMs: quantile(taken, 0), medianMs: quantile(taken, 0.5), p95Ms: quantile(taken, 0.95) };
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
