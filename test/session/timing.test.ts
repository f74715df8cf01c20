/** When a session compacts by each schedule, from where on it says so, and what it says while it waits. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textMessage, type Message, type Transcript } from "../../src/core/transcript/message.ts";
import type { Economy, RuntimeOptions } from "../../src/session/contract.ts";
import type { SessionEvents } from "../../src/session/events.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { filler, ran, says, talk, user } from "../support/compacting.ts";
import { careful } from "../support/model-answers.ts";
import { answer, startEndpoint, type ScriptedEndpoint } from "../support/scripted-endpoint.ts";
import { writerAt } from "../support/writers.ts";

const WINDOW = 40_000;
const THRESHOLD = WINDOW / 2;
const HYGIENE = WINDOW * 0.85;
/** Where the provider reports how full the window is, what prices put off waits longer. */
const LATEST = WINDOW * 0.95;
const PRICES = { read: 0.1, write: 1.25, output: 5 };

const step = (at: number): Message[] => [
  says(`Part ${at} comes next.`),
  ...ran("read_file", { path: `src/part_${at}.ts` }, filler(1_000, `part${at}`)),
];
const session = (steps: number): Transcript =>
  talk(user("Tidy the module."), Array.from({ length: steps }, (_, at) => step(at)).flat());

function runtimeBy(schedule: Economy["schedule"], options: RuntimeOptions = {}) {
  const economy: Economy = { schedule, prices: PRICES, ttlMs: Number.MAX_SAFE_INTEGER };
  const runtime = createRuntime({ settings: { contextLength: WINDOW }, economy: () => economy, ...options });
  const postponed: SessionEvents["postponed"][] = [];
  runtime.on("postponed", (event) => postponed.push(event));
  return { runtime, postponed };
}

type Session = ReturnType<typeof runtimeBy>["runtime"];

/** Sends the session step by step, as its agent would, until it is compacted; answers with the tokens it had then. */
async function compactedAt(runtime: Session, cacheRead: number, steps = 40): Promise<number | undefined> {
  for (let count = 1; count <= steps; count++) {
    const { compaction, observe, tokens } = await runtime.prepare(session(count));
    if (compaction !== undefined) return compaction.report.tokens.before;
    observe({ input: tokens, output: 20, cacheRead: count === 1 ? 0 : cacheRead });
  }
  return undefined;
}

/** The largest step of the session: nothing can be compacted closer to a figure. */
const STEP_TOKENS = 1_200;

describe("by threshold", () => {
  it("compacts at the threshold whatever the cache costs, and says that it will", async () => {
    const { runtime, postponed } = runtimeBy("threshold");
    expect(runtime.report().timing).toEqual({ thresholdTokens: THRESHOLD, compactsAtTokens: THRESHOLD });
    const at = await compactedAt(runtime, 1_000);
    expect(at).toBeGreaterThanOrEqual(THRESHOLD);
    expect(at).toBeLessThan(THRESHOLD + STEP_TOKENS);
    expect(postponed).toEqual([]);
  });
});

describe.each(["auto", "cost"] as const)("by %s", (schedule) => {
  it("waits above the threshold, gives the figure in force and the reason once, and compacts there at the latest", async () => {
    const { runtime, postponed } = runtimeBy(schedule);
    expect(runtime.report().timing).toEqual({ thresholdTokens: THRESHOLD, compactsAtTokens: HYGIENE });
    const said: unknown[] = [];
    runtime.on("pressure", (event) => said.push(event));
    const at = await compactedAt(runtime, 1_000);
    expect(at).toBeGreaterThan(THRESHOLD + STEP_TOKENS);
    expect(at).toBeLessThan(LATEST + STEP_TOKENS);
    expect(said).toMatchObject([{ thresholdTokens: THRESHOLD, compactsAtTokens: LATEST }]);
    expect(postponed).toMatchObject([
      {
        by: "prices",
        because: expect.stringMatching(/^a rewrite costs [\d,]+ tokens' worth of input now/) as string,
        thresholdTokens: THRESHOLD,
        compactsAtTokens: LATEST,
      },
    ]);
    expect(postponed[0]!.tokens).toBeGreaterThanOrEqual(THRESHOLD);
    expect(runtime.report().timing.postponed).toBeUndefined();
  });

  it("waits no longer than for the guard where nobody reports how full the window is", async () => {
    const { runtime } = runtimeBy(schedule);
    for (let steps = 20; steps < 40; steps++) {
      const { compaction } = await runtime.prepare(session(steps));
      if (compaction === undefined) continue;
      expect(compaction.report.tokens.before).toBeGreaterThanOrEqual(HYGIENE);
      return;
    }
    expect.unreachable("nothing was compacted");
  });

  it("shows in the report and the saved state why it waits, as long as it does", async () => {
    const { runtime } = runtimeBy(schedule);
    await runtime.prepare(session(21));
    const { timing } = runtime.report();
    expect(timing).toMatchObject({ compactsAtTokens: HYGIENE, postponed: { by: "prices" } });
    expect(runtime.state().timing).toEqual(timing);
    await runtime.prepare(session(3));
    expect(runtime.report().timing.postponed).toBeUndefined();
  });

  it("stops waiting once the provider reports that nothing was read from a cache", async () => {
    const { runtime } = runtimeBy(schedule);
    const at = await compactedAt(runtime, 0);
    expect(at).toBeLessThan(THRESHOLD + STEP_TOKENS);
    expect(runtime.report().last).toMatchObject({ because: expect.stringContaining("read nothing") as string });
  });

  it("waits on after a first request, of which no cache can have held anything", async () => {
    const { runtime } = runtimeBy(schedule);
    const opening = talk(user(filler(21_000, "opening")), user("Tidy the module."));
    const first = await runtime.prepare(opening);
    first.observe({ input: first.tokens, output: 20, cacheRead: 0 });
    const next = await runtime.prepare(talk(...opening.messages, step(0)));
    expect(next.compaction).toBeUndefined();
    expect(runtime.report().timing.postponed?.by).toBe("prices");
  });
});

it("by auto waits on after a pause, when no cache can have held anything either", async () => {
  let nowMs = 0;
  const economy: Economy = { schedule: "auto", prices: PRICES, ttlMs: 1_000 };
  const { runtime } = runtimeBy("auto", { economy: () => economy, now: () => nowMs });
  for (let steps = 1; steps < 17; steps++) {
    nowMs += steps === 16 ? 2_000 : 100;
    const { tokens, observe } = await runtime.prepare(session(steps));
    observe({ input: tokens, output: 20, cacheRead: steps === 16 ? 0 : tokens });
  }
  nowMs += 100;
  expect((await runtime.prepare(session(21))).compaction).toBeUndefined();
  expect(runtime.report().timing.postponed?.by).toBe("prices");
});

describe("what else a due compaction waits for", () => {
  const one = (options: RuntimeOptions) => runtimeBy("threshold", options);

  it("names an undo, after which none is made by itself", async () => {
    const { runtime, postponed } = one({});
    await runtime.prepare(session(21));
    await runtime.undo();
    await runtime.prepare(session(22));
    expect(postponed).toMatchObject([{ by: "undone" }]);
    expect(runtime.report().timing).not.toHaveProperty("compactsAtTokens");
  });

  it("names a fixed part that leaves no room for one, with what helps, once", async () => {
    const { runtime, postponed } = one({});
    const system = [textMessage("system", filler(32_000, "rules"))];
    for (let more = 1; more < 7; more++) await runtime.prepare({ ...session(more), system });
    expect(postponed).toMatchObject([{ by: "back_off", compactsAtTokens: HYGIENE }]);
    expect(postponed[0]!.because).toMatch(
      /^system prompt and tools take 3[0-9,]+ tokens, 78 % of the window of 40,000: /,
    );
    expect(postponed[0]!.because).toContain(
      "Use fewer tools, a client with tool search, or a model with a larger window",
    );
  });

  it("says nothing of a figure where nothing compacts by itself", () => {
    expect(one({ enabled: false }).runtime.report().timing).toEqual({ thresholdTokens: THRESHOLD });
  });
});

describe("hygiene, where an engine would compact later", () => {
  let model: ScriptedEndpoint;
  beforeAll(async () => {
    model = await startEndpoint({ script: answer((asked) => careful(asked.user)) });
  });
  afterAll(() => model.close());

  it.each(["handoff", "stepped"])(
    "is at the engine's own moment, below what a provider refuses: %s",
    async (engine) => {
      const runtime = createRuntime({ engine, settings: { contextLength: WINDOW } });
      const { thresholdTokens, compactsAtTokens } = runtime.report().timing;
      expect(thresholdTokens).toBeGreaterThan(HYGIENE);
      expect(thresholdTokens).toBeLessThan(WINDOW);
      expect(compactsAtTokens).toBe(thresholdTokens);
      const at = await compactedAt(runtime, 1_000);
      expect(at).toBeGreaterThanOrEqual(thresholdTokens);
      expect(at).toBeLessThan(thresholdTokens + STEP_TOKENS);
      expect(runtime.report().last?.reason).toBe("threshold");
    },
  );

  it("has time for a model to write what prices put off until then", async () => {
    const { runtime } = runtimeBy("auto", { writers: { auxiliary: writerAt(model, "writer") } });
    expect(await compactedAt(runtime, 1_000)).toBeGreaterThanOrEqual(HYGIENE);
    expect(runtime.report().last).toMatchObject({ reason: "hygiene", modelCalls: 1 });
  });

  it("has time for a model to write, as at the engine's own moment, and none for what would be refused", async () => {
    const auxiliary = writerAt(model, "writer");
    const asked = async (steps: number, contextLength: number): Promise<unknown> => {
      const runtime = createRuntime({ engine: "handoff", settings: { contextLength }, writers: { auxiliary } });
      const { compaction } = await runtime.prepare(session(steps));
      return [compaction?.report.reason, compaction?.report.modelCalls];
    };
    expect(await asked(36, WINDOW)).toEqual(["threshold", 1]);
    expect(await asked(34, WINDOW / 2)).toEqual(["hygiene", 0]);
  });
});
