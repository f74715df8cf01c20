/** What the recall tool answers: places, messages by number, outlines and originals; never more than it may. */
import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/core/redaction/redactor.ts";
import { estimateText } from "../../../src/core/transcript/estimate.ts";
import { textMessage, type Message } from "../../../src/core/transcript/message.ts";
import { RECALL_LIMITS } from "../../../src/gateway/recall/tool.ts";
import { createDecoder, protocols } from "../../../src/protocols/index.ts";
import { type ProtocolName } from "../../../src/core/protocols.ts";
import { answerRecall, type RecallSource, answerRecallCall } from "../../../src/session/recall/answer.ts";
import { readOriginal } from "../../../src/session/recall/read-original.ts";
import type { Original } from "../../../src/store/store.ts";
import { RUNS } from "../../support/transcripts.ts";

const RESULT = "r012345678";
const SPAN = "rabcdef012";
const KEY = `sk-ant-api03-${"Ab1".repeat(30)}`;

const TALK: readonly Message[] = [
  textMessage("user", "Refunds come back one cent short. Never round a line by itself."),
  {
    role: "assistant",
    parts: [
      { kind: "text", text: "Let me look." },
      { kind: "tool-call", id: "c1", name: "read", arguments: '{"path":"src/discounts.ts","note":"two\\nlines"}' },
    ],
  },
  {
    role: "tool",
    parts: [
      {
        kind: "tool-result",
        callId: "c1",
        content: [{ kind: "text", text: `export const roundHalfEven = 1;\nkey ${KEY}` }],
      },
    ],
  },
  textMessage("assistant", "The cause is double rounding; it is rounded once now, half-even."),
];
const spanText = TALK.map(({ role, parts }) => JSON.stringify({ role, parts })).join("\n");

const ORIGINALS: readonly Original[] = [
  {
    id: RESULT,
    kind: "result",
    label: "read a.ts",
    text: Array.from({ length: 400 }, (_, at) => `line ${at + 1} of it`).join("\n"),
  },
  { id: SPAN, kind: "span", label: "messages 7 to 10", text: spanText },
];

function sourceOf(originals = ORIGINALS, ids = originals.map(({ id }) => id)): RecallSource {
  return {
    original: async (id) => originals.find((one) => one.id === id),
    ids,
    redact: createRedactor({}),
    limits: RECALL_LIMITS,
  };
}

const asked = async (given: unknown, tokensMax = 4_000, source = sourceOf()): Promise<string> =>
  (await answerRecallCall(source, JSON.stringify(given), tokensMax)).text;

describe("a search", () => {
  it("names hits by the numbers of their messages, best first", async () => {
    const answer = await asked({ query: "double rounding" });
    expect(answer).toContain(`── ${SPAN} 10 assistant\nThe cause is double rounding`);
    expect((await asked({ query: "rounding" })).split("── ")[1]).toContain(`${SPAN} 10 assistant`);
  });

  it("gives a question several places, up to the room that it has, and the answers beside them", async () => {
    const asks = Array.from({ length: 60 }, (_, at) => [
      textMessage("user", `How long does the ferry to island number ${at} take, roughly and on a quiet day in spring?`),
      textMessage("assistant", `About ${at + 10} minutes.`),
    ]).flat();
    const text = asks.map((message) => JSON.stringify(message)).join("\n");
    const source = sourceOf([{ id: SPAN, kind: "span", label: `messages 1 to ${asks.length}`, text }]);
    const answer = await asked({ query: "how long is the ferry to island 17" }, 4_000, source);
    expect(answer.split("── ")[1]).toContain("island number 17");
    expect(answer).toContain("36 assistant, next to a hit\nAbout 27 minutes.");
    const many = await asked({ query: "how long does the ferry take" }, 4_000, source);
    expect(many.split("── ").length).toBeGreaterThan(30);
    expect(estimateText(await asked({ query: "ferry take" }, 500, source))).toBeLessThanOrEqual(500);
  });

  it("is narrowed by an id, by messages and by a role", async () => {
    expect(await asked({ query: "line 217", id: RESULT })).toContain("line 217 of it");
    expect(await asked({ query: "rounded", messages: "7-9" })).toContain(`${SPAN} 7 user`);
    expect(await asked({ query: "rounded", role: "user" })).not.toContain("10 assistant");
    expect(await asked({ query: "217" }, 4_000, sourceOf(ORIGINALS, [SPAN]))).toContain("Nothing that left");
  });

  it("says which words are missing, and what to do where nothing is found", async () => {
    expect(await asked({ query: "double zebra" })).toContain("without zebra");
    expect(await asked({ query: "zebra" })).toMatch(/holds "zebra"\. Try fewer or other words/);
  });
});

describe("messages", () => {
  it("come by number, by range and by role, with their tools", async () => {
    expect(await asked({ messages: "9" })).toContain("── 9 tool (read)\nexport const roundHalfEven");
    expect(await asked({ id: SPAN, messages: "7-8" })).toContain(
      "── 8 assistant (read)\nLet me look.\n[calls read]\npath: src/discounts.ts\nnote: two\nlines",
    );
    const spoken = await asked({ id: SPAN, role: "assistant" });
    expect(spoken.match(/^── \d+/gm)).toEqual(["── 8", "── 10"]);
  });

  it("come from several places at once", async () => {
    const several = await asked({ messages: "7, 9-10" });
    expect(several.match(/^── \d+/gm)).toEqual(["── 7", "── 9", "── 10"]);
    expect(await asked(`${SPAN} 7,9`)).toMatch(/^── 9 tool/m);
    expect(await asked({ messages: "7,x" })).toContain("a number, a range, or several");
  });

  it("come one line each in an outline", async () => {
    const [, ...lines] = (await asked({ outline: true })).split("\n");
    expect(lines.map((line) => /^(\d+ \w+(?: \(\w+\))?)/.exec(line)?.[1])).toEqual([
      "7 user",
      "8 assistant (read)",
      "9 tool (read)",
      "10 assistant",
    ]);
  });

  it("are without secrets", async () => {
    for (const given of [{ messages: "9" }, { id: SPAN }, { query: "roundHalfEven key" }, { outline: true }])
      expect(await asked(given)).not.toContain(KEY);
  });

  it.each(Object.keys(protocols) as ProtocolName[])("keep their numbers in %s", (protocol) => {
    const body = protocols[protocol].format(TALK);
    const { messages } = createDecoder(protocols[protocol]).decode(body).transcript;
    const lines = [...new Set(messages.map((message) => message.wire!.raw))].join("\n");
    const values = JSON.parse(`[${lines.split("\n").join(",")}]`) as readonly unknown[];
    for (const text of [lines, values.map((value) => JSON.stringify(value, null, 2)).join("\n")]) {
      const read = readOriginal({ id: SPAN, kind: "span", label: "messages 7 to 10", text }).messages!;
      expect(read.map(({ number, role }) => [number, role])).toEqual([
        [7, "user"],
        [8, "assistant"],
        [9, "tool"],
        [10, "assistant"],
      ]);
      expect(read[2]).toMatchObject({ tools: ["read"], text: expect.stringContaining("roundHalfEven") as string });
    }
  });
});

describe("an error", () => {
  it("has a code and says what to do", async () => {
    const codes = async (request: Parameters<typeof answerRecall>[1]) =>
      answerRecall(sourceOf(), request, 500).catch((error: unknown) => error);
    expect(await codes({ id: "r999999999" })).toMatchObject({
      code: "unknown_recall_id",
      hint: expect.stringContaining("Search") as string,
    });
    expect(await codes({ id: SPAN, ranges: [{ from: 99, to: 131 }] })).toMatchObject({
      code: "bad_range",
      hint: expect.stringContaining("7 to 10") as string,
    });
    expect(await codes({ id: SPAN, ranges: [{ from: 10, to: 7 }] })).toMatchObject({ code: "bad_range" });
    expect(await codes({})).toMatchObject({ code: "bad_recall" });
    expect(await asked({ messages: "many" })).toContain("a number, a range, or several");
    expect(await asked({ query: "x".repeat(3_000) })).toContain("too long");
  });
});

describe("a page", () => {
  it("leads to the next one until all was read", async () => {
    let read = "";
    let offset = 0;
    for (let calls = 0; calls < 50; calls++) {
      const answer = await asked({ id: RESULT, ...(offset === 0 ? {} : { offset }) }, 300);
      const body = answer.slice(answer.indexOf(":\n") + 2);
      const more = /\n\(more: id r012345678, offset (\d+)\)$/.exec(body);
      read += more === null ? body : body.slice(0, more.index);
      if (more === null) break;
      offset = Number(more[1]);
    }
    expect(read).toBe(ORIGINALS[0]!.text);
  });
});

it("takes arguments as models write them", async () => {
  for (const given of [
    `${SPAN} 9`,
    { wanted: `${SPAN} 9` },
    { id: `${SPAN} 9` },
    { id: SPAN, messages: 9 },
    { id: SPAN, messages: [9, 9] },
  ])
    expect(await asked(given)).toContain("── 9 tool (read)");
  expect(await asked("double rounding")).toContain(`${SPAN} 10`);
  expect(await asked({ wanted: SPAN, outline: "true" })).toContain("7 user: Refunds");
});

it("answers whatever it is asked, within its tokens", async () => {
  const text = `${"x".repeat(30_000)}\n${"words without end ".repeat(2_000)}`;
  const source = sourceOf([...ORIGINALS, { id: "r111111111", kind: "result", label: "long", text }]);
  const given = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record(
        {
          query: fc.oneof(fc.string(), fc.constantFrom("words", "line", "rounding x")),
          id: fc.oneof(fc.string(), fc.constantFrom(SPAN, RESULT, "r111111111")),
          messages: fc.oneof(fc.string(), fc.constantFrom("7", "8-9", "7-", "99-131"), fc.integer()),
          role: fc.constantFrom("user", "tool", "nobody"),
          outline: fc.boolean(),
          offset: fc.integer({ min: -5, max: 40_000 }),
        },
        { requiredKeys: [] },
      )
      .map((one) => JSON.stringify(one)),
  );
  await fc.assert(
    fc.asyncProperty(given, fc.integer({ min: 60, max: 900 }), async (one, tokensMax) => {
      const answer = await answerRecallCall(source, one, tokensMax);
      // What frames it is beside.
      if (answer.found) expect(estimateText(answer.text)).toBeLessThan(tokensMax + 120);
    }),
    { numRuns: Math.ceil(RUNS / 5) },
  );
});

it("has the bounds that docs/recall.md states", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/recall.md"), "utf8");
  const { calls, callTokens, answerTokens } = RECALL_LIMITS;
  const counted = (count: number): string => count.toLocaleString("en-US");
  expect(page).toContain(`${calls} calls, ${counted(callTokens)} tokens each, ${counted(answerTokens)} together`);
});
