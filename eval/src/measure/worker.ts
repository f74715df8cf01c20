/** A thread of an evaluation: takes one task at a time and reports what it finds as it finds it. */
import { parentPort, workerData } from "node:worker_threads";
import { PrecisError } from "../../../src/core/errors.ts";
import { createCache } from "./cache.ts";
import { perform, type Product, type Task } from "./task.ts";

export interface WorkerSettings {
  readonly cacheFolder: string | undefined;
  readonly version: string;
}

/** An error as it crosses threads. */
export interface PlainFailure {
  readonly message: string;
  readonly code?: string;
  readonly hint?: string;
  readonly place?: string;
  readonly stack?: string;
}

export type FromWorker =
  | { readonly kind: "product"; readonly product: Product }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly failure: PlainFailure };

const port = parentPort!;
const { cacheFolder, version } = workerData as WorkerSettings;
const cache = createCache(cacheFolder, version);

port.on("message", async (task: Task) => {
  try {
    for await (const product of perform(task, cache)) tell({ kind: "product", product });
    tell({ kind: "done" });
  } catch (error) {
    tell({ kind: "failed", failure: plain(error) });
  }
});

function tell(message: FromWorker): void {
  port.postMessage(message);
}

function plain(error: unknown): PlainFailure {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, stack } = error;
  const failure = stack === undefined ? { message } : { message, stack };
  if (!(error instanceof PrecisError)) return failure;
  const { code, hint, place } = error;
  return { ...failure, code, hint, ...(place === undefined ? {} : { place }) };
}
