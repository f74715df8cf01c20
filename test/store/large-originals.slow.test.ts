/** Originals that are too large for one transaction: others write meanwhile, and nobody sees a part of one. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { openSqliteStore, type SqliteOptions } from "../../src/store/index.ts";
import type { Original } from "../../src/store/store.ts";
import { largeSpan } from "./crash/steps.ts";
import { transactionBytes } from "./journal.ts";

const TENANT = "t";
const WRITER = join(import.meta.dirname, "crash/large-writer.ts");

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "precis-large-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "history.db");
}

async function open(path: string, options: Partial<SqliteOptions> = {}) {
  const store = await openSqliteStore({ path, ...options });
  onTestFinished(store.close);
  return store;
}

/** A batch of 256 KB, its words and the indexes. */
const TRANSACTION_BYTES_MAX = 2 * 1024 * 1024;

const small: Original = { id: "r0000000ff", kind: "result", label: "small", text: "beside it" };

it("is written in many short transactions, and shown whole or not at all", async () => {
  const path = temporaryFile();
  const [store, other] = [await open(path), await open(path)];
  // While somebody reads a state of the file, its journal only grows.
  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec("begin");
  reader.prepare("select count(*) from originals").get();
  const original = largeSpan("falcon");
  const progress = { isOver: false };
  const put = store.putOriginals(TENANT, [original, small]).finally(() => void (progress.isOver = true));
  while (!progress.isOver) {
    const hits = await other.search(TENANT, "falcon", 10);
    const found = await other.getOriginal(TENANT, original.id);
    // It may have been named in between.
    if (found === undefined) expect(hits).toEqual([]);
    else expect(found).toEqual(original);
    await pause(1);
  }
  await put;
  expect(Math.max(...transactionBytes(`${path}-wal`))).toBeLessThan(TRANSACTION_BYTES_MAX);
  reader.close();
  expect(await store.getOriginal(TENANT, original.id)).toEqual(original);
  expect(await store.getOriginal(TENANT, small.id)).toEqual(small);
  expect((await other.search(TENANT, "item2999", 10)).map(({ id }) => id)).toEqual([original.id]);
  expect(await store.check()).toEqual([]);
});

it("leaves nothing of one that does not fit", async () => {
  const store = await open(temporaryFile(), { sizeBytesMax: 2_000_000 });
  await expect(store.putOriginals(TENANT, [largeSpan("falcon")])).rejects.toMatchObject({
    code: "store_full",
  });
  expect(await store.holdings()).toMatchObject({ originals: 0, bodies: 0 });
});

it("shows nothing of what a process left that was killed half way, and retention removes it", async () => {
  const path = temporaryFile();
  const child = spawn(process.execPath, [WRITER, path], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const kept = Number((await lines.next()).value);
  const file = new DatabaseSync(path, { readOnly: true });
  const staged = file.prepare(
    "select count(*) as pieces from original_pieces join originals on id = original where kind = 'staged'",
  );
  await expect.poll(() => staged.get()!["pieces"], { interval: 2, timeout: 10_000 }).toBeGreaterThan(0);
  child.kill("SIGKILL");
  await exited;
  expect(staged.get()!["pieces"]).toBeGreaterThan(0);
  file.close();
  const store = await open(path);
  expect(await store.check()).toEqual([]);
  expect(await store.getOriginal(TENANT, `r${kept}`)).toEqual(largeSpan(`r${kept}`));
  expect(await store.search(TENANT, `r${kept + 1}`, 10)).toEqual([]);
  expect(await store.retain({ before: Date.now() + 1 })).toMatchObject({ originals: 0, bodies: 0 });
});
