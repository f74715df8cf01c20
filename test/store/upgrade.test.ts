/** A file of an earlier version is copied, whole and for its owner alone, before it is brought up to date. */
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION } from "../../src/store/sqlite/migrations.ts";

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
  db.exec(`pragma user_version = ${version}; pragma application_id = ${APPLICATION_ID}`);
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
const backups = (): readonly string[] => readdirSync(folder).filter((name) => name.endsWith(".bak"));

describe("a store of an earlier schema", () => {
  it.each(Array.from({ length: SCHEMA_VERSION - 1 }, (_, at) => at + 1))("%d is copied first", async (version) => {
    fileAt(version);
    await (await openSqliteStore({ path })).close();
    expect(backups()).toEqual([`history.db.schema-${version}.bak`]);
    const copy = join(folder, backups()[0]!);
    expect(versionOf(copy)).toEqual([version, ["of the earlier version"]]);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(versionOf(path)).toEqual([SCHEMA_VERSION, ["of the earlier version"]]);
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
});
