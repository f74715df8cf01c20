/** `precis store …` on a real file: counts what is there, finds damage, deletes what was asked for and nothing else. */
import { hash } from "node:crypto";
import { mkdirSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createChain } from "../../src/core/transcript/links.ts";
import type { Message } from "../../src/core/transcript/message.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import type { HistoryStore } from "../../src/store/store.ts";
import type { Holdings } from "../../src/store/store.ts";
import { precisHere, temporaryFolder, type Folder, type Ran } from "./precis.ts";

const DAY_MS = 86_400_000;
const chain = createChain((text) => hash("sha256", text));

let folder: Folder;
beforeEach(() => (folder = temporaryFolder()));
afterEach(() => folder.remove());

const store = (...words: string[]): Promise<Ran> => precisHere(["store", ...words], { folder: folder.path });

/** A file with a session of each name for each tenant, the first used longest ago. */
async function filled(names: readonly string[], file = "history.db", tenants = ["local"]): Promise<HistoryStore> {
  let now = 0;
  const opened = await openSqliteStore({ path: join(folder.path, file), now: () => now });
  for (const [at, name] of names.entries()) {
    now = Date.now() - (names.length - at) * 10 * DAY_MS;
    const messages: readonly Message[] = ["user", "assistant"].map((role) => ({
      role: role as "user",
      parts: [{ kind: "text", text: `${role} of ${name}: ${name.repeat(2_000)}` }],
    }));
    for (const tenant of tenants) await opened.appendChain(tenant, { links: chain.linksOf(messages), messages });
  }
  return opened;
}

describe("precis store check --quick", () => {
  it("counts what is there while a gateway has the file open, of all and of one tenant", async () => {
    const open = await filled(["a", "b"], "history.db", ["one", "two"]);
    const { code, out, err } = await store("check", "--quick", "--store", "history.db");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^sessions +4$/m);
    expect(out).toMatch(/^messages +8$/m);
    const one = JSON.parse(
      (await store("check", "--quick", "--store", "history.db", "--tenant", "one", "--json")).out,
    ) as Holdings;
    expect(one).toMatchObject({ sessions: 2, messages: 4, path: join(folder.path, "history.db") });
    await open.close();
  });

  it("finds the store where the configuration has it, and else in the data folder", async () => {
    const own = (text: string): void => {
      mkdirSync(join(folder.path, ".config/precis"), { recursive: true });
      folder.write(".config/precis/config.yaml", text);
    };
    await (await filled(["a"], "mine.db")).close();
    own("gateway:\n  store: mine.db\n");
    expect((await store("check", "--quick")).out).toContain(join(folder.path, "mine.db"));
    own("");
    const none = await store("check", "--quick");
    expect([none.code, none.err]).toEqual([3, expect.stringContaining(".local/share/precis/history.db") as string]);
    own("gateway:\n  store: memory\n");
    expect((await store("check", "--quick")).err).toContain("`memory`");
  });

  it("makes no store of a mistyped name, and says what a file that is none is", async () => {
    const { code, err } = await store("check", "--quick", "--store", "histroy.db");
    expect([code, existsSync(join(folder.path, "histroy.db"))]).toEqual([3, false]);
    expect(err).toContain("there is no store at histroy.db");
    folder.write("notes.txt", "these are notes, and no database of any kind\n".repeat(100));
    const other = await store("check", "--quick", "--store", "notes.txt");
    expect([other.code, other.out]).toEqual([3, ""]);
    expect(other.err).toContain("next");
  });
});

describe("precis store check", () => {
  it("passes a sound file and names what is wrong in a damaged one, with exit code 1", async () => {
    await (await filled(["a", "b"])).close();
    const sound = await store("check", "--store", "history.db");
    expect([sound.code, sound.out]).toEqual([0, expect.stringContaining("sound") as string]);
    const database = new DatabaseSync(join(folder.path, "history.db"));
    database.exec("update bodies set content = x'7b7d' where id = 1");
    database.close();
    const damaged = await store("check", "--store", "history.db", "--json");
    expect(damaged.code).toBe(1);
    expect((JSON.parse(damaged.out) as { faults: string[] }).faults).toEqual(["body 1 does not match its hash"]);
  });
});

describe("precis store retain", () => {
  const sessions = async (): Promise<number> =>
    (JSON.parse((await store("check", "--quick", "--store", "history.db", "--json")).out) as Holdings).sessions;

  it("deletes what was not used since a time", async () => {
    await (await filled(["a", "b", "c"])).close();
    const { code, out } = await store("retain", "--store", "history.db", "--older-than", "15d", "--yes");
    expect(code).toBe(0);
    expect(out).toMatch(/deleted +2 sessions/);
    expect(await sessions()).toBe(1);
  });

  it("shows by tenant what would go, and deletes it only with --yes", async () => {
    await (await filled(["a", "b", "c"], "history.db", ["one", "two"])).close();
    const asked = await store("retain", "--store", "history.db", "--older-than", "15d");
    expect(asked.code).toBe(0);
    expect(asked.out).toMatch(/^one +up to 2 of 3 sessions\ntwo +up to 2 of 3 sessions\n/);
    expect(asked.out).toContain("--yes");
    const one = await store("retain", "--store", "history.db", "--max-size", "1k", "--tenant", "two", "--json");
    expect(JSON.parse(one.out)).toMatchObject({ deleted: false, tenants: [{ tenant: "two", sessions: 3 }] });
    expect((JSON.parse(one.out) as { excessBytes: number }).excessBytes).toBeGreaterThan(0);
    expect(await sessions()).toBe(6);
  });

  it("deletes the longest unused beyond a size, of one tenant alone where asked", async () => {
    await (await filled(["a", "b", "c"], "history.db", ["one", "two"])).close();
    const { out } = await store(
      "retain",
      "--store",
      "history.db",
      "--max-size",
      "5k",
      "--tenant",
      "one",
      "--yes",
      "--json",
    );
    const { before, after } = JSON.parse(out) as { before: Holdings; after: Holdings };
    expect(before.sessions).toBe(3);
    expect(after.sessions).toBeLessThan(3);
    expect(after.bytes).toBeLessThanOrEqual(5 * 1024);
    expect(await sessions()).toBe(3 + after.sessions);
  });

  it.each([
    [[], "--older-than, --max-size or --vacuum"],
    [["--older-than", "30"], "expected a time in s, m, h, d or w"],
    [["--older-than", "-1d"], "expected a time"],
    [["--max-size", "much"], "expected a size"],
  ])("%j deletes nothing and says what is missing", async (words, why) => {
    await (await filled(["a"])).close();
    const { code, err } = await store("retain", "--store", "history.db", ...words);
    expect([code, err]).toEqual([2, expect.stringContaining(why) as string]);
    expect(await sessions()).toBe(1);
  });
});

describe("precis store retain --vacuum", () => {
  it("makes the file smaller once something was deleted", async () => {
    await (await filled(Array.from({ length: 40 }, (_, at) => `name${at}`))).close();
    const before = statSync(join(folder.path, "history.db")).size;
    await store("retain", "--store", "history.db", "--older-than", "15d", "--yes");
    const { code, out } = await store("retain", "--vacuum", "--store", "history.db");
    expect([code, out]).toEqual([0, expect.stringMatching(/^store +\S.* → /) as string]);
    expect(statSync(join(folder.path, "history.db")).size).toBeLessThan(before / 2);
    expect((await store("check", "--store", "history.db")).code).toBe(0);
  });
});
