/** Measures setups in as many threads as there are cores, the largest windows first, as they take longest. */
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Setup } from "./grid.ts";
import type { Choice, SetupResult } from "./measure.ts";

export async function measureAll(
  setups: readonly Setup[],
  choice: Choice,
  onResult: (result: SetupResult) => void,
): Promise<readonly SetupResult[]> {
  const waiting = setups
    .map((setup, at) => ({ setup, at }))
    .toSorted((a, b) => b.setup.windowTokens - a.setup.windowTokens);
  const results: SetupResult[] = [];
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: choice });
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      worker.postMessage(next.setup);
      const [result] = (await once(worker, "message")) as [SetupResult];
      results[next.at] = result;
      onResult(result);
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return results;
}
