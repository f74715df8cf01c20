/** Readers of text in turns, so that whatever else the machine does falls on all. */
import { medianOf } from "../compaction/pooled.ts";

const ROUNDS = { warmups: 3, samples: 9 };
const KB = 1e3;

export type Reading = (text: string) => unknown;

/** Megabytes (millions of UTF-16 units) a second, by the median round. */
export async function speedsOf(
  readers: Readonly<Record<string, Reading>>,
  text: string,
): Promise<Readonly<Record<string, number>>> {
  const taken = Object.entries(readers).map(([name, read]) => ({ name, read, times: [] as number[] }));
  for (let round = -ROUNDS.warmups; round < ROUNDS.samples; round += 1)
    for (const { read, times } of taken) {
      const startMs = performance.now();
      await read(text);
      if (round >= 0) times.push(performance.now() - startMs);
    }
  return Object.fromEntries(taken.map(({ name, times }) => [name, text.length / KB / Math.max(medianOf(times), 1e-6)]));
}
