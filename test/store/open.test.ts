/** A store by its address, as every door opens it. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openStore, storeAddress } from "../../src/store/open.ts";
import { precisHere } from "../cli/precis.ts";

const folder = mkdtempSync(join(tmpdir(), "precis-open-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("an address", () => {
  it.each([
    ["memory", "memory", ""],
    ["sqlite:/data/history.db", "sqlite", "/data/history.db"],
    ["/data/history.db", "sqlite", "/data/history.db"],
    ["history.db", "sqlite", "history.db"],
    ["memory.db", "sqlite", "memory.db"],
    ["team:history.db", "sqlite", "team:history.db"],
    ["C:\\data\\history.db", "sqlite", "C:\\data\\history.db"],
    ["toString", "sqlite", "toString"],
  ])("%s is of the kind %s", (text, kind, place) => {
    expect(storeAddress(text)).toEqual({ kind, place });
  });

  it("opens the same file with and without its kind", async () => {
    const path = join(folder, "history.db");
    const written = await openStore(`sqlite:${path}`);
    await written.putState("local", "link", { seen: 1 });
    await written.close();
    const read = await openStore(path, { readOnly: true });
    expect(await read.getState("local", "link")).toEqual({ seen: 1 });
    await read.close();
  });

  it("is taken by the command line wherever it takes a file", async () => {
    const path = join(folder, "listed.db");
    await (await openStore(path)).close();
    expect((await precisHere(["sessions", "--store", `sqlite:${path}`])).code).toBe(0);
    const missing = await precisHere(["sessions", "--store", `sqlite:${join(folder, "none.db")}`]);
    expect([missing.code, existsSync(join(folder, "none.db"))]).toEqual([3, false]);
    for (const command of [["sessions"], ["store", "check"], ["serve", "--port", "0"]]) {
      const { code, err } = await precisHere([...command, "--store", folder]);
      expect([code, err]).toEqual([2, expect.stringContaining("is a folder") as string]);
      expect(err).toContain("history.db");
    }
    expect((await precisHere(["sessions", "--store", "memory"])).err).toContain("ends with its gateway");
  });
});
