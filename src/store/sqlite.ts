/**
 * History in an SQLite file: survives the process, serves several of them at once, and keeps the event loop free by
 * working in a thread of its own. What is acknowledged is on the disk.
 */
import { pauseBetweenBatches } from "./batches.ts";
import { QUEUE_LIMITS, type QueueLimits } from "./gate.ts";
import { createLifetime } from "./lifetime.ts";
import { wrongKeyError } from "./refusals.ts";
import { createHistoryCalls } from "./sql/history.ts";
import type { Ask } from "./sql/operations.ts";
import { startWorkerClient } from "./sqlite/worker-client.ts";
import type { ClockOptions, HistoryStore } from "./store.ts";
import { KEY_BYTES } from "./vault.ts";

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
  // A file has one writer: others get to write between two batches.
  const ask: Ask = async (name, ...what) => {
    const answer = await client.call(name, ...what);
    if (name === "stagePieces") await pauseBetweenBatches();
    return answer;
  };
  return { ...createHistoryCalls(ask, { now, readOnly, during }), close: () => end(client.close) };
}
