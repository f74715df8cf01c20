/** Compaction records and originals: what a session needs of a store. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Compaction } from "../../../src/core/compaction/compaction.ts";
import type { HistoryStore } from "../../../src/store/store.ts";
import { largeSpan } from "../crash/steps.ts";
import { compaction, type OpenStore } from "./things.ts";

export function recordsContract(open: OpenStore): void {
  describe("records and originals", () => {
    let store: HistoryStore;
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

    it("finds those that are kept with the first link of their conversation and those that are not", async () => {
      await store.putCompaction("t", compaction("b", 2));
      await store.putCompaction("t", compaction("d", 4), "a");
      // Another conversation that begins with the same message.
      await store.putCompaction("t", compaction("z", 3), "a");
      expect(await standing(["a", "b", "c"])).toBe("b");
      expect(await standing(["a", "b", "c", "d", "e"])).toBe("d");
      expect(await standing(["a", "y", "z"])).toBe("z");
      expect(await standing(["a", "y"])).toBeUndefined();
      await store.undoCompaction("t", "d");
      expect(await store.findCompaction("t", ["a", "b", "c", "d"])).toMatchObject({
        compaction: { covers: "b" },
        undone: true,
      });
      await store.putCompaction("t", { ...compaction("d", 4), state: "again" }, "a");
      expect(await store.findCompaction("t", ["a", "b", "c", "d"])).toMatchObject({
        compaction: { covers: "d", state: "again" },
        undone: false,
      });
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

    it("lists every record of a conversation, undone ones too, by how far they reach and when they were made", async () => {
      await store.putCompaction("t", compaction("d", 4));
      await store.putCompaction("t", { ...compaction("b", 2), state: "first" });
      await store.undoCompaction("t", "b");
      await store.putCompaction("t", { ...compaction("b", 2), state: "second" });
      await store.putCompaction("t", compaction("elsewhere", 2));
      await store.putCompaction("u", compaction("c", 3));
      const listed = await store.listCompactions("t", ["a", "b", "c", "d"]);
      expect(listed.map(({ compaction: { covers, state }, undone }) => [covers, state, undone])).toEqual([
        ["b", "first", true],
        ["b", "second", false],
        ["d", { made: "d" }, false],
      ]);
      expect(listed.every(({ createdAt }) => createdAt > 0)).toBe(true);
      expect(await store.listCompactions("t", [])).toEqual([]);
    });

    it("ignores records of a schema it does not know, and lets its own stand beside them", async () => {
      const foreign = { ...compaction("b", 2), schemaVersion: 999, state: "later" } as unknown as Compaction;
      await store.putCompaction("t", foreign);
      expect(await standing(["a", "b"])).toBeUndefined();
      expect(await store.putCompaction("t", { ...compaction("b", 2), state: "ours" })).toMatchObject({ state: "ours" });
      expect(await store.findCompaction("t", ["a", "b"])).toMatchObject({ compaction: { state: "ours" } });
      await store.undoCompaction("t", "b");
      expect(await store.findCompaction("t", ["a", "b"])).toEqual({ undone: true });
    });

    it("has nothing to undo where nothing stands", async () => {
      await store.undoCompaction("t", "b");
      expect(await store.findCompaction("t", ["a", "b"])).toEqual({ undone: false });
      await store.putCompaction("t", compaction("b", 2));
      await store.undoCompaction("t", "b");
      await store.undoCompaction("t", "b");
      await store.putCompaction("t", compaction("b", 2));
      expect(await standing(["a", "b"])).toBe("b");
    });

    it("finds a record near the beginning of a chain of thousands", async () => {
      const links = Array.from({ length: 5_000 }, (_, at) => `link ${at}`);
      await store.putCompaction("t", compaction(links[2]!, 3));
      await store.putCompaction("t", compaction("elsewhere", 3));
      expect(await standing(links)).toBe(links[2]);
      expect(await standing(links.slice(3))).toBeUndefined();
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

    it("searches originals by words, the newest of equals first, with the lines around them", async () => {
      await store.putOriginals("t", [
        { id: "r1", kind: "result", label: "one", text: "alpha\nport = 4317 open\nomega" },
      ]);
      await store.putOriginals("t", [{ id: "r2", kind: "result", label: "two", text: "the Port is 4317" }]);
      expect(await store.search("t", "port 4317", 5)).toEqual([
        { id: "r2", label: "two", text: "the Port is 4317" },
        { id: "r1", label: "one", text: "alpha\nport = 4317 open\nomega" },
      ]);
      expect(await store.search("t", "port 4317", 1)).toHaveLength(1);
      expect(await store.search("t", "  ", 5)).toEqual([]);
      expect(await store.search("t", "=> --", 5)).toEqual([]);
    });

    it("finds names by their parts, and Chinese, Japanese and Korean by any piece", async () => {
      const texts = {
        camel: "call getUserName(id)",
        snake: "retry_after_ms = 250",
        path: "src/store/HTTPServer.ts:42",
        chinese: "修复了数据库连接池的问题",
        japanese: "データベース接続エラー",
        korean: "데이터베이스 연결 오류",
        rare: "字符𠮷野家",
      };
      for (const [id, text] of Object.entries(texts))
        await store.putOriginals("t", [{ id, kind: "result", label: id, text }]);
      const found = async (query: string) => (await store.search("t", query, 9)).map(({ id }) => id);
      expect(await found("user")).toEqual(["camel"]);
      expect(await found("getusername")).toEqual(["camel"]);
      expect(await found("getUsername")).toEqual(["camel"]);
      expect(await found("RETRY_AFTER")).toEqual(["snake"]);
      expect(await found("store/HTTPServer.ts:42")).toEqual(["path"]);
      expect(await found("server")).toEqual(["path"]);
      expect(await found("数据库")).toEqual(["chinese"]);
      expect(await found("库")).toEqual(["chinese"]);
      expect(await found("数据库 连接")).toEqual(["chinese"]);
      expect(await found("库数")).toEqual([]);
      expect(await found("接続")).toEqual(["japanese"]);
      expect(await found("ベース")).toEqual(["japanese"]);
      expect(await found("연결")).toEqual(["korean"]);
      expect(await found("𠮷野")).toEqual(["rare"]);
      expect(await found("rname")).toEqual([]);
      expect(await found('" OR words MATCH "user')).toEqual([]);
    });

    it("finds a span by one of its messages, and gives it back whole", async () => {
      const lines = [
        JSON.stringify({ role: "user", content: "why does\nport 4317 refuse" }),
        JSON.stringify({ role: "tool", content: '{"error": "ECONNREFUSED"}' }),
      ];
      await store.putOriginals("t", [{ id: "r1", kind: "span", label: "2 messages", text: lines.join("\n") }]);
      expect(await store.search("t", "port refuse", 5)).toEqual([
        { id: "r1", label: "2 messages", text: "user\nwhy does\nport 4317 refuse" },
      ]);
      expect(await store.search("t", "error econnrefused", 5)).toHaveLength(1);
      expect(await store.search("t", "port econnrefused", 5, { literally: true })).toEqual([]);
      expect((await store.getOriginal("t", "r1"))?.text).toBe(lines.join("\n"));
    });

    it("keeps thousands of messages as it keeps few: the same once, another text under the same id in its place", async () => {
      const original = largeSpan("r1");
      for (let time = 0; time < 2; time++) await store.putOriginals("t", [original]);
      expect(await store.getOriginal("t", "r1")).toEqual(original);
      const newer = { ...largeSpan("r2"), id: "r1" };
      await store.putOriginals("t", [newer, { id: "r3", kind: "text", label: "small", text: "beside it" }]);
      expect(await store.getOriginal("t", "r1")).toEqual(newer);
      expect(await store.search("t", "item2999 r2", 5)).toMatchObject([{ id: "r1" }]);
      expect(await store.holdings("t")).toMatchObject({ originals: 2, bodies: newer.text.split("\n").length + 1 });
      expect(await store.check()).toEqual([]);
    });

    it("keeps the label of a text it has, and finds the newer of two texts under one id", async () => {
      await store.putOriginals("t", [{ id: "r1", kind: "text", label: "first", text: "one" }]);
      await store.putOriginals("t", [{ id: "r1", kind: "text", label: "second", text: "one" }]);
      expect((await store.getOriginal("t", "r1"))?.label).toBe("first");
      await store.putOriginals("t", [{ id: "r1", kind: "text", label: "third", text: "two" }]);
      expect(await store.getOriginal("t", "r1")).toMatchObject({ label: "third", text: "two" });
      expect((await store.holdings("t")).originals).toBe(1);
    });
  });
}
