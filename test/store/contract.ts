/** What every store must do, whatever keeps it. */
import { beforeEach, describe, expect, it } from "vitest";
import { COMPACTION_SCHEMA_VERSION, NO_LOSSES, type Compaction } from "../../src/core/compaction/compaction.ts";
import type { Store } from "../../src/store/store.ts";

const compaction = (covers: string, covered: number): Compaction => ({
  schemaVersion: COMPACTION_SCHEMA_VERSION,
  after: [],
  covered,
  covers,
  map: [],
  evicted: [],
  state: { made: covers },
  report: {
    engine: "test",
    reason: "explicit",
    tokens: { before: 10, after: 5 },
    messages: { before: 2, after: 1, kept: 0, edited: 0, summarised: 2 },
    parts: { system: 0, tools: 0, head: 0, handoff: 5, anchor: 0, tail: 0 },
    rung: 0,
    degraded: [],
    recall: [],
    lost: NO_LOSSES,
    modelCalls: 0,
    costUsd: 0,
  },
});

export function storeContract(name: string, open: () => Promise<Store>): void {
  describe(`a store (${name})`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    const standing = async (links: string[]) => (await store.findCompaction("t", links)).compaction?.covers;

    it("finds the record of the longest covered prefix", async () => {
      await store.putCompaction("t", compaction("b", 2));
      await store.putCompaction("t", compaction("d", 4));
      expect(await standing(["a", "b", "c"])).toBe("b");
      expect(await standing(["a", "b", "c", "d", "e"])).toBe("d");
      expect(await standing(["x", "y"])).toBeUndefined();
    });

    it("lets the first record of a link win and answers with it", async () => {
      await store.putCompaction("t", { ...compaction("b", 2), state: "first" });
      expect(await store.putCompaction("t", { ...compaction("b", 2), state: "second" })).toMatchObject({
        state: "first",
      });
    });

    it("goes back to the record before on undo, and says that one was undone", async () => {
      await store.putCompaction("t", compaction("b", 2));
      await store.putCompaction("t", compaction("d", 4));
      await store.undoCompaction("t", "d");
      expect(await store.findCompaction("t", ["a", "b", "c", "d"])).toMatchObject({
        compaction: { covers: "b" },
        undone: true,
      });
    });

    it("takes a new record where one was undone", async () => {
      await store.putCompaction("t", compaction("b", 2));
      await store.undoCompaction("t", "b");
      await store.putCompaction("t", { ...compaction("b", 2), state: "again" });
      expect(await store.findCompaction("t", ["a", "b"])).toMatchObject({
        compaction: { state: "again" },
        undone: false,
      });
    });

    it("never shows one tenant's records or originals to another", async () => {
      await store.putCompaction("t", compaction("b", 2));
      await store.putOriginals("t", [{ id: "r1", kind: "result", label: "run", text: "secret plan" }]);
      expect((await store.findCompaction("u", ["a", "b"])).compaction).toBeUndefined();
      expect(await store.getOriginal("u", "r1")).toBeUndefined();
      expect(await store.search("u", "secret", 5)).toEqual([]);
    });

    it("gives originals back byte for byte", async () => {
      const text = "a\r\nb\u0000\ud800 漢字 \\u00e9 12345678901234567890";
      await store.putOriginals("t", [{ id: "r1", kind: "result", label: "run ls", text }]);
      expect(await store.getOriginal("t", "r1")).toEqual({ id: "r1", kind: "result", label: "run ls", text });
    });

    it("searches originals by words, newest first, with the line of the hit", async () => {
      await store.putOriginals("t", [
        { id: "r1", kind: "result", label: "one", text: "alpha\nport = 4317 open\nomega" },
      ]);
      await store.putOriginals("t", [{ id: "r2", kind: "result", label: "two", text: "the Port is 4317" }]);
      expect(await store.search("t", "port 4317", 5)).toEqual([
        { id: "r2", label: "two", line: "the Port is 4317" },
        { id: "r1", label: "one", line: "port = 4317 open" },
      ]);
      expect(await store.search("t", "port 4317", 1)).toHaveLength(1);
      expect(await store.search("t", "  ", 5)).toEqual([]);
    });
  });
}
