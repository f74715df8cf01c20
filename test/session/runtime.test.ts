import { describe, expect, it } from "vitest";
import type { CompactionReport } from "../../src/core/compaction/compaction.ts";
import { contentText, type Message, type Transcript } from "../../src/core/transcript/message.ts";
import type { Change, RuntimeOptions } from "../../src/session/contract.ts";
import { createEngine } from "../../src/core/engines/engines.ts";
import { ENGINE_DEFAULTS } from "../../src/core/engines/settings.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { filler, measure, ran, says, talk, user } from "../support/compacting.ts";

const WINDOW = 40_000;
const runtime = (options: RuntimeOptions = {}) =>
  createRuntime({ settings: { contextLength: WINDOW, ...options.settings }, ...options });

const step = (at: number, tokens = 1_500): Message[] => [
  says(`Part ${at} comes next.`),
  ...ran("read_file", { path: `src/part_${at}.ts` }, filler(tokens, `part${at}`)),
];
const session = (steps: number, tokens?: number): Transcript =>
  talk(
    user("Tidy the module. Never touch src/public.ts."),
    Array.from({ length: steps }, (_, at) => step(at, tokens)).flat(),
  );
const grown = (transcript: Transcript, ...more: Message[]): Transcript => ({
  ...transcript,
  messages: [...transcript.messages, ...more],
});
const overflow = (limit: number, requested: number) => ({
  status: 400,
  body: JSON.stringify({
    type: "error",
    error: { type: "invalid_request_error", message: `prompt is too long: ${requested} tokens > ${limit} maximum` },
  }),
});

describe("prepare", () => {
  it("sends a short conversation as it came", async () => {
    const short = session(2);
    expect((await runtime().prepare(short)).transcript).toBe(short);
  });

  it("compacts at the threshold, and sends the same prefix from then on", async () => {
    const one = runtime();
    const long = session(16);
    const first = await one.prepare(long);
    expect(first.compaction?.report.reason).toBe("threshold");
    expect(first.tokens).toBeLessThan(WINDOW / 2);
    const second = await one.prepare(grown(long, says("Done with that."), user("And now the docs.")));
    expect(second.compaction).toBeUndefined();
    expect(second.transcript.messages.slice(0, first.transcript.messages.length)).toEqual(first.transcript.messages);
    expect(contentText(second.transcript.messages.at(-1)!.parts)).toBe("And now the docs.");
  });

  it("follows a branch: a history that lacks the covered prefix is not given its handoff", async () => {
    const one = runtime();
    await one.prepare(session(16));
    const other = talk(user("Something else."), step(99));
    expect((await one.prepare(other)).transcript).toBe(other);
  });

  it("does nothing by itself when switched off", async () => {
    const long = session(40);
    expect((await runtime({ enabled: false }).prepare(long)).transcript).toBe(long);
  });

  it("falls back on hygiene at 85 % when the engine rests", async () => {
    const own = createEngine("compressor", { ...ENGINE_DEFAULTS, contextLength: WINDOW });
    const lazy = runtime({ engine: { ...own, decide: () => ({ kind: "none" }) }, settings: { contextLength: WINDOW } });
    expect((await lazy.prepare(session(18))).compaction).toBeUndefined();
    const prepared = await lazy.prepare(session(26));
    expect(prepared.compaction?.report.reason).toBe("hygiene");
  });
});

describe("what a request and its provider say", () => {
  it("reserves the output that a request asks for, unless the host has said another figure", async () => {
    const asks = { ...session(2), maxOutputTokens: 16_000 };
    const one = runtime();
    await one.prepare(asks);
    // 0.85 of what the answer leaves, which is less than half of the window.
    expect(one.report().thresholdTokens).toBe(WINDOW / 2);
    await one.prepare({ ...asks, maxOutputTokens: 20_000 });
    expect(one.report().thresholdTokens).toBe(17_000);
    const said = runtime({ settings: { contextLength: WINDOW, maxOutputTokens: 0 } });
    await said.prepare({ ...asks, maxOutputTokens: 20_000 });
    expect(said.report().thresholdTokens).toBe(WINDOW / 2);
  });

  it("takes a provider's first count as it is, and later ones half", async () => {
    const one = runtime();
    const first = await one.prepare(session(2));
    first.observe({ input: first.tokens * 1.4, output: 10 });
    expect(one.state().factor).toBeCloseTo(1.4, 1);
    const second = await one.prepare(session(3));
    second.observe({ input: measure.transcript(session(3)), output: 10 });
    expect(one.state().factor).toBeCloseTo(1.2, 1);
  });
});

describe("what cannot fit", () => {
  it("is compacted whatever back-off and the least number of messages say", async () => {
    const one = runtime();
    const few = talk(user("Read it."), ran("read_file", { path: "src/all.ts" }, filler(2 * WINDOW, "all")));
    expect(few.messages.length).toBeLessThan(4);
    const prepared = await one.prepare(few);
    expect(prepared.compaction?.report.reason).toBe("hygiene");
    expect(prepared.tokens).toBeLessThan(WINDOW);
  });
});

describe("usage that a provider reports", () => {
  it("corrects the estimate of the next request", async () => {
    const one = runtime();
    const short = session(8);
    const { tokens } = await one.prepare(short);
    one.observe({ input: tokens * 2, output: 50, cacheRead: 0, cacheWrite: 0 });
    const next = await one.prepare(grown(short, user("go on")));
    expect(next.compaction?.report.reason).toBe("threshold");
  });

  it("is forgotten once a compaction came between", async () => {
    const one = runtime();
    const long = session(16);
    await one.prepare(session(10));
    one.observe({ input: 39_000, output: 0, cacheRead: 0, cacheWrite: 0 });
    const prepared = await one.prepare(long);
    expect(prepared.compaction).toBeDefined();
    expect(prepared.tokens).toBeLessThan(WINDOW / 2);
  });
});

describe("an error from a provider", () => {
  it("teaches the window and answers with a transcript that fits it", async () => {
    const one = createRuntime({ settings: { contextLength: 200_000 } });
    const long = session(14);
    const recovered = await one.recover(overflow(20_000, 22_000), long);
    expect(recovered?.compaction?.report.reason).toBe("overflow");
    expect(one.state().contextLength).toBe(20_000);
    expect(measure.transcript(recovered!.transcript)).toBeLessThanOrEqual(10_000);
  });

  it("gives up media first when the payload is too large", async () => {
    const image: Message = {
      role: "user",
      parts: [{ kind: "image", source: { type: "data", mediaType: "image/png", data: "iVBORw0KGgo=".repeat(20_000) } }],
    };
    const long = talk(user("Look."), image, says("I see."), session(4).messages, user("Go on."));
    const recovered = await runtime().recover({ status: 413, body: "" }, long);
    expect(recovered?.compaction?.report).toMatchObject({ reason: "payload", messages: { summarised: 0, edited: 1 } });
    const [id] = recovered!.compaction!.evicted.map((one) => one.id);
    expect(JSON.stringify(recovered!.transcript.messages)).toContain(id);
    expect(JSON.stringify(recovered!.transcript.messages).length).toBeLessThan(120_000);
  });

  it("that is about something else is left to the caller", async () => {
    expect(await runtime().recover({ status: 429, body: "slow down" }, session(3))).toBeUndefined();
  });
});

describe("undo", () => {
  it("restores the history and keeps automatic compaction off until it is asked for", async () => {
    const one = runtime();
    const long = session(16);
    await one.prepare(long);
    expect(await one.undo()).toBe(true);
    expect((await one.prepare(long)).transcript).toBe(long);
    const outcome = await one.compact(long);
    expect(outcome.kind).toBe("compacted");
    expect((await one.prepare(long)).transcript.messages).toEqual(outcome.transcript.messages);
  });

  it("is lifted by an overflow", async () => {
    const one = runtime();
    const long = session(16);
    await one.prepare(long);
    await one.undo();
    expect((await one.recover(overflow(30_000, 31_000), long))?.compaction).toBeDefined();
  });

  it("has nothing to take back at first", async () => {
    expect(await runtime().undo()).toBe(false);
  });
});

describe("recall", () => {
  it("resolves what a compaction removed, by id and by words", async () => {
    const one = runtime();
    const { compaction } = await one.prepare(session(16));
    const [span] = compaction!.evicted.filter(({ kind }) => kind === "span");
    const [hit] = await one.recall(span!.id);
    expect(hit?.text).toContain("part3 7: the");
    const [found] = await one.recall("part3 7");
    expect(found).toMatchObject({ id: span!.id, text: expect.stringContaining("part3 7") as string });
    const [message] = await one.recall(span!.id, { messages: String(found!.number) });
    expect(message).toMatchObject({ number: found!.number, role: found!.role });
    expect(message!.text).toContain("part3 7: the");
    const outline = await one.recall(span!.id, { role: "tool", outline: true });
    expect(outline.length).toBeGreaterThan(2);
    for (const { number, role, text } of outline) {
      expect(role).toBe("tool");
      expect(text).toMatch(new RegExp(`^${number} tool \\(\\w+\\): `));
    }
    await expect(one.recall("r000000000")).rejects.toMatchObject({ code: "unknown_recall_id" });
    await expect(one.recall(undefined as never)).rejects.toMatchObject({ code: "bad_recall" });
    await expect(one.recall(span!.id, { messages: "900" })).rejects.toMatchObject({ code: "bad_range" });
    expect(await one.recall("zebra crossing")).toEqual([]);
  });
});

describe("the host", () => {
  it("is told what happens, and what the model no longer sees", async () => {
    const heard: string[] = [];
    const changes: Change[] = [];
    const before: number[] = [];
    const one = runtime({
      hooks: {
        beforeCompact: (messages) => void before.push(messages.length),
        afterCompact: (_, change) => void changes.push(change),
      },
    });
    one.on("pressure", ({ thresholdTokens }) => heard.push(`pressure ${thresholdTokens}`));
    one.on("compacted", ({ compaction }) => heard.push(`compacted ${(compaction.report as CompactionReport).reason}`));
    const near = session(12);
    await one.prepare(near);
    await one.prepare(near);
    const long = session(16);
    await one.prepare(long);
    expect(heard).toEqual(["pressure 20000", "compacted threshold"]);
    expect(before).toEqual([long.messages.length]);
    expect(changes[0]!.noLongerVisible[3]).toMatchObject({ tool: "read_file", target: "src/part_4.ts" });
    expect(changes[0]!.parent).not.toBe(changes[0]!.child);
  });

  it("can stop listening", async () => {
    const one = runtime();
    let heard = 0;
    const stop = one.on("compacted", () => heard++);
    stop();
    await one.prepare(session(16));
    expect(heard).toBe(0);
  });

  it("can save a session and go on in another process over the same store", async () => {
    const store = createMemoryStore();
    const long = session(16);
    const first = runtime({ store });
    const { transcript } = await first.prepare(long);
    const state = JSON.parse(JSON.stringify(first.state()));
    const second = runtime({ store, state });
    expect((await second.prepare(long)).transcript.messages).toEqual(transcript.messages);
    expect(second.report().compactions).toBe(1);
  });

  it("can switch the model: a smaller window compacts at the next request", async () => {
    const one = createRuntime({ settings: { contextLength: 200_000 } });
    const long = session(16);
    expect((await one.prepare(long)).compaction).toBeUndefined();
    one.modelChanged({ contextLength: 32_000 });
    expect((await one.prepare(long)).compaction).toBeDefined();
  });

  it("counts and tells one compaction once, however many calls ask for it at the same time", async () => {
    const told: number[] = [];
    const one = runtime({ hooks: { afterCompact: (made) => void told.push(made.covered) } });
    const long = session(16);
    one.on("compacted", ({ compaction }) => told.push(compaction.covered));
    const all = await Promise.all(Array.from({ length: 4 }, () => one.prepare(long)));
    const [first, ...others] = all.map(({ transcript }) => transcript.messages);
    for (const other of others) expect(other).toEqual(first);
    const { compactions, savedTokens, last } = one.report();
    expect([compactions, savedTokens]).toEqual([1, last!.tokens.before - last!.tokens.after]);
    expect(told).toHaveLength(2);
    expect(await one.undo()).toBe(true);
    expect((await one.compact(long)).kind).toBe("compacted");
    expect(one.report().compactions).toBe(2);
  });

  it("can reset a session: figures start again", async () => {
    const one = runtime();
    await one.prepare(session(16));
    one.reset();
    expect(one.report()).toMatchObject({ compactions: 0, savedTokens: 0 });
  });
});

describe("back-off", () => {
  it("rests after two compactions that saved little, says why, and leaves hygiene and explicit calls alone", async () => {
    const because: string[] = [];
    const dense = (more: number): Transcript =>
      talk(
        user("Read."),
        Array.from({ length: 3 }, (_, at) => user(`${filler(6_000, `dense${at}`)}`)),
        Array.from({ length: more }, (_, at) => says(filler(300, `w${at}`))),
      );
    const one = runtime();
    one.on("degraded", (event) => because.push(...event.because));
    for (let more = 1; more < 12; more++) await one.prepare(dense(more));
    expect(one.report().compactions).toBeLessThanOrEqual(4);
    const explicit = await one.compact(dense(12), { focus: "w3" });
    expect(explicit.kind === "compacted" || explicit.because.length > 0).toBe(true);
  });
});
