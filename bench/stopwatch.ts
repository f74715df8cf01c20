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

/** `run` gets the number of the round, counting the warm-ups, so that it can work on something new each time. */
export async function timed(run: (round: number) => unknown, { warmups, samples }: Rounds): Promise<Times> {
  for (let round = 0; round < warmups; round += 1) await run(round);
  const taken: number[] = [];
  for (let round = warmups; round < warmups + samples; round += 1) {
    const start = performance.now();
    await run(round);
    taken.push(performance.now() - start);
  }
  taken.sort((a, b) => a - b);
  const at = (share: number): number => taken[Math.min(taken.length - 1, Math.floor(taken.length * share))]!;
  return { samples, minMs: taken[0]!, medianMs: at(0.5), p95Ms: at(0.95) };
}
