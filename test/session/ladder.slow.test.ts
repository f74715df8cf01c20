/**
 * The failure ladder over real HTTP: auxiliary model, main model, code; by class of failure, with what the report says of
 * each step and how long a model rests.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CompactionReport, SummaryStep } from "../../src/core/compaction/compaction.ts";
import { limitsOf } from "../../src/core/engines/compressor/limits.ts";
import { COMPRESSOR_DEFAULTS } from "../../src/core/engines/settings.ts";
import type { FailureClass } from "../../src/core/handoff/model/writer.ts";
import { contentText, type Transcript } from "../../src/core/transcript/message.ts";
import { violationsOf } from "../../src/core/transcript/oracle.ts";
import { providerNamed } from "../../src/models/providers.ts";
import type { RuntimeOptions, RuntimeState } from "../../src/session/contract.ts";
import { COOLDOWN_MS } from "../../src/session/cooldowns.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { filler, measure, ran, says, talk, user } from "../support/compacting.ts";
import { careful } from "../support/model-answers.ts";
import {
  answer,
  delay,
  fail,
  RETRY_AFTER_SECONDS,
  startEndpoint,
  type ScriptedEndpoint,
  type Step,
} from "../support/scripted-endpoint.ts";
import { CONSTRAINTS, FIRST_REQUEST, grown, shopTalk } from "../support/shop-talk.ts";
import { writerAt } from "../support/writers.ts";

const WINDOW = 40_000;
const RECORD = answer(({ user: prompt }) => careful(prompt));

let small: ScriptedEndpoint;
let large: ScriptedEndpoint;
beforeAll(async () => {
  small = await startEndpoint();
  large = await startEndpoint();
});
afterAll(async () => {
  await small.close();
  await large.close();
});

const auxiliary = () => writerAt(small, "small-1", { timeoutMs: 400 });
const main = () => writerAt(large, "large-1");

function session(options: RuntimeOptions = {}) {
  let now = 1_000_000;
  const degraded: string[] = [];
  const runtime = createRuntime({
    settings: { contextLength: WINDOW },
    writers: { auxiliary: auxiliary(), main: main() },
    now: () => now,
    ...options,
  });
  runtime.on("degraded", ({ because }) => degraded.push(...because));
  return { runtime, degraded, wait: (ms: number) => (now += ms) };
}

async function reportOf(runtime: ReturnType<typeof createRuntime>, transcript: Transcript): Promise<CompactionReport> {
  const { compaction, transcript: sent } = await runtime.prepare(transcript);
  expect(compaction).toBeDefined();
  expect(violationsOf(sent)).toEqual([]);
  const handoff = contentText(sent.messages.find(({ origin }) => origin === "summary")!.parts);
  const budget = limitsOf({ ...COMPRESSOR_DEFAULTS, contextLength: WINDOW }).handoffTokensMax;
  expect(measure.text(handoff)).toBeLessThanOrEqual(budget);
  const said = sent.messages.map(({ parts }) => contentText(parts)).join("\n");
  for (const words of [FIRST_REQUEST, ...CONSTRAINTS]) expect(said).toContain(words);
  return compaction!.report;
}

const steps = (report: CompactionReport): readonly Partial<SummaryStep>[] =>
  report.summary!.steps.map(({ role, outcome, class: why }) =>
    why === undefined ? { role, outcome } : { role, outcome, class: why },
  );

const CLASSES: readonly (readonly [FailureClass, Step])[] = [
  ["unconfigured", fail("no-such-model")],
  ["authentication", fail("authentication")],
  ["quota", fail("insufficient-quota")],
  ["rate", fail("rate")],
  ["timeout", delay(2_000)],
  ["network", { kind: "reset" }],
  ["network", fail("unavailable")],
  ["malformed", { kind: "not-json" }],
  ["malformed", { kind: "close-early", text: "x".repeat(10_000) }],
  ["malformed", answer("")],
  ["refusal", fail("content-filter")],
  ["refusal", answer("I'm sorry, but I cannot help with this conversation.")],
  ["overflow", fail("too-large")],
];

describe.each(CLASSES)("a failure of class %s", (why, how) => {
  it("is made good by the main model, told, and followed by a rest", async () => {
    const { runtime, degraded, wait } = session();
    small.play(how);
    large.play(RECORD);
    const first = await reportOf(runtime, shopTalk());
    expect(steps(first)).toEqual([
      expect.objectContaining({ role: "auxiliary", class: why }),
      { role: "main", outcome: "written" },
    ]);
    expect(first.summary!.by).toBe("model");
    expect(first.degraded.join("\n")).toMatch(new RegExp(`auxiliary model small-1 .*${why}`));
    expect(degraded).toEqual(first.degraded);

    const before = small.requests.length;
    const rest = why === "rate" ? RETRY_AFTER_SECONDS * 1_000 : COOLDOWN_MS[why];
    wait(rest - 1);
    const second = await reportOf(runtime, grown(shopTalk(), 1));
    expect(steps(second)).toEqual([
      { role: "auxiliary", outcome: "resting", class: why },
      { role: "main", outcome: "written" },
    ]);
    expect(small.requests.length).toBe(before);

    small.play(RECORD);
    wait(1);
    const third = await reportOf(runtime, grown(grown(shopTalk(), 1), 2));
    expect(steps(third)).toEqual([{ role: "auxiliary", outcome: "written" }]);
  });

  it("of both models leaves it to code, and says so", async () => {
    const { runtime, degraded } = session();
    small.play(how);
    large.play(how.kind === "delay" ? fail("unavailable") : how);
    const report = await reportOf(runtime, shopTalk());
    expect(report.summary).toMatchObject({ by: "ledger", steps: [{ role: "auxiliary" }, { role: "main" }] });
    for (const { outcome } of report.summary!.steps) expect(["failed", "rejected"]).toContain(outcome);
    expect(report.degraded.at(-1)).toBe("the handoff was written by code: no model wrote it");
    expect(degraded).toEqual(report.degraded);
  });
});

describe("the ladder", () => {
  it.each(["anthropic", "openai", "openrouter"] as const)("speaks the protocol of %s, down to code", async (name) => {
    const at = (endpoint: ScriptedEndpoint, model: string) =>
      writerAt(endpoint, model, { provider: providerNamed(name) });
    const writers = { auxiliary: at(small, "small-1"), main: at(large, "large-1") };
    small.play(RECORD);
    expect(steps(await reportOf(session({ writers }).runtime, shopTalk()))).toEqual([
      { role: "auxiliary", outcome: "written" },
    ]);
    small.play(fail("overloaded"));
    large.play(answer("", { finish: "content_filter" }));
    expect(steps(await reportOf(session({ writers }).runtime, shopTalk()))).toEqual([
      { role: "auxiliary", outcome: "failed", class: "network" },
      { role: "main", outcome: "failed", class: "refusal" },
    ]);
  });

  it("writes with the auxiliary model where nothing fails, at a known price", async () => {
    const { runtime } = session();
    small.play(RECORD);
    const before = large.requests.length;
    const report = await reportOf(runtime, shopTalk());
    expect(report.summary).toMatchObject({ by: "model", steps: [{ model: "small-1", outcome: "written", calls: 1 }] });
    expect(report).toMatchObject({ degraded: [], modelCalls: 1 });
    const { tokens } = report.summary!.steps[0]!;
    expect(report.costUsd).toBeCloseTo((tokens.input + tokens.output * 5) / 1_000_000, 9);
    expect(large.requests.length).toBe(before);
  });

  it("asks one model once where both names are the same", async () => {
    small.play(fail("unavailable"));
    const { runtime } = session({ writers: { auxiliary: auxiliary(), main: writerAt(large, "small-1") } });
    expect(steps(await reportOf(runtime, shopTalk()))).toEqual([
      { role: "auxiliary", outcome: "failed", class: "network" },
    ]);
  });

  it("asks the auxiliary model first, also when many files were changed", async () => {
    small.play(RECORD);
    large.play(RECORD);
    const edits = Array.from({ length: 14 }, (_, at) =>
      ran("edit_file", { path: `src/shop/part_${at}.ts`, old_string: "a", new_string: "b" }, "ok"),
    ).flat();
    const plain = shopTalk();
    const complex = { ...plain, messages: [...plain.messages.slice(0, 4), ...edits, ...plain.messages.slice(4)] };
    const writers = { auxiliary: auxiliary(), main: main() };
    const { summary } = await reportOf(session({ writers }).runtime, complex);
    expect(summary).toMatchObject({ by: "model", steps: [{ role: "auxiliary", outcome: "written" }] });
  });

  it("lets hygiene wait on no model", async () => {
    const { runtime } = session({ settings: { contextLength: WINDOW, threshold: 0.85 } });
    const before = small.requests.length + large.requests.length;
    const { compaction } = await runtime.prepare(shopTalk(34));
    expect(compaction!.report.reason).toBe("hygiene");
    expect(compaction!.report.summary).toEqual({ by: "ledger", steps: [] });
    expect(small.requests.length + large.requests.length).toBe(before);
  });

  it("waits no longer than it is told, for a model that never answers", async () => {
    small.play(delay(5_000));
    large.play(delay(5_000));
    const { runtime } = session({
      writers: { auxiliary: writerAt(small, "small-1"), main: main() },
      handoffWaitMs: 300,
    });
    const began = performance.now();
    const report = await reportOf(runtime, shopTalk());
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(steps(report)).toEqual([
      { role: "auxiliary", outcome: "failed", class: "timeout" },
      { role: "main", outcome: "failed", class: "timeout" },
    ]);
    expect(report.summary!.by).toBe("ledger");
  });

  it("is left when the host aborts: nothing is recorded, nothing is lost", async () => {
    small.play(delay(5_000));
    const { runtime } = session({ writers: { auxiliary: writerAt(small, "small-1") } });
    const stop = new AbortController();
    const waiting = runtime.prepare(shopTalk(), { signal: stop.signal });
    setTimeout(() => stop.abort(new Error("the user left")), 100);
    await expect(waiting).rejects.toThrow("the user left");
    expect(runtime.report()).toMatchObject({ compactions: 0 });
    small.play(RECORD);
    expect((await reportOf(runtime, shopTalk())).summary!.by).toBe("model");
  });

  it("ends where the session has spent what it may, and says so", async () => {
    small.play(RECORD);
    const { runtime } = session({ spendLimit: { calls: 1 } });
    await reportOf(runtime, shopTalk());
    const second = await reportOf(runtime, grown(shopTalk(), 1));
    expect(second.summary).toMatchObject({ by: "ledger", steps: [] });
    expect(second.degraded).toEqual([
      "the handoff was written by code: the session has used up its limit of 1 model calls (1)",
    ]);
  });

  it("remembers over a restart who rests and what was spent", async () => {
    small.play(fail("authentication"));
    large.play(RECORD);
    const store = createMemoryStore();
    const { runtime } = session({ store });
    await reportOf(runtime, shopTalk());
    const state = JSON.parse(JSON.stringify(runtime.state())) as RuntimeState;
    expect(state.summarizer).toMatchObject({ calls: 2, rests: [{ model: "small-1", class: "authentication" }] });
    const resumed = session({ state, store });
    expect(steps(await reportOf(resumed.runtime, grown(shopTalk(), 1)))[0]).toMatchObject({ outcome: "resting" });
  });
});

describe("a summarizer with a small window", () => {
  const long = (): Transcript =>
    talk(
      user(`${FIRST_REQUEST} ${CONSTRAINTS.join(" ")}`),
      Array.from({ length: 150 }, (_, at) => [
        says(`Part ${at} of the ledger comes next, because the totals differ there.`),
        ...ran("read_file", { path: `src/part_${at}.ts` }, filler(2_000, `part${at}`)),
      ]).flat(),
      user("Now finish the last part."),
      says("On it."),
    );

  it("of 8K records a span of 300K in bounded stages, each within its window", async () => {
    const tiny = await startEndpoint({ windowTokens: 8_192, script: RECORD });
    try {
      const transcript = long();
      expect(measure.transcript(transcript)).toBeGreaterThan(300_000);
      const { runtime } = session({
        settings: { contextLength: 400_000 },
        writers: { auxiliary: writerAt(tiny, "tiny-1", { windowTokens: 8_192 }) },
      });
      const { compaction } = await runtime.compact(transcript, { force: true }).then((outcome) => {
        if (outcome.kind !== "compacted") throw new Error(outcome.because);
        return outcome;
      });
      const { summary, modelCalls } = compaction.report;
      expect(summary).toMatchObject({ by: "model", steps: [{ model: "tiny-1", outcome: "written" }] });
      expect(modelCalls).toBeGreaterThan(1);
      expect(modelCalls).toBeLessThanOrEqual(6);
      expect(tiny.requests.length).toBe(modelCalls);
      for (const { inputTokens, maxOutputTokens = 0 } of tiny.requests)
        expect(inputTokens + maxOutputTokens).toBeLessThanOrEqual(8_192);
      expect(tiny.requests[1]!.user).toContain("=== record ===");
    } finally {
      await tiny.close();
    }
  });

  it("that nobody knew of is learned from its overflow, and kept for the next compaction", async () => {
    const tiny = await startEndpoint({ windowTokens: 8_192, script: RECORD });
    try {
      const { runtime } = session({ writers: { auxiliary: writerAt(tiny, "tiny-1") } });
      const first = await reportOf(runtime, shopTalk());
      expect(first.summary).toMatchObject({ by: "model", steps: [{ outcome: "written", windowTokens: 8_192 }] });
      expect(runtime.state().summarizer!.windows).toEqual({ "tiny-1": 8_192 });
      const before = tiny.requests.length;
      const second = await reportOf(runtime, grown(shopTalk(), 1));
      expect(second.summary!.by).toBe("model");
      for (const { inputTokens, maxOutputTokens = 0 } of tiny.requests.slice(before))
        expect(inputTokens + maxOutputTokens).toBeLessThanOrEqual(8_192);
    } finally {
      await tiny.close();
    }
  });
});
