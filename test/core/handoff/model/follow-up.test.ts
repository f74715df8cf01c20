/** A record asked for behind the conversation: what the provider has cached is sent again to the byte. */
import { describe, expect, it } from "vitest";
import { createLayered } from "../../../../src/core/engines/layered/layered.ts";
import { NINE_SECTIONS } from "../../../../src/core/handoff/templates.ts";
import { promptText, SYSTEM } from "../../../../src/core/handoff/model/prompt.ts";
import type { Writer, WriterFailure, WriterPrompt, WriterReply } from "../../../../src/core/handoff/model/writer.ts";
import { textMessage, type Transcript } from "../../../../src/core/transcript/message.ts";
import { violationsOf } from "../../../../src/core/transcript/oracle.ts";
import { protocols } from "../../../../src/protocols/index.ts";
import { chain, filler, measure } from "../../../support/compacting.ts";

const chat = protocols["openai-chat"];
const record = NINE_SECTIONS.map(({ heading }) =>
  heading === "Key Technical Concepts" || heading === "Problem Solving"
    ? `## ${heading}\n- ${heading}: src/cart.ts sorts by id.`
    : `## ${heading}\nNone`,
).join("\n");
const usage = { inputTokens: 1, outputTokens: 1, requests: 1 };

/** The body that a client of Chat Completions sends. */
const body = JSON.stringify({
  model: "any-1",
  tools: [{ type: "function", function: { name: "read_file", parameters: { type: "object" } } }],
  messages: [
    { role: "system", content: "You are careful." },
    { role: "user", content: "Mend src/cart.ts: the cart must keep its order." },
    ...Array.from({ length: 20 }, (_, at) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: `c${at}`, type: "function", function: { name: "read_file", arguments: `{"path":"p${at}"}` } },
        ],
      },
      { role: "tool", tool_call_id: `c${at}`, content: `src/cart.ts sorts by id.\n${filler(1_000, `part${at}`)}` },
    ]).flat(),
    { role: "user", content: "Go on." },
  ],
});
const decoded = chat.decode(body);

/** A host that sends the question as it sends its own requests. */
function host(answer: (size: number) => WriterReply): { writer: Writer; asked: WriterPrompt[]; bodies: string[] } {
  const asked: WriterPrompt[] = [];
  const bodies: string[] = [];
  const ask = (prompt: WriterPrompt): Promise<WriterReply> => {
    asked.push(prompt);
    const { conversation } = prompt;
    if (conversation === undefined) return Promise.resolve(answered);
    const messages = [...conversation.messages, textMessage("user", prompt.user)];
    expect(violationsOf({ ...conversation, messages })).toEqual([]);
    bodies.push(chat.splice(decoded, { ...conversation, messages }));
    return Promise.resolve(answer(measure.transcript(conversation)));
  };
  return { writer: { model: "any-1", windowTokens: 100_000, followsUp: true, ask }, asked, bodies };
}

const answered: WriterReply = { kind: "answered", text: record, ended: "stop", usage };
const refused = (failure: WriterFailure): WriterReply => ({ kind: "failed", failure, usage });

async function summaryBy(writer: Writer, transcript: Transcript = decoded.transcript) {
  const engine = createLayered({ contextLength: 100_000, maxOutputTokens: 0 });
  const writers = { main: writer, resting: [] };
  const request = { measure, chain, reason: "explicit", focus: "the cart", writers } as const;
  const outcome = await engine.compact(engine.init(), transcript, request);
  if (outcome.kind !== "compacted") throw new Error(outcome.because);
  return outcome.compaction.report;
}

describe("a record asked for behind the conversation", () => {
  it("begins with the very bytes of the session's own request", async () => {
    const { writer, asked, bodies } = host(() => answered);
    const report = await summaryBy(writer);
    expect(report.summary?.by).toBe("model");
    expect(asked).toHaveLength(1);
    const whole = body.slice(0, body.lastIndexOf("]}"));
    expect(bodies[0]!.slice(0, whole.length)).toBe(whole);
    expect(asked[0]!.user.length).toBeLessThan(5_000);
    for (const { heading } of NINE_SECTIONS) expect(asked[0]!.user).toContain(heading);
  });

  it("drops the oldest rounds where the provider finds it too long, at most three times", async () => {
    const overflow = refused({ class: "overflow", message: "too long", windowTokens: 15_000 });
    const gentle = host((size) => (size > 15_000 ? overflow : answered));
    expect((await summaryBy(gentle.writer)).summary).toMatchObject({ by: "model", steps: [{ calls: 2 }] });
    expect(measure.transcript(gentle.asked[1]!.conversation!)).toBeLessThan(15_000);
    expect(gentle.asked[1]!.conversation!.messages.at(-1)).toBe(decoded.transcript.messages.at(-1));

    const strict = host(() => refused({ class: "overflow", message: "too long" }));
    const report = await summaryBy(strict.writer);
    expect(strict.bodies).toHaveLength(4);
    expect(strict.asked.at(-1)!.conversation).toBeUndefined();
    expect(report.summary).toMatchObject({ by: "model", steps: [{ calls: strict.asked.length }] });
  });

  it("is described instead to a model that cannot be asked there", async () => {
    const { writer, asked } = host(() => answered);
    await summaryBy({ ...writer, followsUp: false });
    expect(asked[0]!.conversation).toBeUndefined();
    expect(asked[0]!.user).toContain("=== session ===");
  });

  it("leaves a failure that is not about length to the next on the ladder", async () => {
    const { writer, asked } = host(() => refused({ class: "quota", message: "spent" }));
    const report = await summaryBy(writer);
    expect(asked).toHaveLength(1);
    expect(report.summary).toMatchObject({ by: "ledger", steps: [{ outcome: "failed", class: "quota" }] });
  });
});

it("is to say that there was a secret and not what, and to number on where a record goes on", () => {
  const asked = [{ heading: "Work", level: 2, purpose: "what was done" }] as never;
  const text = promptText({
    source: "s",
    record: "1. Done.",
    template: [],
    asked,
    live: undefined,
    targetTokens: 500,
    following: "",
  });
  expect([SYSTEM, text]).toEqual([
    expect.stringMatching(/say that there is one and what it opens, and write \[REDACTED\]/),
    expect.stringContaining("with numbers that go on from the last"),
  ]);
});
