/** The commands of docs/postgres-backup.md, as they stand there: what is restored is sound and holds the same. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { precisHere } from "../cli/precis.ts";
import { compaction, talk } from "./contract/things.ts";
import { NO_POSTGRES, startPostgres, type TestPostgres } from "./postgres-server.ts";

const PAGE = readFileSync(resolve(import.meta.dirname, "../../docs/postgres-backup.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "precis-backup-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What a shell runs under a heading of the page. */
function commandsUnder(heading: string): readonly string[] {
  const section = PAGE.split(/^## /m).find((one) => one.startsWith(heading))!;
  return [...section.matchAll(/```sh\n([^]*?)```/g)].flatMap(([, block]) => block!.trim().split("\n"));
}

const majorOf = (text: string): number => Number(/\d+/.exec(text)?.[0] ?? 0);

describe.skipIf(NO_POSTGRES !== undefined)("a database that was backed up", { timeout: 120_000 }, () => {
  let postgres: TestPostgres;
  let count = 0;
  beforeAll(async () => void (postgres = await startPostgres()));
  afterAll(() => postgres.close());

  const newDatabase = async (): Promise<string> => {
    const url = new URL(await postgres.newSchema());
    const name = `backup_${process.pid}_${++count}`;
    await postgres.sql(`create database ${name}`);
    url.pathname = `/${name}`;
    url.search = "";
    return url.href;
  };

  const filled = async (): Promise<string> => {
    const address = await newDatabase();
    const store = await openStore(address);
    for (let n = 0; n < 20; n++) {
      const one = talk(`question ${n}`, "an answer", `more of ${n}`);
      await store.appendChain("team", one);
      await store.putCompaction("team", compaction(one.links[1]!, 2, [`r${n}`]));
      await store.putOriginals("team", [{ id: `r${n}`, kind: "result", label: "read", text: `removed ${n}` }]);
    }
    await store.close();
    return address;
  };

  const restored = async (heading: string): Promise<void> => {
    const [from, to] = [await filled(), await newDatabase()];
    const environment = { ...process.env, PRECIS_DATABASE: from, PRECIS_RESTORED: to };
    const expanded = (word: string): string =>
      word.replaceAll('"', "").replace("$PRECIS_DATABASE", from).replace("$PRECIS_RESTORED", to);
    for (const line of commandsUnder(heading)) {
      if (line.startsWith("precis ")) {
        const { code, err } = await precisHere(line.split(" ").slice(1).map(expanded), { folder });
        expect([line, code, err]).toEqual([line, 0, expect.anything()]);
      } else {
        const { status, stderr } = spawnSync("sh", ["-c", line], { cwd: folder, env: environment, encoding: "utf8" });
        expect([line, status, stderr]).toEqual([line, 0, ""]);
      }
    }
    const stores = await Promise.all([from, to].map((address) => openStore(address, { readOnly: true })));
    const [before, after] = await Promise.all(stores.map((store) => store.holdings()));
    await Promise.all(stores.map((store) => store.close()));
    expect(after).toEqual(before);
    expect(after!.sessions).toBe(20);
  };

  it("by PostgreSQL's own programs is restored whole", async (context) => {
    const { stdout } = spawnSync("pg_dump", ["--version"], { encoding: "utf8" });
    const [{ server_version: server }] = (await postgres.sql("show server_version")) as [{ server_version: string }];
    if (majorOf(stdout ?? "") < majorOf(server)) context.skip("no pg_dump of the server's version");
    await restored("With PostgreSQL's own programs");
  });
});
