/** The thread that has the file. It takes what has gathered while it was busy as one group. */
import type { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { identityOf, openDatabase, type FileOptions } from "./database.ts";
import { deletedError, storeError, toPlain, type PlainError } from "./failures.ts";
import type { Call } from "./operations.ts";
import type { Reply } from "./serve.ts";

export type ToThread =
  | readonly Call[]
  | "close"
  /** A call to make ready; it is made when a call comes that names it, or is forgotten. */
  | { readonly prepare: Call }
  | { readonly forget: number };
export type FromThread = "ready" | { readonly refused: PlainError } | readonly Reply[];

const port = parentPort!;
const options = workerData as FileOptions;

try {
  const db = openDatabase(options);
  // The queries load while the store is already open, and the first calls gather.
  tell("ready");
  const [{ createRunner }, { prepare, serve }] = await Promise.all([import("./query.ts"), import("./serve.ts")]);
  const runner = createRunner(db, options.key);
  const database = { db, runner };
  work(db, { serve: (calls) => serve(database, options.path, calls), prepare: (call) => prepare(database, call) });
} catch (error) {
  tell({ refused: toPlain(storeError(error, options.path)) });
  port.close();
}

interface Work {
  readonly serve: (calls: readonly Call[]) => readonly Reply[];
  readonly prepare: (call: Call) => Call;
}

function work(db: DatabaseSync, { serve, prepare }: Work): void {
  let gathered: Call[] = [];
  const made = new Map<number, Call>();
  const opened = identityOf(options.path);
  const serveAll = (): void => {
    const calls = gathered;
    gathered = [];
    if (opened === undefined || identityOf(options.path) === opened) return tell(serve(calls));
    // The file was deleted while it is open: what SQLite writes to it now would be lost.
    const error = toPlain(deletedError(options.path));
    tell(calls.map(({ id }) => ({ id, error })));
    db.close();
    port.close();
  };
  port.on("message", (message: ToThread) => {
    if (message === "close") {
      db.close();
      port.close();
    } else if ("prepare" in message) {
      made.set(message.prepare.id, message.prepare);
      // What waits to be written comes first.
      setImmediate(() => {
        const call = made.get(message.prepare.id);
        if (call !== undefined) made.set(call.id, prepare(call));
      });
    } else if ("forget" in message) {
      made.delete(message.forget);
    } else {
      if (gathered.length === 0) setImmediate(serveAll);
      for (const each of message.map((call) => taken(made, call))) gathered.push(each);
    }
  });
}

/** The call itself, or the one that was made ready for it. */
function taken(made: Map<number, Call>, call: Call): Call {
  if (call.prepared === undefined) return call;
  const ready = made.get(call.prepared)!;
  made.delete(call.prepared);
  return { ...ready, id: call.id };
}

function tell(message: FromThread): void {
  port.postMessage(message);
}
