/** What the tool answers: an original, lines of it, or places that hold words; never more than it may. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateText } from "../../../src/core/transcript/estimate.ts";
import { RECALL_LIMITS } from "../../../src/gateway/recall/limits.ts";
import { answerCall, idsIn, type Shelf } from "../../../src/gateway/recall/originals.ts";
import { createMemoryStore } from "../../../src/store/index.ts";
import { RUNS } from "../../support/transcripts.ts";

const ID = "r0123456789".slice(0, 10);
const SPAN = "rabcdef0123".slice(0, 10);
const TENANT = "t";

async function shelf(text: string, more: Partial<Shelf> = {}): Promise<Shelf> {
  const store = createMemoryStore();
  const span = ["first words", text].map((one) => JSON.stringify({ role: "user", content: one })).join("\n");
  await store.putOriginals(TENANT, [
    { id: ID, kind: "result", label: "read a.ts", text },
    { id: SPAN, kind: "span", label: "messages 1 to 2", text: span },
  ]);
  return { store, tenant: TENANT, secrets: {}, limits: RECALL_LIMITS, ids: [ID, SPAN], ...more };
}

const wanted = (text: string): string => JSON.stringify({ wanted: text });
const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1} of it`).join("\n");

describe("an id", () => {
  it("gives the whole original where it fits", async () => {
    const { text, found } = await answerCall(await shelf(lines(20)), wanted(ID), 1_000);
    expect({ text, found }).toEqual({ text: `${ID} (read a.ts):\n${lines(20)}`, found: true });
  });

  it("gives all of a long original, read on from line to line", async () => {
    const text = lines(400);
    const shelved = await shelf(text);
    let next: string | undefined = ID;
    let read: string[] = [];
    for (let calls = 0; next !== undefined && calls < 50; calls++) {
      const answer: string = (await answerCall(shelved, wanted(next), 300)).text;
      const [, ...shown] = answer.split("\n");
      next = /more lines: (r[0-9a-f]{9}:\d+)\)$/.exec(answer)?.[1];
      read = [...read, ...(next === undefined ? shown : shown.slice(0, -1))];
    }
    expect(read.join("\n")).toBe(text);
  });

  it("gives lines that hold words, with their neighbours", async () => {
    const { text } = await answerCall(await shelf(lines(400)), wanted(`${ID} line 217`), 1_000);
    expect(text).toContain("217: line 217 of it");
    expect(text).toContain("216: line 216 of it");
  });

  it("gives a span as what was said in it", async () => {
    const { text } = await answerCall(await shelf("a\nb"), wanted(SPAN), 1_000);
    expect(text).toContain("[user]\nfirst words\n[user]\na\nb");
  });
});

it("finds words in what left the conversation, and only there", async () => {
  const shelved = await shelf(lines(400));
  expect((await answerCall(shelved, wanted("line 311"), 1_000)).text).toContain(`${ID}:311`);
  expect(await answerCall({ ...shelved, ids: [] }, wanted("line 311"), 1_000)).toMatchObject({ found: false });
  expect(await answerCall({ ...shelved, tenant: "other" }, wanted("line 311"), 1_000)).toMatchObject({ found: false });
  expect(await answerCall({ ...shelved, tenant: "other" }, wanted(ID), 1_000)).toMatchObject({ found: false });
});

it("answers whatever it is asked, within its tokens", async () => {
  const text = `${lines(50)}\n${"x".repeat(30_000)}\n${"words without end ".repeat(2_000)}`;
  const shelved = await shelf(text);
  const asked = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record({ wanted: fc.oneof(fc.string(), fc.constantFrom(ID, SPAN, `${ID}:51`, `${ID}:9999`, "words", "x line")) })
      .map((one) => JSON.stringify(one)),
  );
  await fc.assert(
    fc.asyncProperty(asked, fc.integer({ min: 60, max: 900 }), async (given, tokensMax) => {
      const answer = await answerCall(shelved, given, tokensMax);
      // What frames it is beside.
      if (answer.found) expect(estimateText(answer.text)).toBeLessThan(tokensMax + 90);
    }),
    { numRuns: Math.ceil(RUNS / 5) },
  );
});

it("is told too much", async () => {
  const answer = await answerCall(await shelf("a"), wanted("x".repeat(RECALL_LIMITS.argumentsChars)), 500);
  expect(answer).toMatchObject({ found: false, text: expect.stringContaining("too long") as string });
});

it("knows ids in a text", () => {
  expect(idsIn(`recall ${ID}, [… ${SPAN}] and ${ID}; not r12 nor xr0123456789a`)).toEqual([ID, SPAN]);
});

it("has the bounds that docs/recall.md states", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/recall.md"), "utf8");
  const { calls, callTokens, answerTokens } = RECALL_LIMITS;
  const counted = (count: number): string => count.toLocaleString("en-US");
  expect(page).toContain(`${calls} calls, ${counted(callTokens)} tokens each, ${counted(answerTokens)} together`);
});
