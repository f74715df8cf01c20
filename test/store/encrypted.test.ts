/** The file of a store with a key tells nothing of what was said to who has not the key. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { compaction, talk } from "./contract/things.ts";

const { DatabaseSync } = process.getBuiltinModule("node:sqlite");

const folder = mkdtempSync(join(tmpdir(), "precis-encrypted-"));
const key = randomBytes(32);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const path = (): string => join(folder, `${files++}.db`);

const SAID = ["my treasure map is buried", "under the crooked oak"];
const LABEL = "read_file crooked.txt";

async function filled(file: string, withKey: boolean): Promise<void> {
  const store = await openSqliteStore({ path: file, ...(withKey ? { key } : {}) });
  const { links, messages } = talk(...SAID);
  await store.appendChain("t", { links, messages });
  await store.putOriginals("t", [{ id: "r1", kind: "result", label: LABEL, text: "crooked original" }]);
  await store.putCompaction("t", { ...compaction(links[1]!, 2, ["r1"]), state: { note: "treasure state" } });
  await store.putState("t", links[0]!, { note: "treasure state" });
  await store.close();
}

/** What of the words can be found in the bytes on the disk, whatever their case. */
function toldBy(file: string): readonly string[] {
  const bytes = readdirSync(folder)
    .filter((name) => join(folder, name).startsWith(file))
    .map((name) => readFileSync(join(folder, name), "latin1").toLowerCase())
    .join("\n");
  return ["treasure", "crooked", "buried", "oak"].filter((word) => bytes.includes(word));
}

describe("an encrypted store", () => {
  it("tells none of the words on the disk", async () => {
    const [secret, plain] = [path(), path()];
    await filled(secret, true);
    await filled(plain, false);
    expect(toldBy(plain)).toEqual(["treasure", "crooked", "buried", "oak"]);
    expect(toldBy(secret)).toEqual([]);
  });

  it("opens with its key only, and is not touched without it", async () => {
    const [file, plain] = [path(), path()];
    await filled(file, true);
    await filled(plain, false);
    for (const readOnly of [false, true]) {
      const codeOf = (options: object) =>
        openSqliteStore({ path: file, readOnly, ...options }).then(
          () => "opened",
          (error: { readonly code: string }) => error.code,
        );
      expect(await codeOf({})).toBe("store_encrypted");
      expect(await codeOf({ key: randomBytes(32) })).toBe("store_key_wrong");
      expect(await codeOf({ key: key.subarray(1) })).toBe("store_key_wrong");
      expect(await codeOf({ path: plain, key })).toBe("store_not_encrypted");
    }
    const store = await openSqliteStore({ path: file, key, readOnly: true });
    const { links } = talk(...SAID);
    expect((await store.readChain("t", links[1]!)).map(({ body }) => body).join()).toContain(SAID[0]);
    expect(await store.getOriginal("t", "r1")).toMatchObject({ label: LABEL, text: "crooked original" });
    expect((await store.findCompaction("t", links)).compaction?.state).toEqual({ note: "treasure state" });
    expect(await store.searchMessages("t", "crooked oak", 5)).toHaveLength(1);
    expect(await store.check()).toEqual([]);
    await store.close();
  });

  it("shows a changed body as damage", async () => {
    const file = path();
    await filled(file, true);
    const db = new DatabaseSync(file);
    db.exec("update bodies set content = substr(content, 1, length(content) - 1) || x'00' where id = 1");
    db.close();
    const store = await openSqliteStore({ path: file, key, readOnly: true });
    expect(await store.check()).toEqual(["body 1 does not match its hash"]);
    await store.close();
  });
});
