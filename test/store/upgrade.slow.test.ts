/** A file of an earlier version is copied, whole and for its owner alone, before it is brought up to date. */
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { APPLICATION_ID, COMPATIBLE_VERSION, MIGRATIONS, SCHEMA_VERSION } from "../../src/store/sqlite/migrations.ts";
import { compaction } from "./contract/things.ts";

const { DatabaseSync } = process.getBuiltinModule("node:sqlite");

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "precis-upgrade-"));
  path = join(folder, "history.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** As a version that knew that many steps left it. */
function fileAt(version: number): void {
  const db = new DatabaseSync(path);
  db.exec("pragma journal_mode = wal");
  for (const [at, { name, sql }] of MIGRATIONS.slice(0, version).entries()) {
    db.exec(sql);
    db.prepare("insert into migrations values (?, ?, 0)").run(at + 1, name);
  }
  db.exec(
    `pragma user_version = ${MIGRATIONS[version - 1]!.compatibleWith}; pragma application_id = ${APPLICATION_ID}`,
  );
  db.exec("insert into tenants (name) values ('of the earlier version')");
  db.close();
}

const versionOf = (file: string): unknown => {
  const db = new DatabaseSync(file, { readOnly: true });
  const { user_version: version } = db.prepare("pragma user_version").get()!;
  const names = db
    .prepare("select name from tenants")
    .all()
    .map(({ name }) => name);
  db.close();
  return [version, names];
};
const stepsOf = (file: string): unknown => {
  const db = new DatabaseSync(file, { readOnly: true });
  const { steps } = db.prepare("select count(*) as steps from migrations").get()!;
  db.close();
  return steps;
};
const backups = (): readonly string[] => readdirSync(folder).filter((name) => name.endsWith(".bak"));

describe("a store of an earlier schema", () => {
  it.each(Array.from({ length: COMPATIBLE_VERSION - 1 }, (_, at) => at + 1))("%d is copied first", async (version) => {
    fileAt(version);
    await (await openSqliteStore({ path })).close();
    expect(backups()).toEqual([`history.db.schema-${version}.bak`]);
    const copy = join(folder, backups()[0]!);
    expect(versionOf(copy)).toEqual([version, ["of the earlier version"]]);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(versionOf(path)).toEqual([COMPATIBLE_VERSION, ["of the earlier version"]]);
  });

  it("keeps the copy of an earlier upgrade, after a way back and forth", async () => {
    for (let times = 0; times < 2; times++) {
      rmSync(path, { force: true });
      fileAt(1);
      await (await openSqliteStore({ path })).close();
    }
    expect(backups()).toHaveLength(2);
  });

  it("is copied once by two that open it at once", async () => {
    fileAt(1);
    const stores = await Promise.all([openSqliteStore({ path }), openSqliteStore({ path })]);
    await Promise.all(stores.map((store) => store.close()));
    expect(backups()).toEqual(["history.db.schema-1.bak"]);
  });

  it("stays as it was where the copy cannot be made", async () => {
    fileAt(1);
    const db = new DatabaseSync(path);
    const { rootpage } = db.prepare("select rootpage from sqlite_schema where name = 'bodies'").get()!;
    const { page_size: size } = db.prepare("pragma page_size").get()!;
    db.close();
    const file = openSync(path, "r+");
    writeSync(file, Buffer.alloc(Number(size), 0xff), 0, Number(size), (Number(rootpage) - 1) * Number(size));
    closeSync(file);
    await expect(openSqliteStore({ path })).rejects.toMatchObject({ code: "store_damaged" });
    expect(backups()).toEqual([]);
    expect(versionOf(path)).toEqual([1, ["of the earlier version"]]);
  });

  it("is not copied where there is nothing to bring up to date", async () => {
    await (await openSqliteStore({ path })).close();
    await (await openSqliteStore({ path })).close();
    expect([backups(), existsSync(path)]).toEqual([[], true]);
  });

  it("is not copied where the version that wrote it can go on, and does", async () => {
    fileAt(COMPATIBLE_VERSION);
    await (await openSqliteStore({ path })).close();
    expect([backups(), stepsOf(path)]).toEqual([[], SCHEMA_VERSION]);
    expect(versionOf(path)).toEqual([COMPATIBLE_VERSION, ["of the earlier version"]]);

    const writing = await openSqliteStore({ path });
    await writing.putCompaction("t", compaction("b", 2), "a");
    await writing.putCompaction("t", compaction("d", 4), "a");
    await writing.close();
    const db = new DatabaseSync(path);
    // As the earlier version writes one: it knows of no first message.
    db.exec(`insert into records (tenant, link, schema_version, generation, record, created_at, used_at)
      select tenant, 'f', schema_version, generation, record, created_at, used_at from records where link = 'd'`);
    db.close();
    const reading = await openSqliteStore({ path, readOnly: true });
    expect((await reading.findCompaction("t", [..."abcdef"])).compaction).toBeDefined();
    expect((await reading.listCompactions("t", [..."abcdef"])).map((one) => one.compaction.covered)).toEqual([2, 4, 4]);
    expect((await reading.findCompaction("t", [..."abcde"])).compaction?.covers).toBe("d");
    expect((await reading.findCompaction("t", [..."ab"])).compaction?.covers).toBe("b");
    await reading.close();
  });

  it("finds a conversation's compactions where many others begin with the same message", async () => {
    const store = await openSqliteStore({ path });
    await store.putCompaction("t", compaction("b", 2), "a");
    await store.putCompaction("t", compaction("d", 4), "a");
    const db = new DatabaseSync(path);
    const others =
      db.prepare(`insert into records (tenant, link, root, schema_version, generation, record, created_at, used_at)
      select records.tenant, 'other ' || value, records.root, schema_version, generation, record, created_at, used_at
      from records, json_each(?) where records.link = 'b'`);
    // Put before and after the limit up to which the first message is enough.
    for (const from of [0, 1_000, 2_000]) {
      others.run(JSON.stringify(Array.from({ length: 1_000 }, (_, at) => from + at)));
      expect((await store.findCompaction("t", [..."abcde"])).compaction?.covers).toBe("d");
      expect((await store.findCompaction("t", [..."abc"])).compaction?.covers).toBe("b");
      expect(await store.findCompaction("t", ["a", "x"])).toEqual({ undone: false });
    }
    db.close();
    await store.undoCompaction("t", "d");
    expect(await store.findCompaction("t", [..."abcde"])).toMatchObject({ undone: true, compaction: { covers: "b" } });
    await store.close();
  });

  it("has to be brought up to date before it is only read", async () => {
    fileAt(COMPATIBLE_VERSION);
    await expect(openSqliteStore({ path, readOnly: true })).rejects.toMatchObject({ code: "store_older" });
  });
});
