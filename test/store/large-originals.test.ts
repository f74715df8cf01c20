/** Originals that are too large for one transaction: others write meanwhile, and nobody sees a part of one. */
import { rmSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { openSqliteStore, type SqliteOptions } from "../../src/store/index.ts";
import type { Original } from "../../src/store/store.ts";

const TENANT = "t";
const LINES = 3_000;

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

/** A span of many messages, some megabytes in all. */
function span(id: string, name: string): Original {
  const line = (at: number): string =>
    JSON.stringify({ role: "user", content: `${name} ${at} ${`item${at} of ${name} `.repeat(60)}` });
  return { id, kind: "span", label: name, text: Array.from({ length: LINES }, (_, at) => line(at)).join("\n") };
}

const small: Original = { id: "r0000000ff", kind: "result", label: "small", text: "beside it" };

it("lets others write while a large original is kept, and shows it whole or not at all", async () => {
  const path = temporaryFile();
  const [store, other] = [await open(path), await open(path)];
  const original = span("r000000001", "falcon");
  const started = performance.now();
  const progress = { isOver: false };
  const put = store.putOriginals(TENANT, [original, small]).finally(() => void (progress.isOver = true));
  let longestMs = 0;
  let seen = 0;
  while (!progress.isOver) {
    const since = performance.now();
    await other.putOriginals(TENANT, [{ ...small, id: "r0000000aa", text: `note ${since}` }]);
    longestMs = Math.max(longestMs, performance.now() - since);
    const found = await other.getOriginal(TENANT, original.id);
    const together = (await other.getOriginal(TENANT, small.id)) !== undefined;
    if (found !== undefined || together) seen++;
    if (seen === 0) expect(await other.search(TENANT, "falcon", 10)).toEqual([]);
    else if (found !== undefined) expect(found.text.length).toBe(original.text.length);
  }
  await put;
  // In one transaction, somebody waits for nearly all of it.
  expect(longestMs).toBeLessThan((performance.now() - started) / 3);
  expect(await store.getOriginal(TENANT, original.id)).toEqual(original);
  expect(await store.getOriginal(TENANT, small.id)).toEqual(small);
  expect((await other.search(TENANT, "item2999", 10)).map(({ id }) => id)).toEqual([original.id]);
  expect(await store.check()).toEqual([]);
});

it("keeps the same once, and another text under the same id in its place", async () => {
  const store = await open(temporaryFile());
  const original = span("r000000001", "falcon");
  for (let time = 0; time < 2; time++) await store.putOriginals(TENANT, [original]);
  expect(await store.holdings()).toMatchObject({ originals: 1, bodies: LINES });
  const newer = span("r000000001", "heron");
  await store.putOriginals(TENANT, [newer]);
  expect(await store.getOriginal(TENANT, newer.id)).toEqual(newer);
  expect(await store.holdings()).toMatchObject({ originals: 1, bodies: LINES });
});

it("leaves nothing of one that does not fit", async () => {
  const store = await open(temporaryFile(), { sizeBytesMax: 2_000_000 });
  await expect(store.putOriginals(TENANT, [span("r000000001", "falcon")])).rejects.toMatchObject({
    code: "store_full",
  });
  expect(await store.holdings()).toMatchObject({ originals: 0, bodies: 0 });
});

it("does not find what a process left that ended half-way, and removes it after a while", async () => {
  const path = temporaryFile();
  const now = { ms: 1_000_000_000 };
  const store = await open(path, { now: () => now.ms });
  await store.putOriginals(TENANT, [{ ...small, text: "half a falcon" }]);
  const file = new DatabaseSync(path);
  file.exec("update originals set recall_id = 'staged 1', kind = 'staged'");
  file.close();
  expect(await store.search(TENANT, "falcon", 10)).toEqual([]);
  now.ms += 24 * 60 * 60_000;
  await store.putOriginals(TENANT, [span("r000000001", "heron")]);
  expect(await store.holdings()).toMatchObject({ originals: 1, bodies: LINES });
});
