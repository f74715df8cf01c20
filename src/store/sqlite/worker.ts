/** The thread that has the file. It takes what has gathered while it was busy as one group. */
import { parentPort, workerData } from "node:worker_threads";
import { identityOf, openDatabase, type FileOptions } from "./database.ts";
import { deletedError, storeError, toPlain, type PlainError } from "./failures.ts";
import type { Call, Reply } from "./operations.ts";

export type ToThread = readonly Call[] | "close";
export type FromThread = "ready" | { readonly refused: PlainError } | readonly Reply[];

const port = parentPort!;
const options = workerData as FileOptions;

try {
  const db = openDatabase(options);
  // The queries load while the store is already open, and the first calls gather.
  tell("ready");
  const [{ createRunner }, { serve }] = await Promise.all([import("./query.ts"), import("./operations.ts")]);
  const database = { db, runner: createRunner(db, options.key) };
  const end = (): void => {
    db.close();
    port.close();
  };
  work((calls) => serve(database, options.path, calls), end);
} catch (error) {
  tell({ refused: toPlain(storeError(error, options.path)) });
  port.close();
}

function work(serve: (calls: readonly Call[]) => readonly Reply[], end: () => void): void {
  let gathered: Call[] = [];
  const opened = identityOf(options.path);
  const serveAll = (): void => {
    const calls = gathered;
    gathered = [];
    if (opened === undefined || identityOf(options.path) === opened) return tell(serve(calls));
    // The file was deleted while it is open: what SQLite writes to it now would be lost.
    const error = toPlain(deletedError(options.path));
    tell(calls.map(({ id }) => ({ id, error })));
    end();
  };
  port.on("message", (message: ToThread) => {
    if (message === "close") return end();
    if (gathered.length === 0) setImmediate(serveAll);
    gathered = gathered.concat(message);
  });
}

function tell(message: FromThread): void {
  port.postMessage(message);
}
