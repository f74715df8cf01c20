/** Conversations: chains, sessions, branches, usage, counters, and what retention leaves of them. */
import { beforeEach, describe, expect, it } from "vitest";
import { createDecoder, protocols } from "../../../src/protocols/index.ts";
import type { HistoryStore } from "../../../src/store/store.ts";
import { chain, compaction, talk, type OpenStore } from "./things.ts";

export function historyContract(open: OpenStore): void {
  describe("conversations", () => {
    let store: HistoryStore;
    let time = 1_000;
    beforeEach(async () => {
      time = 1_000;
      store = await open({ now: () => time });
    });
    const said = async (link: string) =>
      (await store.readChain("t", link)).map(({ body }) => JSON.parse(body).parts[0].text);

    it("keeps what is new of a chain, and says how much that was", async () => {
      const first = talk("a", "b");
      expect(await store.appendChain("t", first)).toMatchObject({ added: 2 });
      expect(await store.appendChain("t", first)).toMatchObject({ added: 0 });
      const longer = talk("a", "b", "c", "b");
      expect(await store.appendChain("t", longer)).toMatchObject({ added: 2 });
      expect(await said(longer.links[3]!)).toEqual(["a", "b", "c", "b"]);
      expect(await said(first.links[1]!)).toEqual(["a", "b"]);
      expect(await store.readChain("t", "unknown")).toEqual([]);
      expect(await store.appendChain("t", { links: [], messages: [] })).toEqual({ added: 0, session: "" });
    });

    it("keeps a body once, however often it is said", async () => {
      await store.appendChain("t", talk("same", "x", "same", "x", "same"));
      expect(await store.holdings("t")).toMatchObject({ messages: 5, bodies: 2 });
    });

    it("keeps the messages of a span where they are", async () => {
      const { links, messages } = talk("a", "b", "c");
      await store.appendChain("t", { links, messages });
      const before = await store.holdings("t");
      const text = messages.map(({ role, parts }) => JSON.stringify({ role, parts })).join("\n");
      await store.putOriginals("t", [{ id: "r1", kind: "span", label: "all", text }]);
      expect(await store.holdings("t")).toEqual({ ...before, originals: 1 });
      expect((await store.getOriginal("t", "r1"))?.text).toBe(text);
    });

    it("keeps wire messages as their own bytes, those that came from one side by side", async () => {
      const raw = `{"role": "user", "content": [{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"tool_result","tool_use_id":"b","content":"2"},{"type":"text","text":"\\u00e9 12345678901234567890"}]}`;
      const body = `{"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"x","input":{}},{"type":"tool_use","id":"b","name":"x","input":{}}]},${raw}]}`;
      const { messages } = createDecoder(protocols["anthropic-messages"]).decode(body).transcript;
      const links = chain.linksOf(messages);
      await store.appendChain("t", { links, messages });
      const stored = (await store.readChain("t", links.at(-1)!)).slice(-3);
      expect(stored.map((one) => [one.role, one.protocol, one.member, one.body])).toEqual([
        ["tool", "anthropic-messages", 0, raw],
        ["tool", "anthropic-messages", 1, raw],
        ["user", "anthropic-messages", 2, raw],
      ]);
      expect(await store.searchMessages("t", "é", 9)).toHaveLength(1);
    });

    it("goes on with the session whose newest message a chain continues, and branches off anywhere else", async () => {
      const trunk = await store.appendChain("t", talk("a", "b"));
      time = 2_000;
      expect((await store.appendChain("t", talk("a", "b", "c", "d"))).session).toBe(trunk.session);
      time = 3_000;
      const branch = await store.appendChain("t", talk("a", "b", "c", "other"));
      expect(branch).toMatchObject({ added: 1 });
      expect(branch.session).not.toBe(trunk.session);
      const { links } = talk("a", "b", "c", "d");
      expect(await store.listSessions("t", { limit: 9 })).toEqual([
        {
          id: branch.session,
          head: talk("a", "b", "c", "other").links[3],
          messages: 4,
          parent: trunk.session,
          forkedAt: links[2],
          createdAt: 3_000,
          updatedAt: 3_000,
        },
        { id: trunk.session, head: links[3], messages: 4, createdAt: 1_000, updatedAt: 2_000 },
      ]);
      expect(await store.listSessions("t", { limit: 9, parent: trunk.session })).toHaveLength(1);
      expect(await store.listSessions("t", { limit: 1 })).toHaveLength(1);
      expect(await store.getSession("t", trunk.session)).toMatchObject({ head: links[3] });
      expect(await store.getSession("t", "unknown")).toBeUndefined();
      expect((await store.appendChain("t", talk("a", "b"))).session).toBe(trunk.session);
      expect(await store.getSession("t", trunk.session)).toMatchObject({ head: links[3] });
    });

    it("takes a client's own name for a session, and moves its head wherever it goes", async () => {
      await store.appendChain("t", { ...talk("a", "b"), session: "mine" });
      await store.appendChain("t", { ...talk("a", "b", "c"), session: "mine" });
      await store.appendChain("t", { ...talk("a"), session: "mine" });
      expect(await store.listSessions("t", { limit: 9 })).toMatchObject([{ id: "mine", messages: 1 }]);
      await store.appendChain("t", { ...talk("a", "z"), session: "yours" });
      expect(await store.getSession("t", "yours")).toMatchObject({ parent: "mine", forkedAt: talk("a").links[0] });
    });

    it("lets a name move on to another conversation, and keeps the one it leaves", async () => {
      await store.appendChain("t", { ...talk("a", "b"), session: "mine" });
      await store.appendChain("t", { ...talk("c", "d"), session: "yours" });
      await store.appendChain("t", { ...talk("c", "d", "e"), session: "mine" });
      await store.appendChain("t", { ...talk("a", "b", "f"), session: "yours" });
      const sessions = await store.listSessions("t", { limit: 9 });
      const heads = Object.fromEntries(sessions.map(({ id, head }) => [id, head]));
      expect(heads["mine"]).toBe(talk("c", "d", "e").links[2]);
      expect(heads["yours"]).toBe(talk("a", "b", "f").links[2]);
      expect(sessions).toHaveLength(3);
      expect(await store.retain({ tenant: "t", maxBytes: 0 })).toMatchObject({ sessions: 0, messages: 0 });
    });

    it("refuses a chain with a message too few", async () => {
      const { links, messages } = talk("a", "b");
      await expect(store.appendChain("t", { links, messages: messages.slice(1) })).rejects.toMatchObject({
        code: "invalid_chain",
      });
    });

    it("searches messages, the newest of equals first, and says where they stand", async () => {
      const { links, messages } = talk("the port is 4317", "connection refused", "which port?");
      const { session } = await store.appendChain("t", { links, messages });
      expect(await store.searchMessages("t", "port", 9)).toMatchObject([
        { link: links[2], role: "user", session, position: 2, text: expect.stringContaining("which port?") },
        { link: links[0], role: "user", session, position: 0, text: expect.stringContaining("the port is 4317") },
      ]);
      expect(await store.searchMessages("t", "port", 1)).toHaveLength(1);
      expect(await store.searchMessages("u", "port", 9)).toEqual([]);
    });

    it("names the links of a conversation, sessions by the beginning of their ids, and tenants that have one", async () => {
      const { links, messages } = talk("a", "b", "c");
      const { session } = await store.appendChain("t", { links, messages });
      await store.appendChain("t", { ...talk("x"), session: "mine" });
      time = 2_000;
      await store.appendChain("u", talk("a"));
      expect(await store.readLinks("t", links[1]!)).toEqual(links.slice(0, 2));
      expect(await store.readLinks("t", "unknown")).toEqual([]);
      expect(await store.readLinks("u", links[1]!)).toEqual([]);
      const kept = [store.isStored("t", links[2]!), store.isStored("t", "unknown"), store.isStored("u", links[1]!)];
      expect(await Promise.all(kept)).toEqual([true, false, false]);
      const named = async (prefix: string) => (await store.listSessions("t", { limit: 9, prefix })).map(({ id }) => id);
      expect(await named(session.slice(0, 5))).toEqual([session]);
      expect(await named("mi")).toEqual(["mine"]);
      expect(await named("m%")).toEqual([]);
      expect(await named("")).toHaveLength(2);
      expect(await store.getState("nobody", "x")).toBeUndefined();
      expect(await store.listTenants()).toEqual([
        { tenant: "u", sessions: 1, updatedAt: 2_000 },
        { tenant: "t", sessions: 2, updatedAt: 1_000 },
      ]);
    });

    it("begins a branch where a chain that is known is given a new name", async () => {
      const { links, messages } = talk("a", "b", "c");
      const trunk = await store.appendChain("t", { links, messages });
      const fork = { links: links.slice(0, 2), messages: messages.slice(0, 2), session: "fork" };
      expect(await store.appendChain("t", fork)).toEqual({ added: 0, session: "fork" });
      expect(await store.getSession("t", "fork")).toMatchObject({
        head: links[1],
        messages: 2,
        parent: trunk.session,
        forkedAt: links[1],
      });
      expect(await store.getSession("t", trunk.session)).toMatchObject({ head: links[2] });
      await store.appendChain("t", talk("a", "b", "c", "d"));
      expect(await store.getSession("t", "fork")).toMatchObject({ head: links[1] });
    });

    it("keeps tenants apart in everything", async () => {
      const { links, messages } = talk("a", "b");
      await store.appendChain("t", { links, messages, session: "s" });
      await store.putUsage("t", usage(links[1]!, 1));
      await store.putState("t", "root", 1);
      expect(await store.readChain("u", links[1]!)).toEqual([]);
      expect(await store.listSessions("u", { limit: 9 })).toEqual([]);
      expect(await store.getSession("u", "s")).toBeUndefined();
      expect(await store.findUsage("u", links)).toBeUndefined();
      expect(await store.getState("u", "root")).toBeUndefined();
      expect(await store.holdings("u")).toMatchObject({ sessions: 0, messages: 0, bodies: 0, bytes: 0 });
      expect(await store.appendChain("u", { links, messages })).toMatchObject({ added: 2 });
    });

    it("finds the newest usage of the longest prefix", async () => {
      const { links } = talk("a", "b", "c", "d");
      await store.putUsage("t", usage(links[1]!, 100));
      await store.putUsage("t", usage(links[2]!, 200));
      await store.putUsage("t", { ...usage(links[2]!, 300), costUsd: 0.5, at: 5_000 });
      expect(await store.findUsage("t", links)).toEqual({ ...usage(links[2]!, 300), costUsd: 0.5, at: 5_000 });
      expect(await store.findUsage("t", links.slice(0, 2))).toEqual(usage(links[1]!, 100));
      expect(await store.findUsage("t", links.slice(0, 1))).toBeUndefined();
      expect(await store.listUsage("t", links)).toEqual([
        usage(links[1]!, 100),
        usage(links[2]!, 200),
        { ...usage(links[2]!, 300), costUsd: 0.5, at: 5_000 },
      ]);
      expect(await store.listUsage("t", links.slice(0, 2))).toEqual([usage(links[1]!, 100)]);
      expect(await store.listUsage("u", links)).toEqual([]);
    });

    it("keeps the last state of a root, as it was then", async () => {
      const state = { counters: [1, 2], nested: { a: null } };
      await store.putState("t", "root", state);
      state.counters.push(3);
      expect(await store.getState("t", "root")).toEqual({ counters: [1, 2], nested: { a: null } });
      await store.putState("t", "root", "later");
      expect(await store.getState("t", "root")).toBe("later");
    });

    it("finishes what was begun when it closes, and refuses what comes after", async () => {
      const last = store.appendChain("t", talk("a", "b"));
      await store.close();
      expect(await last).toMatchObject({ added: 2 });
      await store.close();
      const refused = { code: "store_closed", retryable: false, hint: expect.stringContaining("Open it again") };
      await expect(store.appendChain("t", talk("a"))).rejects.toMatchObject(refused);
      await expect(store.findCompaction("t", ["a"])).rejects.toMatchObject(refused);
    });
  });

  describe("retention", () => {
    let store: HistoryStore;
    let time = 1_000;
    const at = async (when: number, words: readonly string[]) => {
      time = when;
      return store.appendChain("t", talk(...words));
    };
    beforeEach(async () => {
      time = 1_000;
      store = await open({ now: () => time });
    });

    it("deletes sessions that were not used since, with all that only they have", async () => {
      const old = talk("old", "reply");
      await at(1_000, ["old", "reply"]);
      await store.putOriginals("t", [{ id: "r1", kind: "result", label: "x", text: "hidden treasure" }]);
      await store.putCompaction("t", compaction(old.links[1]!, 2, ["r1"]));
      await store.putUsage("t", usage(old.links[1]!, 5));
      await at(9_000, ["new", "reply"]);
      const left = await store.retain({ tenant: "t", before: 5_000 });
      expect(left).toMatchObject({ sessions: 1, messages: 2, compactions: 0, originals: 0, bodies: 2 });
      expect(await store.readChain("t", old.links[1]!)).toEqual([]);
      expect(await store.findCompaction("t", old.links)).toEqual({ undone: false });
      expect(await store.getOriginal("t", "r1")).toBeUndefined();
      expect(await store.search("t", "treasure", 9)).toEqual([]);
      expect(await store.searchMessages("t", "old", 9)).toEqual([]);
      expect(await store.searchMessages("t", "reply", 9)).toHaveLength(1);
      expect(await store.listUsage("t", old.links)).toEqual([]);
      expect(await store.appendChain("t", old)).toMatchObject({ added: 2 });
    });

    it("keeps a session as long as a branch of it is used", async () => {
      await at(1_000, ["a", "b", "c"]);
      await at(9_000, ["a", "b", "other"]);
      expect(await store.retain({ tenant: "t", before: 5_000 })).toMatchObject({ sessions: 2, messages: 4 });
      expect(await store.retain({ tenant: "t", before: 10_000 })).toMatchObject({ sessions: 0, messages: 0, bytes: 0 });
    });

    it("deletes the longest unused first until the rest fits", async () => {
      for (let n = 0; n < 10; n++) await at(1_000 + n, [`question ${n}`, `answer ${n}`]);
      const { bytes } = await store.holdings("t");
      const left = await store.retain({ tenant: "t", maxBytes: bytes / 2 });
      expect(left.bytes).toBeLessThanOrEqual(bytes / 2);
      expect(left.sessions).toBe(5);
      expect(await store.searchMessages("t", "question 9", 9, { literally: true })).toHaveLength(1);
      expect(await store.searchMessages("t", "question 0", 9, { literally: true })).toEqual([]);
    });

    it("keeps records without a stored chain while they are found, and their originals with them", async () => {
      const original = (id: string) => ({ id, kind: "result" as const, label: id, text: `text of ${id}` });
      await store.putOriginals("t", [original("r1"), original("r2"), original("r3")]);
      await store.putCompaction("t", compaction("b", 2, ["r1"]));
      await store.putCompaction("t", compaction("y", 2, ["r2", "r1"]));
      time = 1_000_000_000;
      await store.findCompaction("t", ["a", "b"]);
      const left = await store.retain({ tenant: "t", before: 1_000_000_000 });
      expect(left).toMatchObject({ compactions: 1, originals: 1 });
      expect(await store.getOriginal("t", "r1")).toBeDefined();
      expect((await store.findCompaction("t", ["a", "b"])).compaction?.covers).toBe("b");
    });

    it("deletes a session by its id, with the branches that stand on it and all that only they have", async () => {
      const first = talk("alpha treasure", "beta", "gamma");
      await store.appendChain("t", { ...first, session: "first" });
      await store.appendChain("t", { ...talk("alpha treasure", "beta", "branch"), session: "branch" });
      await store.appendChain("t", { ...talk("alpha treasure", "beta", "branch", "twig"), session: "twig" });
      await store.appendChain("t", { ...talk("other", "beta"), session: "other" });
      await store.appendChain("u", { ...first, session: "first" });
      await store.putOriginals("t", [{ id: "r1", kind: "result", label: "x", text: "hidden jewel" }]);
      await store.putCompaction("t", compaction(first.links[2]!, 3, ["r1"]));
      await store.putUsage("t", usage(first.links[2]!, 5));
      await store.putState("t", first.links[0]!, { kept: 1 });
      await store.putState("t", `recalled:${first.links[1]!}`, { text: "hidden jewel" });
      await store.putState("t", "model x", { window: 5 });
      expect(await store.withBranches("t", ["branch"])).toEqual(["twig", "branch"]);
      expect(await store.withBranches("t", ["nobody"])).toEqual([]);
      expect(new Set(await store.deleteSessions("t", ["first"]))).toEqual(new Set(["first", "branch", "twig"]));
      expect(await store.holdings("t")).toMatchObject({
        sessions: 1,
        messages: 2,
        compactions: 0,
        originals: 0,
        bodies: 2,
      });
      for (const link of first.links) expect(await store.isStored("t", link)).toBe(false);
      expect(await store.findCompaction("t", first.links)).toEqual({ undone: false });
      expect(await store.getOriginal("t", "r1")).toBeUndefined();
      expect([await store.search("t", "jewel", 9), await store.searchMessages("t", "treasure", 9)]).toEqual([[], []]);
      expect(await store.listUsage("t", first.links)).toEqual([]);
      expect(await store.getState("t", first.links[0]!)).toBeUndefined();
      expect(await store.getState("t", `recalled:${first.links[1]!}`)).toBeUndefined();
      expect(await store.getState("t", "model x")).toEqual({ window: 5 });
      expect(await store.searchMessages("t", "beta", 9)).toHaveLength(1);
      expect(await store.holdings("u")).toMatchObject({ sessions: 1, messages: 3 });
      expect(await store.appendChain("t", first)).toMatchObject({ added: 3 });
    });

    it("keeps a deleted session whole again where its client goes on, and lists it", async () => {
      const begun = talk("alpha", "beta");
      const longer = talk("alpha", "beta", "gamma");
      const covers = longer.links[1]!;
      const compacted = async (): Promise<void> => {
        await store.putOriginals("t", [{ id: "r1", kind: "result", label: "x", text: "hidden jewel" }]);
        await store.putCompaction("t", compaction(covers, 2, ["r1"]), longer.links[0]);
      };
      await store.appendChain("t", begun);
      await compacted();
      const [{ id } = { id: "" }] = await store.listSessions("t", { limit: 9 });
      for (const goesOn of [begun, longer]) {
        await store.deleteSessions("t", [id, ...(await store.listSessions("t", { limit: 9 })).map((one) => one.id)]);
        expect(await store.holdings("t")).toMatchObject({ sessions: 0, compactions: 0, originals: 0, bodies: 0 });
        await Promise.all([compacted(), store.appendChain("t", goesOn)]);
        const listed = await store.listSessions("t", { limit: 9 });
        expect(listed).toMatchObject([{ messages: goesOn.links.length, head: goesOn.links.at(-1) }]);
        expect(await store.readLinks("t", goesOn.links.at(-1)!)).toEqual(goesOn.links);
        expect((await store.findCompaction("t", goesOn.links)).compaction?.covers).toBe(covers);
        expect((await store.getOriginal("t", "r1"))?.text).toBe("hidden jewel");
      }
    });

    it("deletes what belongs to no stored conversation alone, where it is told to", async () => {
      const kept = talk("kept");
      const original = (id: string) => ({ id, kind: "result" as const, label: id, text: `text of ${id}` });
      await store.appendChain("t", kept);
      await store.putOriginals("t", [original("r1"), original("r2"), original("r3")]);
      await store.putCompaction("t", compaction(kept.links[0]!, 1, ["r1"]));
      await store.putCompaction("t", compaction("nowhere", 1, ["r2"]));
      await store.putState("t", "model x", 3);
      await store.putOriginals("u", [original("r4")]);
      time = 2_000;
      const left = await store.retain({ tenant: "t", before: time, looseOnly: true });
      expect(left).toMatchObject({ sessions: 1, compactions: 1, originals: 1, bodies: 2 });
      expect(await store.getState("t", "model x")).toBe(3);
      expect(await store.getOriginal("u", "r4")).toBeDefined();
      await store.deleteSessions("t", [(await store.listSessions("t", { limit: 9 }))[0]!.id]);
      expect(await store.holdings("t")).toMatchObject({ sessions: 0, compactions: 0, originals: 0, bodies: 0 });
    });

    it("deletes a branch alone: what it shares is the other's", async () => {
      const one = talk("a", "b", "c");
      await store.appendChain("t", { ...one, session: "one" });
      await store.appendChain("t", { ...talk("a", "b", "other"), session: "two" });
      expect(await store.deleteSessions("t", ["two", "nobody"])).toEqual(["two"]);
      expect(await store.readLinks("t", one.links[2]!)).toEqual(one.links);
      expect(await store.searchMessages("t", "other", 9)).toEqual([]);
      expect(await store.deleteSessions("t", [])).toEqual([]);
    });

    it("deletes states with the conversation that they belong to, and others when they were not used since", async () => {
      const old = talk("old");
      await at(1_000, ["old"]);
      await store.putState("t", old.links[0]!, 1);
      await store.putState("t", `recalled:${old.links[0]!}`, 2);
      await store.putState("t", "model x", 3);
      time = 9_000;
      await store.putState("t", "model y", 4);
      await store.retain({ tenant: "t", before: 5_000 });
      expect(await Promise.all([old.links[0]!, `recalled:${old.links[0]!}`, "model x", "model y"].map(async (root) => store.getState("t", root)))).toEqual([undefined, undefined, undefined, 4]); // prettier-ignore
    });

    it("deletes the longest unused until the whole is small enough", async () => {
      const text = "words and words ".repeat(1_000);
      for (let n = 0; n < 40; n++) await at(1_000 + n, [`question ${n}`, `answer ${n} ${text}`]);
      expect(await store.size()).toBeGreaterThan(400_000);
      const { sessions, bytes } = await store.retain({ maxFileBytes: 400_000 });
      expect(await store.size()).toBeLessThanOrEqual(400_000);
      expect([sessions > 0, sessions < 40, bytes < 400_000]).toEqual([true, true, true]);
      expect(await store.searchMessages("t", "question 39", 9, { literally: true })).toHaveLength(1);
      expect(await store.searchMessages("t", "question 0", 9, { literally: true })).toEqual([]);
    });

    it("leaves other tenants alone, unless told to look at all", async () => {
      await at(1_000, ["a"]);
      await store.appendChain("u", talk("a"));
      await store.retain({ tenant: "t", before: 5_000 });
      expect(await store.holdings("u")).toMatchObject({ sessions: 1 });
      expect(await store.retain({ before: 5_000 })).toMatchObject({ sessions: 0, bodies: 0 });
      await store.vacuum();
    });
  });
}

function usage(link: string, input: number) {
  return { link, model: "m", input, output: 5, cacheRead: 2, cacheWrite: 1, at: 1_000 };
}
