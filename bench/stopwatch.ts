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
  const [times] = await timedInTurns([run], rounds);
  return times!;
}

/** A round of each after another: whatever else the machine does falls on all, and their ratios stay what they are. */
export async function timedInTurns(runs: readonly Run[], { warmups, samples }: Rounds): Promise<readonly Times[]> {
  for (let round = 0; round < warmups; round += 1) for (const run of runs) await run(round);
  const taken = runs.map((): number[] => []);
  for (let round = warmups; round < warmups + samples; round += 1)
    for (const [at, run] of runs.entries()) {
      const start = performance.now();
      await run(round);
      taken[at]!.push(performance.now() - start);
    }
  return taken.map(timesOf);
}

function timesOf(taken: number[]): Times {
  taken.sort((a, b) => a - b);
  const at = (share: number): number => taken[Math.min(taken.length - 1, Math.floor(taken.length * share))]!;
  return { samples: taken.length, minMs: taken[0]!, medianMs: at(0.5), p95Ms: at(0.95) };
}
