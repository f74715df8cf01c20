/** A thread of an evaluation: takes one task at a time and reports what it finds as it finds it. */
import { parentPort } from "node:worker_threads";
import { PrecisError } from "../../../src/core/errors.ts";
import { perform, type Product, type Task } from "./task.ts";

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

port.on("message", async (task: Task) => {
  try {
    for await (const product of perform(task)) tell({ kind: "product", product });
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
