/** The file: whose it is, which are refused, and what happens when it cannot be written. */
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { openSqliteStore, type SqliteOptions } from "../../src/store/sqlite.ts";
import type { HistoryStore } from "../../src/store/store.ts";
import { compaction, talk } from "./contract/things.ts";

const ROOT = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "precis-file-"));
const opened: HistoryStore[] = [];
let count = 0;
let path = "";
beforeEach(() => {
  path = join(folder, `new ${++count}`, "history.db");
});
afterAll(async () => {
  await Promise.all(opened.map((store) => store.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function open(options: Partial<SqliteOptions> = {}): Promise<HistoryStore> {
  const store = await openSqliteStore({ path, ...options });
  opened.push(store);
  return store;
}

const mode = (of: string): number => statSync(of).mode & 0o777;

describe.skipIf(process.platform === "win32")("the file's modes", () => {
  it("are for its owner alone, those of the folder and the journal too", async () => {
    const store = await open();
    await store.appendChain("t", talk("a"));
    expect(mode(join(path, ".."))).toBe(0o700);
    const files = readdirSync(join(path, ".."));
    expect(files.length).toBeGreaterThan(1);
    expect(files.map((name) => mode(join(path, "..", name)))).toEqual(files.map(() => 0o600));
  });

  it("are taken back where somebody loosened them, but a folder that was there is left as it is", async () => {
    mkdirSync(join(path, ".."), { mode: 0o755 });
    writeFileSync(path, "", { mode: 0o644 });
    await open();
    expect(mode(path)).toBe(0o600);
    expect(mode(join(path, ".."))).toBe(0o755);
  });
});

describe("a file that is not ours", () => {
  const refusal = async (bytes?: Uint8Array | string) => {
    if (bytes !== undefined) {
      mkdirSync(join(path, ".."), { recursive: true });
      writeFileSync(path, bytes);
      chmodSync(path, 0o644);
    }
    const before = readFileSync(path);
    const error = await open().then(
      () => undefined,
      (one: unknown) => one,
    );
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(join(path, ".."))).toHaveLength(1);
    return error;
  };
  const database = (sql: string): void => {
    mkdirSync(join(path, ".."), { recursive: true });
    const db = new DatabaseSync(path);
    db.exec(sql);
    db.close();
  };

  it("is refused untouched when a newer precis wrote it", async () => {
    await (await open()).close();
    database("pragma user_version = 1000");
    expect(await refusal()).toMatchObject({
      code: "store_newer",
      retryable: false,
      place: path,
      hint: expect.stringContaining("newer version of precis"),
    });
  });

  it("is refused untouched when another program's", async () => {
    database("create table theirs (x); pragma user_version = 3");
    expect(await refusal()).toMatchObject({ code: "store_foreign", place: path });
    path = join(folder, `new ${++count}`, "history.db");
    database("create table theirs (x)");
    expect(await refusal()).toMatchObject({ code: "store_foreign" });
  });

  it("is refused untouched when no database", async () => {
    expect(await refusal("# notes\n")).toMatchObject({ code: "store_damaged" });
  });

  it("is told from one that is yet empty, such as a copy without the log that has its contents", async () => {
    const store = await open();
    await store.appendChain("t", talk("a", "b"));
    const copy = join(folder, `copy ${count}.db`);
    for (const bytes of [readFileSync(path), ""]) {
      writeFileSync(copy, bytes);
      const refused = openSqliteStore({ path: copy, readOnly: true });
      await expect(refused).rejects.toMatchObject({
        code: "store_empty",
        hint: expect.stringContaining("-wal") as string,
      });
    }
  });

  it("is told from a folder, and from one that is missing where nothing may be written", async () => {
    mkdirSync(path, { recursive: true });
    await expect(open()).rejects.toMatchObject({ code: "store_unreachable" });
    path = join(folder, "missing.db");
    await expect(open({ readOnly: true })).rejects.toMatchObject({ code: "store_unreachable" });
    expect(readdirSync(folder)).not.toContain("missing.db");
  });
});

it.skipIf(process.platform === "win32")("a pipe is no store, and is not waited for", async () => {
  const pipe = join(folder, "pipe");
  await promisify(execFile)("mkfifo", [pipe]);
  const opening = (): Promise<unknown> => openSqliteStore({ path: pipe });
  await expect(opening()).rejects.toMatchObject({ code: "store_unreachable", place: pipe });
  await expect(openSqliteStore({ path: "/dev/null" })).rejects.toMatchObject({ code: "store_unreachable" });
  // In a process of its own: one that waits for a writer cannot be ended otherwise.
  const bin = join(ROOT, "src/cli/bin.ts");
  const serving = promisify(execFile)(process.execPath, [bin, "serve", "--port", "0", "--store", pipe], {
    timeout: 20_000,
    env: { ...process.env, HOME: folder },
  });
  await expect(serving).rejects.toMatchObject({ killed: false, stderr: expect.stringContaining("no file") as string });
});

describe("a file that cannot be written", () => {
  it("says that another process holds it, and works again when that is done", async () => {
    const store = await open({ busyTimeoutMs: 50 });
    await store.appendChain("t", talk("a"));
    const other = new DatabaseSync(path);
    other.exec("begin immediate");
    await expect(store.appendChain("t", talk("b"))).rejects.toMatchObject({ code: "store_locked", retryable: true });
    expect((await store.holdings("t")).messages).toBe(1);
    other.exec("rollback");
    other.close();
    expect(await store.appendChain("t", talk("b"))).toMatchObject({ added: 1 });
  });

  it("waits for a process that is soon done", async () => {
    const store = await open({ busyTimeoutMs: 10_000 });
    await store.appendChain("t", talk("a"));
    const other = new DatabaseSync(path);
    other.exec("begin immediate");
    const waiting = store.appendChain("t", talk("b"));
    setTimeout(() => other.exec("rollback"), 100);
    expect(await waiting).toMatchObject({ added: 1 });
    other.close();
  });

  it("says that there is no room, keeps all it has, and takes what still fits", async () => {
    const store = await open({ sizeBytesMax: 600_000 });
    const said = (n: number) => talk(`message ${n} ${"x y ".repeat(5_000)}`);
    const kept: number[] = [];
    let refused: unknown;
    for (let n = 0; refused === undefined && n < 100; n++) {
      refused = await store.appendChain("t", said(n)).then(
        () => void kept.push(n),
        (error: unknown) => error,
      );
    }
    expect(refused).toMatchObject({ code: "store_full", retryable: true, hint: expect.stringContaining("Free space") });
    expect(kept.length).toBeGreaterThan(2);
    expect((await store.holdings("t")).messages).toBe(kept.length);
    expect(await store.check()).toEqual([]);
    await store.retain({ maxBytes: 0 });
    expect(await store.appendChain("t", said(0))).toMatchObject({ added: 1 });
  });

  it("fails only the writes that do not fit of those that were made together", async () => {
    const store = await open({ sizeBytesMax: 600_000 });
    const sizes = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? 50_000 : 10));
    const outcomes = await Promise.allSettled(
      sizes.map((size, n) => store.appendChain("t", talk(`message ${n} ${"x".repeat(size)}`))),
    );
    const kept = outcomes.filter(({ status }) => status === "fulfilled").length;
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(sizes.length);
    expect((await store.holdings("t")).messages).toBe(kept);
    expect(await store.check()).toEqual([]);
  });

  it("can be opened for reading only", async () => {
    const { links, messages } = talk("a", "b");
    const writing = await open();
    await writing.appendChain("t", { links, messages });
    await writing.putCompaction("t", compaction(links[1]!, 2));
    const reading = await open({ readOnly: true, now: () => Date.now() + 10_000_000 });
    expect(await reading.readChain("t", links[1]!)).toHaveLength(2);
    expect((await reading.findCompaction("t", links)).compaction).toBeDefined();
    await expect(reading.appendChain("t", talk("c"))).rejects.toMatchObject({ code: "store_read_only" });
    await expect(reading.putState("t", "root", 1)).rejects.toMatchObject({
      code: "store_read_only",
      retryable: false,
      hint: expect.stringContaining("for writing"),
    });
  });

  it("refuses calls beyond its queue instead of piling them up, and loses none it took", async () => {
    const store = await open({ queue: { calls: 1, waitingCalls: 3 } });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => store.putState("t", `root ${n}`, n)),
    );
    const refused = outcomes.filter(({ status }) => status === "rejected");
    expect(refused).toHaveLength(16);
    for (const one of refused) expect(one).toMatchObject({ reason: { code: "store_busy", retryable: true } });
    for (const n of [0, 1, 2, 3]) expect(await store.getState("t", `root ${n}`)).toBe(n);
  });
});

it("is whole again after a program that died while it moved the log into the file", async () => {
  const store = await open();
  for (let number = 0; number < 50; number++) await store.appendChain("t", talk(`s${number}`));
  const log = readFileSync(`${path}-wal`);
  await store.close();
  const moved = readFileSync(path);
  // The first page counts all pages of the file, which are not there yet.
  path = join(folder, `new ${++count}`, "history.db");
  mkdirSync(join(path, ".."));
  writeFileSync(path, moved.subarray(0, 3 * 4_096));
  writeFileSync(`${path}-wal`, log);
  const again = await open();
  expect(await again.listSessions("t", { limit: 100 })).toHaveLength(50);
});

describe("two stores on one file", () => {
  it("see each other's history, and agree on who was first", async () => {
    const stores = [await open(), await open()] as const;
    const words = Array.from({ length: 30 }, (_, n) => `word ${n}`);
    const until = (n: number) => talk(...words.slice(0, n));
    const added = await Promise.all(
      words.flatMap((_, n) => stores.map(async (store) => (await store.appendChain("t", until(n + 1))).added)),
    );
    expect(added.reduce((sum, one) => sum + one, 0)).toBe(words.length);
    const { links } = until(30);
    const [a, b] = await Promise.all(
      stores.map((store, n) => store.putCompaction("t", { ...compaction(links[9]!, 10), state: `by ${n}` })),
    );
    expect(a!.state).toBe(b!.state);
    expect(await stores[1].readChain("t", links.at(-1)!)).toHaveLength(30);
    expect(await stores[0].listSessions("t", { limit: 9 })).toHaveLength(1);
  });

  it("do not take what another wrote for what was deleted, where it stands in the same place", async () => {
    const [one, other] = [await open(), await open()];
    const [gone, next] = [talk("gone", "y"), talk("next", "z")];
    await one.appendChain("t", { ...gone, session: "gone" });
    await one.putCompaction("t", compaction(gone.links[1]!, 2), gone.links[0]);
    await other.deleteSessions("t", ["gone"]);
    await other.putCompaction("t", compaction(next.links[1]!, 2), next.links[0]);
    expect((await one.findCompaction("t", next.links)).compaction?.covers).toBe(next.links[1]);
    expect((await one.listCompactions("t", next.links)).map((entry) => entry.compaction.covers)).toEqual([
      next.links[1],
    ]);
  });

  it("find out that retention in the one took what the other remembers", async () => {
    const [a, b] = [await open(), await open()];
    await a!.appendChain("t", talk("a", "b"));
    await b!.retain({ before: Date.now() + 1_000 });
    expect(await a!.appendChain("t", talk("a", "b", "c"))).toMatchObject({ added: 3 });
  });
});

describe("a program that uses a store", () => {
  const run = (script: string) =>
    promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], { cwd: ROOT });

  it("says nothing on standard error, and ends by itself without closing it", async () => {
    const { stdout, stderr } = await run(`
      import { openSqliteStore } from "./src/store/index.ts";
      const store = await openSqliteStore({ path: ${JSON.stringify(path)} });
      await store.putState("t", "root", "kept");
      process.stdout.write(await store.getState("t", "root"));
    `);
    expect({ stdout, stderr }).toEqual({ stdout: "kept", stderr: "" });
    expect(await (await open()).getState("t", "root")).toBe("kept");
  });

  it("does not load SQLite until it opens one", async () => {
    const { stdout } = await run(`
      await import("./src/index.ts");
      await import("./src/store/index.ts");
      process.stdout.write(process.moduleLoadList.filter((name) => /sqlite/i.test(name)).join());
    `);
    expect(stdout).toBe("");
  });
});

it.skipIf(process.platform !== "linux")(
  "keeps the locks that the program has on it when it is opened once more",
  async () => {
    const store = await open();
    await store.appendChain("t", talk("a"));
    const locks = () => {
      const inode = statSync(path, { bigint: true }).ino;
      return readFileSync("/proc/locks", "utf8")
        .split("\n")
        .filter((line) => line.includes(`:${inode} `)).length;
    };
    const before = locks();
    expect(before).toBeGreaterThan(0);
    await store.getState("t", "root");
    await (await open()).appendChain("t", talk("b"));
    openDatabase({ path, readOnly: true, busyTimeoutMs: 0 }).close();
    expect(locks()).toBeGreaterThanOrEqual(before);
  },
);
