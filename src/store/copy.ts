/**
 * Copies a store into another of either kind: batch by batch, so that a copy that was ended goes on where it was, and
 * compared row by row afterwards. Ids stay; texts are kept with each side's own key.
 */
import { hash } from "node:crypto";
import { PrecisError } from "../core/errors.ts";
import { storeAddress } from "./open.ts";
import { TRANSFER_ORDER, type Transfer, type TransferKind } from "./sql/transfer.ts";

export interface CopyPlace {
  /** As `openStore` takes it; a file or a database. */
  readonly address: string;
  readonly key?: Uint8Array;
}

export interface CopyProgress {
  readonly kind: TransferKind;
  /** Rows so far, of all kinds. */
  readonly rows: number;
}

export interface CopyOptions {
  readonly from: CopyPlace;
  readonly to: CopyPlace;
  readonly onProgress?: (progress: CopyProgress) => void;
  /** Ends it after the batch that is under way; the next copy goes on from there. */
  readonly signal?: AbortSignal;
}

export type CopiedRows = Readonly<Record<TransferKind, number>>;

/** Messages may be large, an original is a whole conversation. */
const ROWS_AT_ONCE: Readonly<Record<TransferKind, number>> = {
  tenants: 1_000,
  sessions: 1_000,
  messages: 250,
  heads: 1_000,
  compactions: 20,
  undone: 1_000,
  originals: 20,
  usages: 1_000,
  states: 100,
};
const BUSY_TIMEOUT_MS = 5_000;

/**
 * The target is empty, or an unfinished copy of the same store. What the source gets meanwhile may be missing: copy while
 * nothing writes to it. Answers with the rows that were copied this time.
 * @throws PrecisError `copy_target_used` where the target has other contents, and those of both stores.
 */
export async function copyStore({ from, to, onProgress, signal }: CopyOptions): Promise<CopiedRows> {
  const source = await openTransfer(from, { readOnly: true });
  try {
    const target = await openTransfer(to, { readOnly: false });
    try {
      await checkTarget(target, { from: from.address, to: to.address });
      await target.mark({ from: from.address, finished: false });
      const copied = await copyAll(source, target, { onProgress, signal });
      await target.finish();
      await target.mark({ from: from.address, finished: true });
      return copied;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function openTransfer({ address, key }: CopyPlace, { readOnly }: { readonly readOnly: boolean }) {
  const { kind, place } = storeAddress(address);
  const keyed = key === undefined ? {} : { key };
  switch (kind) {
    case "memory":
      throw new PrecisError("a store in memory cannot be copied", {
        code: "bad_options",
        hint: "Name a file, or a postgres:// address.",
      });
    case "sqlite": {
      const { openSqliteTransfer } = await import("./sqlite/transfer.ts");
      return openSqliteTransfer({ path: place, busyTimeoutMs: BUSY_TIMEOUT_MS, readOnly, ...keyed });
    }
    default: {
      const { openPostgresTransfer } = await import("./postgres.ts");
      return openPostgresTransfer({ url: address, readOnly, ...keyed });
    }
  }
}

async function checkTarget(target: Transfer, { from, to }: { readonly from: string; readonly to: string }) {
  const mark = await target.copyOf();
  if (mark === undefined ? await target.isEmpty() : mark.from === from && !mark.finished) return;
  const what =
    mark === undefined ? "has contents already" : `is ${mark.finished ? "a finished" : "a"} copy of ${mark.from}`;
  throw new PrecisError(`${to} ${what}`, {
    code: "copy_target_used",
    hint: "Name a new file, or an empty schema of a database.",
    place: to,
  });
}

type CopyAllOptions = { readonly [Name in "onProgress" | "signal"]: CopyOptions[Name] | undefined };

async function copyAll(
  source: Transfer,
  target: Transfer,
  { onProgress, signal }: CopyAllOptions,
): Promise<CopiedRows> {
  const copied: Record<string, number> = {};
  let rows = 0;
  for (const kind of TRANSFER_ORDER) {
    copied[kind] = 0;
    for await (const batch of batchesOf(source, kind, await target.reached(kind))) {
      signal?.throwIfAborted();
      await target.write(kind, batch);
      copied[kind] += batch.length;
      rows += batch.length;
      onProgress?.({ kind, rows });
    }
  }
  return copied as CopiedRows;
}

async function* batchesOf<Kind extends TransferKind>(store: Transfer, kind: Kind, from: number) {
  const limit = ROWS_AT_ONCE[kind];
  for (let after = from; ;) {
    const batch = await store.read(kind, { after, limit });
    if (batch.length > 0) yield batch;
    if (batch.length < limit) return;
    const last = batch.at(-1)!;
    after = "id" in last ? last.id : after + batch.length;
  }
}

/** One line a difference; none where both stores hold the same, message by message. */
export async function compareStores(one: CopyPlace, other: CopyPlace): Promise<readonly string[]> {
  const some = await openTransfer(one, { readOnly: true });
  try {
    const others = await openTransfer(other, { readOnly: true });
    try {
      const differences: string[] = [];
      for (const kind of TRANSFER_ORDER) {
        const difference = await (WITHOUT_ID.has(kind) ? unorderedDifference : differenceOf)(some, others, kind);
        if (difference !== undefined) differences.push(difference);
      }
      return differences;
    } finally {
      await others.close();
    }
  } finally {
    await some.close();
  }
}

/** Each database has its own order of texts. */
const WITHOUT_ID: ReadonlySet<TransferKind> = new Set<TransferKind>(["undone", "states"]);

async function unorderedDifference(one: Transfer, other: Transfer, kind: TransferKind): Promise<string | undefined> {
  const [some, others] = [await hashesOf(one, kind), await hashesOf(other, kind)];
  const missing = [...some].filter((row) => !others.has(row)).length;
  const more = others.size - (some.size - missing);
  if (missing === 0 && more === 0) return undefined;
  return `${kind}: ${missing} rows of the first are not in the second, and ${more} of the second are not in the first`;
}

async function hashesOf(store: Transfer, kind: TransferKind): Promise<ReadonlySet<string>> {
  const hashes = new Set<string>();
  for await (const batch of batchesOf(store, kind, 0)) for (const row of batch) hashes.add(hash("sha256", textOf(row)));
  return hashes;
}

/** The first difference of a kind. */
async function differenceOf(one: Transfer, other: Transfer, kind: TransferKind): Promise<string | undefined> {
  const others = batchesOf(other, kind, 0);
  let rows = 0;
  for await (const batch of batchesOf(one, kind, 0)) {
    const same = (await others.next()).value ?? [];
    const at = batch.findIndex((row, place) => textOf(row) !== textOf(same[place]));
    if (at >= 0 || same.length > batch.length)
      return `${kind}: row ${rows + (at < 0 ? batch.length : at) + 1} is not the same in both`;
    rows += batch.length;
  }
  return (await others.next()).done === true ? undefined : `${kind}: the second has more than the first's ${rows} rows`;
}

/** Whatever order the columns are in. */
function textOf(row: object | undefined): string {
  return row === undefined ? "" : JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
