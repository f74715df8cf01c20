/** What comes back from a file may be damaged: a compaction or a state that cannot be is refused, with the place. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyCompaction, createRuntime, createSession, PrecisError } from "../../src/index.ts";
import { type Compaction } from "../../src/core/compaction/compaction.ts";
import { COMPRESSOR_DEFAULTS } from "../../src/core/engines/settings.ts";
import { ENGINE_NAMES } from "../../src/core/engines/names.ts";
import { createEngine } from "../../src/core/engines/engines.ts";
import { sampleTranscripts } from "../../src/plugins/suite/samples.ts";
import { protocols } from "../../src/protocols/index.ts";
import { filler } from "../support/compacting.ts";
import { RUNS } from "../support/transcripts.ts";

const SETTINGS = { contextLength: 12_000 };
const REQUEST = {
  messages: [
    { role: "system", content: "Be careful." },
    { role: "user", content: "Tidy the modules." },
    ...Array.from({ length: 16 }, (_, at) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: `c${at}`, type: "function", function: { name: "sh", arguments: `{"n":${at}}` } }],
      },
      { role: "tool", tool_call_id: `c${at}`, content: filler(400, `part${at}`) },
    ]).flat(),
    { role: "user", content: "Go on." },
  ],
};
const { transcript } = protocols["openai-chat"].decode(JSON.stringify(REQUEST));

async function compacted(engine = "compressor") {
  const session = createSession({ engine, settings: SETTINGS });
  const outcome = await session.compact(REQUEST);
  if (outcome.kind !== "compacted") throw new Error(outcome.because);
  return { compaction: throughJson(outcome.compaction), state: throughJson(session.state()) };
}

const throughJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

/** Everything in a value of JSON, by the way to it. */
function waysIn(value: unknown, way: readonly string[] = []): (readonly string[])[] {
  const inside = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return [...(way.length > 0 ? [way] : []), ...inside.flatMap(([key, one]) => waysIn(one, [...way, key]))];
}

function changed<Value>(value: Value, way: readonly string[], to: unknown): Value {
  const copy = throughJson(value);
  const parent = way.slice(0, -1).reduce((one: never, key) => one[key], copy as never) as Record<string, unknown>;
  parent[way.at(-1)!] = to;
  return copy;
}

const ODD = [undefined, null, -1, 0.5, 1e300, Number.NaN, "7", "", [], {}, [null], true];
const odd = fc.constantFrom(...ODD);

describe("a compaction that is not what was made", () => {
  const at = { kind: "kept", at: 2 } as const;
  const span = (message: number, end: number) => ({ id: "r1", kind: "span" as const, message, end, label: "a span" });
  const damages: readonly [string, (one: Compaction) => unknown, string][] = [
    ["covers a negative number", (one) => ({ ...one, covered: -1 }), "compaction.covered"],
    ["covers a part of a message", (one) => ({ ...one, covered: 1.5 }), "compaction.covered"],
    ["covers a text", (one) => ({ ...one, covered: "3" }), "compaction.covered"],
    ["covers more than there is", (one) => ({ ...one, covered: 1e9 }), "compaction.covered"],
    ["covers nothing", (one) => ({ ...one, covered: 0, map: [] }), "compaction.covered"],
    ["has a destination too few", (one) => ({ ...one, map: one.map.slice(1) }), "compaction.map"],
    [
      "sends a message past the end",
      (one) => ({ ...one, map: one.map.with(3, { kind: "edited", at: 99 }) }),
      "compaction.map[3].at",
    ],
    [
      "sends a message before the beginning",
      (one) => ({ ...one, map: one.map.with(3, { kind: "kept", at: -2 }) }),
      "compaction.map[3].at",
    ],
    [
      "has two messages in one place",
      (one) => ({ ...one, map: one.map.map((old, from) => (from < 2 ? at : { kind: "summarised", old })) }),
      "compaction.map[1].at",
    ],
    [
      "has removed what is not there",
      (one) => ({ ...one, evicted: [span(9_000, 9_001)] }),
      "compaction.evicted[0].message",
    ],
    ["has a span that ends where it begins", (one) => ({ ...one, evicted: [span(3, 3)] }), "compaction.evicted[0].end"],
    ["has spans that overlap", (one) => ({ ...one, evicted: [span(1, 4), span(3, 6)] }), "compaction.evicted[1]"],
    ["is of another version", (one) => ({ ...one, schemaVersion: 2 }), "compaction.schemaVersion"],
    ["is nothing", () => null, "compaction"],
    ["is empty", () => ({}), "compaction.schemaVersion"],
    ["has no messages", (one) => ({ ...one, after: undefined }), "compaction.after"],
    ["has a hole", (one) => ({ ...one, after: [null] }), "compaction.after[0]"],
  ];

  it.each(damages)("is refused where it %s", async (_, damage, place) => {
    const { compaction } = await compacted();
    expect(() => applyCompaction(transcript, damage(compaction) as Compaction)).toThrow(
      expect.objectContaining({ name: "PrecisError", code: "bad_compaction", place }),
    );
  });

  it("is refused where reading it throws", async () => {
    const { compaction } = await compacted();
    const trap = (): never => {
      throw new Error("trapped");
    };
    for (const one of [
      Object.defineProperty({ ...compaction }, "after", { get: trap }),
      new Proxy(compaction, { get: trap }),
    ])
      expect(() => applyCompaction(transcript, one)).toThrow(PrecisError);
  });

  it("is applied to what it was made of, or refused, whatever is changed in it", async () => {
    for (const engine of ENGINE_NAMES.filter((name) => name !== "none")) {
      const { compaction } = await compacted(engine);
      expect(() => applyCompaction(transcript, compaction)).not.toThrow();
      const ways = waysIn(compaction);
      fc.assert(
        fc.property(fc.constantFrom(...ways), odd, (way, to) => {
          try {
            const { messages } = applyCompaction(transcript, changed(compaction, way, to));
            expect(messages.every((one) => typeof one === "object" && Array.isArray(one.parts))).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(PrecisError);
            expect((error as PrecisError).place).toMatch(/^compaction/);
          }
        }),
        { numRuns: RUNS },
      );
    }
  });
});

describe("a state that is not what was saved", () => {
  const range = (from: number, until: number) => ({ from, until });
  const layered = { schemaVersion: 1, engine: "layered", compactions: 1, restsToTokens: 0, failures: 0, messages: 9 };
  const withRanges = (...cleared: readonly object[]) => ({ ...layered, cleared, summarisedUntil: 0 });
  const damages: readonly [object, string][] = [
    [{ factor: -5 }, "state.factor"],
    [{ factor: 1e300 }, "state.factor"],
    [{ factor: "1" }, "state.factor"],
    [{ contextLength: -1 }, "state.contextLength"],
    [{ contextLength: 1.5 }, "state.contextLength"],
    [{ compactions: -1 }, "state.compactions"],
    [{ pressed: "no" }, "state.pressed"],
    [{ lastCovers: 7 }, "state.lastCovers"],
    [{ summarizer: { rests: [], calls: -1, costUsd: 0, windows: {} } }, "state.summarizer.calls"],
    [{ summarizer: { rests: {}, calls: 1, costUsd: 0, windows: {} } }, "state.summarizer.rests"],
    [{ summarizer: { rests: [], calls: 1, costUsd: 0, windows: { m: -4 } } }, 'state.summarizer.windows["m"]'],
    [{ engine: new Map() }, "state.engine"],
    [{ engine: withRanges(range(4, 4)) }, "state.engine.cleared[0].until"],
    [{ engine: withRanges(range(-1, 4)) }, "state.engine.cleared[0].from"],
    [{ engine: withRanges(range(1, 4), range(3, 6)) }, "state.engine.cleared[1].from"],
    [{ engine: withRanges(range(1, 4), range(1, 4)) }, "state.engine.cleared[1].from"],
    [{ engine: { ...withRanges(), summarisedUntil: 1.5 } }, "state.engine.summarisedUntil"],
  ];

  it.each(damages)("is refused: %j", async (damage, place) => {
    const { state } = await compacted();
    const damaged = { ...state, ...damage } as never;
    const refusal = expect.objectContaining({ name: "PrecisError", code: "bad_options", place }) as Error;
    expect(() => createSession({ state: damaged })).toThrow(refusal);
    expect(() => createRuntime({ state: damaged })).toThrow(refusal);
    expect(() => createRuntime().restore(damaged)).toThrow(refusal);
  });

  it("goes on, or is refused, whatever is changed in it", async () => {
    for (const engine of ENGINE_NAMES) {
      const session = createSession({ engine, settings: SETTINGS });
      await session.compact(REQUEST);
      const state = throughJson(session.state());
      expect(() => createSession({ engine, state })).not.toThrow();
      const ways = waysIn(state);
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...ways), odd, async (way, to) => {
          let resumed;
          try {
            resumed = createSession({ engine, settings: SETTINGS, state: changed(state, way, to) });
          } catch (error) {
            expect(error).toBeInstanceOf(PrecisError);
            expect((error as PrecisError).place).toMatch(/^state/);
            return;
          }
          await resumed.compact(REQUEST);
        }),
        { numRuns: Math.ceil(RUNS / 10) },
      );
    }
  });

  it("is taken as every engine leaves it", async () => {
    for (const engine of ENGINE_NAMES)
      for (const sample of sampleTranscripts(6)) {
        const runtime = createRuntime({ engine, settings: SETTINGS });
        const { length } = sample.messages;
        await runtime.compact({ ...sample, messages: sample.messages.slice(0, Math.ceil(length / 2)) });
        await runtime.compact(sample);
        expect(() => createRuntime({ engine, state: throughJson(runtime.state()) })).not.toThrow();
        const own = createEngine(engine, { ...COMPRESSOR_DEFAULTS, ...SETTINGS }).init();
        const fresh = { ...throughJson(runtime.state()), engine: throughJson(own) };
        expect(() => createRuntime({ engine, state: fresh })).not.toThrow();
      }
  });
});
