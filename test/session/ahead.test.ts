/** A compaction made before it is due: put in place when it is, in one step, and only where it still fits. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Message, Transcript } from "../../src/core/transcript/message.ts";
import type { RuntimeOptions } from "../../src/session/contract.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { filler, ran, says, talk, user } from "../support/compacting.ts";
import { careful } from "../support/model-answers.ts";
import { answer, startEndpoint, type ScriptedEndpoint } from "../support/scripted-endpoint.ts";
import { writerAt } from "../support/writers.ts";

const WINDOW = 40_000;
const THRESHOLD = WINDOW / 2;
const step = (at: number): Message[] => [
  says(`Part ${at} comes next.`),
  ...ran("read_file", { path: `src/part_${at}.ts` }, filler(1_000, `part${at}`)),
];
const session = (steps: number, opening = "Tidy the module."): Transcript =>
  talk(user(opening), Array.from({ length: steps }, (_, at) => step(at)).flat());
const runtime = (options: RuntimeOptions = {}) => createRuntime({ settings: { contextLength: WINDOW }, ...options });

/** Just below the threshold, and just above it. */
const NEAR = 17;
const PAST = 21;
const FULL = 36;

describe("a compaction made ahead", () => {
  let model: ScriptedEndpoint;
  beforeAll(async () => {
    model = await startEndpoint({ script: answer((asked) => careful(asked.user)) });
  });
  afterAll(() => model.close());
  const told = () => runtime({ writers: { auxiliary: writerAt(model, "writer") }, modelsAhead: true });

  it("is asked for when the threshold is near, and not before", async () => {
    expect((await runtime().prepare(session(4))).soon).toBe(false);
    const prepared = await runtime().prepare(session(NEAR));
    expect(prepared).toMatchObject({ soon: true, compacted: false });
    expect(prepared.tokens).toBeLessThan(THRESHOLD);
  });

  it("changes nothing until it is due, is then put in place, and is what anybody finds from then on", async () => {
    const store = createMemoryStore();
    const one = runtime({ store });
    const short = session(NEAR);
    await one.prepare(short);
    expect(await one.ahead(short)).toBe(true);
    const before = await one.prepare(short);
    expect(before).toMatchObject({ compacted: false, soon: false });
    expect((await store.holdings()).compactions).toBe(0);
    const due = await one.prepare(session(PAST));
    expect(due).toMatchObject({ compacted: true, ahead: true });
    expect(due.compaction?.covered).toBeLessThanOrEqual(short.messages.length);
    expect((await runtime({ store }).prepare(session(PAST))).transcript.messages).toEqual(due.transcript.messages);
  });

  it("is forgotten where the conversation went another way", async () => {
    const one = runtime();
    await one.prepare(session(NEAR));
    expect(await one.ahead(session(NEAR))).toBe(true);
    const other = await one.prepare(session(PAST, "Something else entirely."));
    expect(other.compaction).toBeDefined();
    expect(other.ahead).toBeUndefined();
  });

  it("is made once, and not where there is room, or where nothing is to happen by itself", async () => {
    const one = runtime();
    expect(await one.ahead(session(2))).toBe(false);
    expect(await one.ahead(session(NEAR))).toBe(true);
    expect(await one.ahead(session(NEAR))).toBe(false);
    expect(await runtime({ enabled: false }).ahead(session(NEAR))).toBe(false);
  });

  it("is not tried again and again where nothing comes of it, and does not count against the session", async () => {
    const dense = (more: number): Transcript =>
      talk(
        user("Read."),
        user(filler(18_000, "dense")),
        Array.from({ length: more }, (_, at) => says(filler(100, `w${at}`))),
      );
    const one = runtime();
    const before = one.state().engine;
    expect((await one.prepare(dense(0))).soon).toBe(true);
    expect(await one.ahead(dense(0))).toBe(false);
    expect(one.state().engine).toEqual(before);
    expect((await one.prepare(dense(1))).soon).toBe(false);
  });

  it("is where models write: a request does not wait for them, and what is due but not pressing waits for it", async () => {
    const one = told();
    const before = model.requests.length;
    const due = await one.prepare(session(PAST));
    expect(due).toMatchObject({ compacted: false, soon: true });
    expect(model.requests.length).toBe(before);
    expect(await one.ahead(session(PAST))).toBe(true);
    expect(model.requests.length).toBeGreaterThan(before);
    const next = await one.prepare(session(PAST + 1));
    expect(next).toMatchObject({ compacted: true, ahead: true });
    expect(next.compaction?.report.summary?.by).toBe("model");
  });

  it("is not waited for when the window is nearly full: code writes", async () => {
    const one = told();
    const before = model.requests.length;
    const full = await one.prepare(session(FULL));
    expect(full.compaction?.report.reason).toBe("hygiene");
    expect(model.requests.length).toBe(before);
  });
});

describe("a usage", () => {
  it("counts for the request it is about, whatever was prepared since", async () => {
    const one = runtime();
    const first = await one.prepare(session(6));
    const second = await one.prepare(session(8));
    second.observe({ input: 12_000, output: 1, cacheRead: 0, cacheWrite: 0 });
    first.observe({ input: 9_000, output: 1, cacheRead: 0, cacheWrite: 0 });
    expect((await one.prepare(session(8))).tokens).toBe(12_000);
  });

  it("of a request from before a compaction says nothing of the conversation after it", async () => {
    const one = runtime();
    const first = await one.prepare(session(NEAR));
    const compacted = await one.compact(session(NEAR));
    expect(compacted.kind).toBe("compacted");
    first.observe({ input: 39_000, output: 1, cacheRead: 0, cacheWrite: 0 });
    expect((await one.prepare(session(NEAR))).tokens).toBeLessThan(THRESHOLD);
  });
});
