/** `precis sessions delete`: shows what would go, and then it is gone, from the file too. */
import { hash } from "node:crypto";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createChain } from "../../src/core/transcript/links.ts";
import { textMessage } from "../../src/core/transcript/message.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { precisHere, temporaryFolder, type Folder, type Ran } from "./precis.ts";

const BIN = resolve(import.meta.dirname, "../../src/cli/bin.ts");
const DAY_MS = 86_400_000;
const chain = createChain((text) => hash("sha256", text));

let folder: Folder;
beforeEach(async () => {
  folder = temporaryFolder();
  await kept("falcon", 40, ["the falcon flies at dawn", "understood"]);
  await kept("falcon-branch", 1, ["the falcon flies at dawn", "no, at dusk"]);
  await kept("weather", 50, ["how is the weather", "fine"]);
  await kept("recent", 0, ["a question of today", "an answer"]);
  await kept("theirs", 60, ["the falcon of another tenant"], "team");
});
afterEach(() => folder.remove());

async function kept(session: string, days: number, words: readonly string[], tenant = "local"): Promise<void> {
  const now = (): number => Date.now() - days * DAY_MS;
  const store = await openSqliteStore({ path: join(folder.path, "history.db"), now });
  const messages = words.map((word, at) => textMessage(at % 2 === 0 ? "user" : "assistant", word));
  await store.appendChain(tenant, { links: chain.linksOf(messages), messages, session });
  await store.close();
}
const remove = (...words: string[]): Promise<Ran> =>
  precisHere(["sessions", "delete", ...words, "--store", "history.db"], { folder: folder.path });
const ids = async (tenant = "local"): Promise<readonly string[]> => {
  const words = ["sessions", "--json", "--store", "history.db", "--tenant", tenant];
  const { out } = await precisHere(words, { folder: folder.path });
  return (JSON.parse(out) as { id: string }[]).map(({ id }) => id).toSorted();
};
/** Which words the bytes of the folder still hold: as text, and as words of the index. */
const left = (...words: string[]): readonly string[] => {
  const all = readdirSync(folder.path)
    .map((name) => readFileSync(join(folder.path, name), "latin1"))
    .join("\n");
  return words.filter((word) => all.includes(word));
};

const ALL = ["falcon", "falcon-branch", "recent", "weather"];

describe("precis sessions delete", () => {
  it("shows what would go, with the branches that stand on it, and deletes nothing unasked", async () => {
    const { code, out, err } = await remove("falcon");
    expect(code).toBe(0);
    expect(out).toMatch(/^falcon-branch .*\nfalcon +2 messages, used 5w ago\n$/);
    expect(err).toContain("2 sessions would go: add --yes");
    expect(await ids()).toEqual(ALL);
  });

  it("deletes one with its branches, and every byte of it", async () => {
    expect(left("dawn", "dusk", "weather")).toEqual(["dawn", "dusk", "weather"]);
    expect((await remove("falcon", "--yes")).out).toBe("deleted 2 sessions\n");
    expect(await ids()).toEqual(["recent", "weather"]);
    expect(left("dawn", "dusk", "weather")).toEqual(["weather"]);
    const { out } = await precisHere(["store", "check", "--store", "history.db"], { folder: folder.path });
    expect(out).toContain("sound");
  });

  it("deletes a branch and leaves what it stood on", async () => {
    await remove("falcon-branch", "--yes");
    expect(await ids()).toEqual(["falcon", "recent", "weather"]);
    expect(left("dawn", "dusk")).toEqual(["dawn"]);
  });

  it("deletes by age, but nothing that something younger stands on", async () => {
    await remove("--older-than", "30d", "--yes");
    expect(await ids()).toEqual(["falcon", "falcon-branch", "recent"]);
  });

  it("deletes by text, by tenant, and by both", async () => {
    const { out } = await remove("--text", "falcon dawn", "--yes", "--json");
    expect(JSON.parse(out)).toEqual({ deleted: true, sessions: ["falcon-branch", "falcon"] });
    expect(await ids()).toEqual(["recent", "weather"]);
    expect(await ids("team")).toEqual(["theirs"]);
    await remove("--tenant", "team", "--all", "--yes");
    expect(await ids("team")).toEqual([]);
    expect(left("falcon")).toEqual([]);
    await remove("--text", "weather", "--older-than", "90d", "--yes");
    expect(await ids()).toEqual(["recent", "weather"]);
  });

  describe.skipIf(process.platform === "win32")("without room", () => {
    const SESSIONS = 50;
    const ROUNDS = 10;
    const TEXT = "a falcon, once more, ";

    /** As on a full disk: no file may grow beyond that many blocks of 512 bytes. */
    const within = (blocks: number, ...words: string[]): Ran => {
      const command = `ulimit -f ${blocks} && exec "$0" "$@"`;
      const { status, stdout, stderr } = spawnSync("sh", ["-c", command, process.execPath, BIN, ...words], {
        cwd: folder.path,
        encoding: "utf8",
        env: { PATH: process.env["PATH"], HOME: folder.path },
      });
      return { code: status, out: stdout, err: stderr.replaceAll(/\s+/g, " ") };
    };
    const all = async (): Promise<readonly string[]> => {
      const store = await openSqliteStore({ path: join(folder.path, "history.db") });
      const entries = await store.listSessions("local", { limit: 1_000 });
      await store.close();
      return entries.map(({ id }) => id);
    };
    const purge = ["sessions", "delete", "--all", "--yes", "--store", "history.db"];

    it(
      "says what went and what did not, loses nothing half, and goes on when there is room",
      { timeout: 120_000 },
      async () => {
        const store = await openSqliteStore({ path: join(folder.path, "history.db") });
        for (let number = 0; number < SESSIONS; number++) {
          const words = Array.from(
            { length: ROUNDS },
            (_, at) => `${number} ${at} ${hash("sha512", `${number}-${at}`)} ${TEXT.repeat(20)}`,
          );
          const messages = words.map((word) => textMessage("user", word));
          await store.appendChain("local", { links: chain.linksOf(messages), messages, session: `s${number}` });
        }
        await store.close();
        const full = readFileSync(join(folder.path, "history.db"));
        const told = new Set<string>();
        for (const blocks of [100, 1_200, 2_400, 2_800]) {
          for (const tail of ["-wal", "-shm"]) rmSync(join(folder.path, `history.db${tail}`), { force: true });
          writeFileSync(join(folder.path, "history.db"), full);
          const before = await all();
          const { code, out, err } = within(blocks, ...purge);
          const standing = await all();
          const gone = before.length - standing.length;
          if (/could not be deleted/.test(err)) {
            told.add(gone === 0 ? "nothing" : "some");
            expect(err).toContain(`${standing.length} sessions could not be deleted and are whole`);
          } else if (/could not be rewritten/.test(err)) {
            told.add("all but the file");
            expect([standing, err]).toEqual([[], expect.stringContaining("precis store retain --vacuum")]);
          }
          if (out !== "") expect(out).toBe(gone === 0 ? "nothing was deleted\n" : `deleted ${gone} sessions\n`);
          expect(code === 0 ? standing : [code, gone > 0 && out === ""]).toEqual(code === 0 ? [] : [3, false]);
          const { out: checked } = await precisHere(["store", "check", "--store", "history.db"], {
            folder: folder.path,
          });
          expect(checked).toContain("sound");
          expect((await remove("--all", "--yes")).code).toBe(0);
          expect(await ids()).toEqual([]);
        }
        expect([...told].toSorted()).toEqual(["all but the file", "nothing", "some"]);
      },
    );
  });

  it("deletes all of a tenant, also what belongs to no session of it", async () => {
    const store = await openSqliteStore({ path: join(folder.path, "history.db") });
    await store.putOriginals("team", [{ id: "r1", kind: "result", label: "x", text: "an owl" }]);
    await store.deleteSessions("team", ["theirs"]);
    await store.close();
    expect((await remove("--tenant", "team", "--all")).err).toContain(
      "0 sessions, and 1 record of no session would go",
    );
    expect(left("an owl")).toEqual(["an owl"]);
    const { out } = await remove("--tenant", "team", "--all", "--yes");
    expect(out).toBe("deleted 0 sessions, and 1 record of no session\n");
    expect(left("an owl")).toEqual([]);
    expect((await remove("--tenant", "team", "--all")).err).toContain("no session matches");
    expect(await ids()).toEqual(ALL);
  });

  it("says that another process has the file where one has, and not that the disk is full", async () => {
    const database = new DatabaseSync(join(folder.path, "history.db"));
    database.exec("begin immediate");
    const { code, err } = await remove("falcon", "--yes");
    database.close();
    expect([code, err]).toEqual([3, expect.stringContaining("could not be deleted and are whole")]);
    expect(err).toContain("has locked the store's file");
    expect(err).toContain("look for a process that has the file open");
    expect(err).not.toContain("disk space");
  });

  it("names the copies of before an upgrade, which hold it still", async () => {
    writeFileSync(join(folder.path, "history.db.schema-1.bak"), "");
    expect((await remove("falcon", "--yes")).err).toContain("history.db.schema-1.bak");
  });

  it.each([[[]], [["falcon", "--all"]], [["falcon", "--older-than", "3d"]], [["nobody"]], [["--older-than", "x"]]])(
    "refuses %j",
    async (words) => {
      const { code, err } = await remove(...words, "--yes");
      expect([code, err]).toEqual([2, expect.stringContaining("next") as string]);
      expect(await ids()).toEqual(ALL);
    },
  );
});
