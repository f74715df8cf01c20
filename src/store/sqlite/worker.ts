/** The thread that has the file. It takes what has gathered while it was busy as one group. */
import { parentPort, workerData } from "node:worker_threads";
import { openDatabase, type FileOptions } from "./database.ts";
import { storeError, toPlain, type PlainError } from "./failures.ts";
import type { Call } from "./operations.ts";
import type { Reply } from "./serve.ts";

export type ToThread = Call | "close";
export type FromThread = "ready" | { readonly refused: PlainError } | readonly Reply[];

const port = parentPort!;
const options = workerData as FileOptions;
silenceSqliteWarning();

try {
  const db = await openDatabase(options);
  const [{ createRunner }, { serve }] = await Promise.all([import("./query.ts"), import("./serve.ts")]);
  const desk = { db, runner: createRunner(db) };
  let gathered: Call[] = [];
  const work = (): void => {
    const calls = gathered;
    gathered = [];
    tell(serve(desk, options.path, calls));
  };
  port.on("message", (message: ToThread) => {
    if (message === "close") {
      db.close();
      port.close();
    } else if (gathered.push(message) === 1) setImmediate(work);
  });
  tell("ready");
} catch (error) {
  tell({ refused: toPlain(storeError(error, options.path)) });
  port.close();
}

function tell(message: FromThread): void {
  port.postMessage(message);
}

/** Some versions of Node warn that their SQLite is experimental; every other warning still comes through. */
function silenceSqliteWarning(): void {
  const emit = process.emitWarning.bind(process) as (...args: unknown[]) => void;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
    const text = typeof warning === "string" ? warning : warning.message;
    if (!text.startsWith("SQLite is an experimental feature")) emit(warning, ...rest);
  };
}
