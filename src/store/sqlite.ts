/**
 * History in an SQLite file: survives the process, serves several of them at once, and keeps the event loop free by
 * working in a thread of its own. What is acknowledged is on the disk.
 */
import { createPauses } from "./batches.ts";
import { QUEUE_LIMITS, type QueueLimits, createGate } from "./gate.ts";
import { createLifetime } from "./lifetime.ts";
import { wrongKeyError } from "./refusals.ts";
import { createHistoryCalls } from "./sql/history.ts";
import type { Ask, AnswerOf, OperationName } from "./sql/operations.ts";
import type { ClockOptions, HistoryStore } from "./store.ts";
import { KEY_BYTES } from "./vault.ts";
import { Worker } from "node:worker_threads";
import { identityOf, type FileOptions, openDatabase } from "./sqlite/database.ts";
import { fromPlain, deletedError, lostThreadError } from "./sqlite/failures.ts";
import type { Call } from "./sqlite/operations.ts";
import type { FromThread, ToThread } from "./sqlite/worker.ts";
import type { DatabaseSync } from "node:sqlite";
import { createRunner, type Runner } from "./sqlite/query.ts";
import { countStored, type ChainEnd } from "./sql/chains.ts";
import { findRecord } from "./sql/compaction-records.ts";
import { getStates } from "./sql/usage.ts";
import type { Steps } from "./sql/steps.ts";

export interface SqliteOptions extends ClockOptions {
  /** The file; it and its folder are created where they are missing, for their owner alone. */
  readonly path: string;
  /** How long a call waits for another process that is writing, in milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /** True: nothing can be written, and the file has to exist. */
  readonly readOnly?: boolean;
  /** True: the file is one that another part of the program has open, and is not made where it is missing. */
  readonly mustExist?: boolean;
  /**
   * 32 bytes that nobody else has: bodies, compactions, states and labels are encrypted with them. A new file takes the key
   * it is made with; without it nothing of it can be read.
   */
  readonly key?: Uint8Array;
  /** The file grows no further than this; writes then fail with `store_full`. No limit by default. */
  readonly sizeBytesMax?: number;
  /** What may be under way and waiting at once. */
  readonly queue?: Partial<QueueLimits>;
}

const BUSY_TIMEOUT_MS = 5_000;

/**
 * Opens a history in an SQLite file.
 *
 * @throws PrecisError as docs/store.md lists them; a file that is refused has not been touched.
 */
export async function openSqliteStore(options: SqliteOptions): Promise<HistoryStore> {
  const { path, busyTimeoutMs = BUSY_TIMEOUT_MS, readOnly = false, mustExist = false } = options;
  const { sizeBytesMax, key, now = Date.now } = options;
  if (key !== undefined && key.length !== KEY_BYTES) throw wrongKeyError(path);
  const file = {
    path,
    busyTimeoutMs,
    readOnly,
    mustExist,
    ...(sizeBytesMax === undefined ? {} : { sizeBytesMax }),
    ...(key === undefined ? {} : { key }),
  };
  const client = await startWorkerClient(file, { ...QUEUE_LIMITS, ...options.queue });
  const { during, end } = createLifetime();
  // A file has one writer: others get to write between the batches.
  const pauseInTime = createPauses();
  const ask: Ask = async (name, tenant, argument, bytes) => {
    const answer = await client.call(name, tenant, argument, bytes);
    if (name === "stagePieces" || (name === "append" && (argument as ChainEnd).more === true)) await pauseInTime();
    return answer;
  };
  return { ...createHistoryCalls(ask, { now, readOnly, during }), close: () => end(client.close) };
}

// Carries calls to the thread that has the file, and their answers back; what can be read at once is. A thread that dies
// is replaced at the next call.

export interface WorkerClient {
  readonly call: Ask;
  /** Ends the thread; to be called when nothing is under way. */
  readonly close: () => Promise<void>;
}

interface Pending {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Of the thread's memory; with Node's own default it keeps about 10 MB more, and is no faster. */
const YOUNG_GENERATION_MEBIBYTES = 4;

/** Resolves when the file is open. */
export async function startWorkerClient(file: FileOptions, limits: QueueLimits): Promise<WorkerClient> {
  const gate = createGate(limits);
  const reader = createReader(file);
  let thread: Promise<Thread> | undefined;
  let opened = false;

  const threadNow = (): Promise<Thread> => {
    if (thread === undefined) {
      // A thread that could only say so need not be started.
      if (opened && identityOf(file.path) === undefined) throw deletedError(file.path);
      const starting = startThread({ ...file, mustExist: opened || file.mustExist === true }, () => {
        if (thread === starting) thread = undefined;
        // The next call may find another file there.
        reader.close();
      });
      thread = starting;
    }
    return thread;
  };

  const carry = async (call: Omit<Call, "id">): Promise<unknown> => {
    const { bytes } = call;
    const read = reader.answer(call);
    if (read !== undefined) return read.answer;
    const answered = reader.begun(call.name);
    try {
      await gate.enter(bytes);
      try {
        return await (await threadNow()).ask(call);
      } finally {
        gate.leave(bytes);
      }
    } finally {
      answered();
    }
  };

  await threadNow();
  opened = true;
  return {
    call: async (name, tenant, argument, bytes = 0) => (await carry({ name, tenant, argument, bytes })) as never,
    close: async () => {
      // The last to let go of the file puts it in order, and that is the thread.
      reader.close();
      await (await thread)?.end();
    },
  };
}

interface Thread {
  readonly ask: (call: Omit<Call, "id">) => Promise<unknown>;
  readonly end: () => Promise<void>;
}

/** Nobody waits for these: they go with the next call, or when they have waited for this long. */
const UNHURRIED: ReadonlySet<OperationName> = new Set(["putUsage", "touchRecords"]);
const UNHURRIED_MS = 50;

/** Hands over in one message what is asked for in one go: it wakes the thread once, and its writes are committed together. */
function createGathering(post: (calls: readonly Call[]) => void): (call: Call) => void {
  let gathered: Call[] = [];
  let late: NodeJS.Timeout | undefined;
  const handOver = (): void => {
    clearTimeout(late);
    late = undefined;
    if (gathered.length > 0) post(gathered);
    gathered = [];
  };
  return (call) => {
    gathered.push(call);
    if (UNHURRIED.has(call.name)) late ??= setTimeout(handOver, UNHURRIED_MS);
    else process.nextTick(handOver);
  };
}

function takeOut(pending: Map<number, Pending>, id: number, worker: Worker): Pending | undefined {
  const one = pending.get(id);
  pending.delete(id);
  // A store that nobody waits for does not keep a program alive.
  if (pending.size === 0) worker.unref();
  return one;
}

function workerOn(file: FileOptions): Worker {
  // The thread's own file: as source, or as built.
  return new Worker(new URL(`./sqlite/worker${import.meta.url.slice(-3)}`, import.meta.url), {
    workerData: file,
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MEBIBYTES },
  });
}

/** `ended` is told once, when the thread cannot be asked any more. */
function startThread(file: FileOptions, ended: () => void): Promise<Thread> {
  const worker = workerOn(file);
  const pending = new Map<number, Pending>();
  let [asked, death]: [number, unknown] = [0, undefined];
  const gone = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  const post = (message: ToThread): void => worker.postMessage(message);
  const settle = (id: number): Pending | undefined => takeOut(pending, id, worker);
  const gather = createGathering(post);
  const thread: Thread = {
    ask: (call) =>
      new Promise((resolve, reject) => {
        const id = asked++;
        if (pending.size === 0) worker.ref();
        pending.set(id, { resolve, reject });
        gather({ id, ...call });
      }),
    end: async () => {
      worker.ref();
      post("close");
      await gone;
    },
  };
  return new Promise((resolve, reject) => {
    const lost = (): void => {
      ended();
      const error = lostThreadError(file.path, death);
      for (const id of pending.keys()) settle(id)?.reject(error);
      reject(error);
    };
    worker.on("error", (error) => {
      death = error;
    });
    worker.once("exit", lost);
    worker.on("message", (message: FromThread) => {
      if (message === "ready") {
        worker.unref();
        resolve(thread);
      } else if ("refused" in message) {
        ended();
        reject(fromPlain(message.refused));
      } else
        for (const reply of message) {
          const one = settle(reply.id);
          // A thread without its file ends now: the next call must not ask it.
          if ("error" in reply && reply.error.details.code === "store_gone") ended();
          if ("error" in reply) one?.reject(fromPlain(reply.error));
          else one?.resolve(reply.answer as never);
        }
    });
  });
}

// Answers on the caller's own thread what is asked before every request. In a write-ahead log a reader waits for nobody,
// and these questions read little: the way to the store's thread and back would take ten times as long. What reads as
// much as a whole chain stays with the thread, so that nobody else waits for it.

type Question = "findRecord" | "countStored" | "getStates";
type Answer<Name extends OperationName> = (runner: Runner, tenant: string, argument: never) => Steps<AnswerOf<Name>>;

const QUESTIONS: { readonly [Name in Question]: Answer<Name> } = {
  findRecord: (_, tenant, asked) => findRecord(tenant, asked),
  countStored: (_, tenant, links) => countStored(tenant, links),
  getStates,
};

/** A question that is asked after a write was begun must see it: such a question goes the same way, behind the write. */
const BEHIND: Readonly<Record<Question, readonly OperationName[]>> = {
  findRecord: ["putRecord", "undoRecord"],
  countStored: ["append"],
  getStates: ["putState"],
};

const CACHE_KIBIBYTES = 256;

interface Reader {
  /** Undefined where the store's thread has to be asked, which also knows what is wrong. */
  readonly answer: (call: Pick<Call, "name" | "tenant" | "argument">) => { readonly answer: unknown } | undefined;
  /** A call is on its way to the thread until what is returned is called. */
  readonly begun: (name: OperationName) => () => void;
  /** Lets go of the file; the next question opens it again. */
  readonly close: () => void;
}

export function createReader(file: FileOptions): Reader {
  let open: { readonly db: DatabaseSync; readonly runner: Runner } | "refused" | undefined;
  const underWay = new Map<OperationName, number>();
  const add = (name: OperationName, count: number): void => void underWay.set(name, (underWay.get(name) ?? 0) + count);
  return {
    answer: ({ name, tenant, argument }) => {
      if (!isQuestion(name) || BEHIND[name].some((write) => (underWay.get(write) ?? 0) > 0)) return undefined;
      open ??= openToRead(file);
      if (open === "refused") return undefined;
      try {
        return { answer: open.runner.answer<unknown>(QUESTIONS[name](open.runner, tenant, argument as never)) };
      } catch {
        return undefined;
      }
    },
    begun: (name) => {
      add(name, 1);
      return () => add(name, -1);
    },
    close: () => {
      if (open !== "refused") open?.db.close();
      open = undefined;
    },
  };
}

function isQuestion(name: OperationName): name is Question {
  return Object.hasOwn(QUESTIONS, name);
}

function openToRead(file: FileOptions): { readonly db: DatabaseSync; readonly runner: Runner } | "refused" {
  try {
    // A call that would have to wait is left to the thread.
    const db = openDatabase({ ...file, readOnly: true, busyTimeoutMs: 0 });
    db.exec(`pragma cache_size = -${CACHE_KIBIBYTES}`);
    return { db, runner: createRunner(db, file.key) };
  } catch {
    return "refused";
  }
}
