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
});
