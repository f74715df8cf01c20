/** Measures one setup after another in a thread of its own. */
import { parentPort, workerData } from "node:worker_threads";
import type { Setup } from "./grid.ts";
import { measureSetup, type Choice } from "./measure.ts";

parentPort!.on("message", (setup: Setup) => {
  measureSetup(setup, workerData as Choice).then(
    (result) => parentPort!.postMessage(result),
    (error: unknown) => {
      throw error;
    },
  );
});
