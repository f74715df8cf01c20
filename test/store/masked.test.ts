/** A store that masks does what every store does, finds everything as ever, and keeps no secret that is recognised. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createRedactor } from "../../src/core/redaction/redactor.ts";
import { protocols } from "../../src/protocols/index.ts";
import { createSession } from "../../src/index.ts";
import { maskedStore } from "../../src/store/masked.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { storeContract } from "./contract.ts";
import { chain } from "./contract/things.ts";

const redact = createRedactor();
storeContract("memory, masked", async (clock) => maskedStore(createMemoryStore(clock), redact));

const folder = mkdtempSync(join(tmpdir(), "precis-masked-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TOKENS = Array.from({ length: 6 }, (_, at) => `ghp_${"aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA"}${10 + at}`);

/** With a secret in a request, in arguments, in results, and in the newest exchange; several in one wire message. */
function body(turns: number): object {
  const work = Array.from({ length: turns }, (_, turn) => [
    {
      role: "assistant",
      content: [
        { type: "text", text: `Step ${turn}` },
        {
          type: "tool_use",
          id: `a${turn}`,
          name: "Bash",
          input: { command: `curl -H "x: ${TOKENS[1]!}" part${turn}` },
        },
        { type: "tool_use", id: `b${turn}`, name: "Bash", input: { command: "ls" } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: `a${turn}`, content: `line of ${turn} ${TOKENS[2]!}\n`.repeat(60) },
        { type: "tool_result", tool_use_id: `b${turn}`, content: `plain result ${turn}` },
      ],
    },
  ]);
  return {
    model: "claude-sonnet-4-5",
    max_tokens: 100,
    messages: [
      { role: "user", content: `Deploy it with ${TOKENS[0]!}.` },
      ...work.flat(),
      { role: "assistant", content: `Done, with ${TOKENS[4]!}.` },
      { role: "user", content: `And now with ${TOKENS[3]!}, please.` },
    ],
  };
}

describe("a store that masks", () => {
  it("keeps none of the secrets of a conversation, its originals and its compaction, and finds all of it", async () => {
    const file = await openSqliteStore({ path: join(folder, "history.db") });
    const store = maskedStore(file, redact);
    const session = createSession({
      protocol: "anthropic-messages",
      settings: { contextLength: 20_000 },
      store,
      tenant: "t",
    });
    const request = body(40);
    const prepared = await session.prepare(request as never);
    expect(JSON.stringify(prepared)).toContain("please");
    const { messages } = protocols["anthropic-messages"].decode(JSON.stringify(request)).transcript;
    const links = chain.linksOf(messages);
    await store.appendChain("t", { links, messages });
    await store.putState("t", links[0]!, { lastCovers: links[0]!, said: TOKENS[5]! });
    const { compaction: found } = await store.findCompaction("t", links);
    expect(found).toBeDefined();
    const [recallId] = found!.report.recall;
    const original = await store.getOriginal("t", recallId!);
    expect(original).toMatchObject({ masked: true, text: expect.stringContaining("plain result") as string });
    expect(await store.readLinks("t", links.at(-1)!)).toEqual(links);
    expect(await store.getState("t", links[0]!)).toMatchObject({ lastCovers: links[0]! });
    const stored = await store.readChain("t", links.at(-1)!);
    // Each is still what its protocol takes.
    for (const { body: text } of stored) expect(() => JSON.parse(text) as unknown).not.toThrow();
    await store.close();
    const bytes = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), "latin1"))
      .join("\n");
    expect(TOKENS.filter((token) => bytes.toLowerCase().includes(token.toLowerCase().slice(4)))).toEqual([]);
    // Compactions are compressed in the file: as they are read.
    const again = await openSqliteStore({ path: join(folder, "history.db"), readOnly: true });
    const kept = JSON.stringify(await again.listCompactions("t", links));
    expect(TOKENS.filter((token) => kept.includes(token))).toEqual([]);
    expect(kept).toContain("plain result");
    await again.close();
  });

  describe("keeps no secret that is a name", () => {
    const [one, other] = [TOKENS[0]!, TOKENS[1]!];
    const bytesIn = (path: string): string =>
      readdirSync(path)
        .map((name) => readFileSync(join(path, name), "latin1"))
        .join("\n");
    const { messages } = protocols["openai-chat"].decode(
      JSON.stringify({ messages: [{ role: "user", name: one, content: "Hello." }] }),
    ).transcript;
    const links = chain.linksOf(messages);

    it("of a session, a model, an author or a state: not in the file, and each is found as ever", async () => {
      const path = mkdtempSync(join(folder, "names-"));
      const store = maskedStore(await openSqliteStore({ path: join(path, "history.db") }), redact);
      const { session } = await store.appendChain("t", { links, messages, session: `sess-${one}` });
      const [bare] = messages.map(({ wire: _, ...rest }) => rest);
      const second = chain.linksOf([bare!, bare!]);
      await store.appendChain("t", { links: second, messages: [bare!, bare!], session: `sess-${other}` });
      const usage = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0, link: links[0]!, at: 1 };
      await store.putUsage("t", { ...usage, model: `gpt ${one}` });
      await store.putState("t", `model gpt ${one}`, { windows: { [`http://x/?key=${other}`]: { limitTokens: 5 } } });
      await store.putState("t", `of ${one}:${links[0]!}`, { told: 1 });

      const ids = (await store.listSessions("t", { limit: 9 })).map(({ id }) => id);
      expect(new Set(ids).size).toBe(2);
      expect(ids).toContain(session);
      expect(ids.filter((id) => !id.startsWith("sess-") || TOKENS.some((token) => id.includes(token)))).toEqual([]);
      for (const id of [`sess-${one}`, session]) expect(await store.getSession("t", id)).toMatchObject({ id: session });
      expect(await store.listSessions("t", { limit: 9, prefix: `sess-${other}` })).toHaveLength(1);
      expect(await store.getState("t", `model gpt ${one}`)).toMatchObject({ windows: {} });
      expect(await store.getState("t", `model gpt ${other}`)).toBeUndefined();
      expect(await store.getState("t", `of ${one}:${links[0]!}`)).toEqual({ told: 1 });
      expect((await store.findUsage("t", links))?.model).toMatch(/^gpt /);
      expect(await store.deleteSessions("t", [`sess-${other}`])).toHaveLength(1);
      await store.close();
      const bytes = bytesIn(path).toLowerCase();
      expect(TOKENS.filter((token) => bytes.includes(token.toLowerCase().slice(4)))).toEqual([]);
    });

    it("in a compaction: the author of a message that stands, and what the engine remembers", async () => {
      const store = maskedStore(createMemoryStore(), redact);
      const session = createSession({ settings: { contextLength: 20_000 }, store, tenant: "t" });
      const talk = Array.from({ length: 60 }, (_, at) => ({
        role: at % 2 === 0 ? "user" : "assistant",
        content: `Part ${at}: ${"a word or two. ".repeat(120)}`,
        ...(at % 2 === 0 ? { name: one } : {}),
      }));
      const { compaction } = await session.prepare({ messages: [...talk, { role: "user", content: "Go on." }] });
      const memory = { memory: { goal: [`use ${other}`] } };
      const hostile = { ...compaction!, covers: `${compaction!.covers}f`, state: memory };
      await store.putCompaction("t", hostile);
      const found = await Promise.all(
        [compaction!.covers, hostile.covers].map((link) => store.listCompactions("t", [link])),
      );
      const kept = JSON.stringify(found);
      expect(kept).toContain("a word or two");
      expect([one, other].filter((token) => kept.includes(token))).toEqual([]);
    });
  });
});
