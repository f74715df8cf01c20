/**
 * Plugins that do every wrong thing, in threads of their own: the session goes on with the built-in, says so, and nothing
 * of theirs is sent.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { violationsOf } from "../../src/core/transcript/oracle.ts";
import { contentText } from "../../src/core/transcript/message.ts";
import { loadEngine, type PluginSource } from "../../src/plugins/load.ts";
import type { PluginLimits } from "../../src/plugins/fault.ts";
import type { DisabledEngine } from "../../src/session/events.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { filler, ran, talk, user } from "../support/compacting.ts";
import { engineSource, pluginShelf } from "../support/plugins.ts";

/** What the conversation fills more than half of, and less than the safety net waits for: the engine itself decides. */
const WINDOW_TOKENS = 12_000;
const LIVE = "Now mend src/p3.ts.";
const long = talk(
  user("Tidy the module."),
  ...Array.from({ length: 8 }, (_, at) => ran("read_file", { path: `src/p${at}.ts` }, filler(900, `p${at}`))),
  user(LIVE),
);

const shelf = pluginShelf();
const opened: PluginSource[] = [];
afterEach(async () => {
  for (const source of opened.splice(0)) await source.close();
});
afterAll(() => shelf.remove());

let number = 0;

function plugin(source: string, limits: Partial<PluginLimits> = {}): PluginSource {
  const name = `own-${number++}`;
  shelf.write(name, source);
  const loaded = loadEngine(name, { folders: [shelf.path], limits }) as PluginSource;
  opened.push(loaded);
  return loaded;
}

async function lived(engine: PluginSource) {
  const told: DisabledEngine[] = [];
  const runtime = createRuntime({ engine, settings: { contextLength: WINDOW_TOKENS } });
  runtime.on("engineDisabled", (one) => told.push(one));
  runtime.observe({ input: 5, output: 1, cacheRead: 0, cacheWrite: 0 });
  const sent = await runtime.prepare(long);
  return { runtime, told, sent };
}

/** The session is alive, what it sends is ours, and it said why, once. */
async function expectDisabled(engine: PluginSource, fault: DisabledEngine["fault"], check?: string): Promise<void> {
  const { runtime, told, sent } = await lived(engine);
  expect(told.map((one) => one.fault)).toEqual([fault]);
  if (check !== undefined) expect(told[0]!.because).toContain(`\`${check}\``);
  expect(violationsOf(sent.transcript)).toEqual([]);
  expect(sent.fits).toBe(true);
  expect(sent.compaction!.report.engine).toBe("compressor");
  expect(sent.compaction!.report.degraded.join()).toContain(`instead of ${engine.name}: ${told[0]!.because}`);
  expect(sent.transcript.messages.map(({ parts }) => contentText(parts))).toContain(LIVE);
  expect(runtime.report()).toMatchObject({ engine: "compressor", disabledEngine: { engine: engine.name, fault } });
  const on = await runtime.prepare({ ...long, messages: [...long.messages, user("Go on.")] });
  expect(violationsOf(on.transcript)).toEqual([]);
  expect(told.length).toBe(1);
}

const SOON = { decideMs: 300, compactMs: 300 };
const BOOM = '() => { throw new TypeError("boom") }';
const FOREVER = "() => { for (;;); }";
describe("a plugin that keeps its contract", () => {
  it("is used, in a thread that knows nothing of the environment, and what it prints goes nowhere", async () => {
    const before = 'console.log("printed"); if (Object.keys(process.env).length > 0) throw new Error("sees keys");';
    const { told, sent, runtime } = await lived(plugin(engineSource({}, before)));
    expect(told).toEqual([]);
    const { report } = sent.compaction!;
    expect(report).toMatchObject({ engine: "own-0", because: "5", degraded: [] });
    expect(sent.transcript.messages.length).toBe(3);
    expect(sent.transcript.messages[2]).toBe(long.messages.at(-1));
    expect(await runtime.recall(report.recall[0]!)).toHaveLength(1);
  });

  it("keeps its state through JSON and a restart", async () => {
    const engine = plugin(engineSource({ decide: '(state) => ({ kind: "none", because: "seen " + state.seen })' }));
    const because: string[] = [];
    let runtime = createRuntime({ engine });
    for (const input of [5, 7]) {
      runtime.on("degraded", (one) => because.push(...one.because));
      await runtime.prepare(talk(user("Hello.")));
      runtime.observe({ input, output: 0, cacheRead: 0, cacheWrite: 0 });
      const state = JSON.parse(JSON.stringify(runtime.state())) as ReturnType<typeof runtime.state>;
      runtime = createRuntime({ engine, state });
    }
    runtime.on("degraded", (one) => because.push(...one.because));
    await runtime.prepare(talk(user("Hello.")));
    expect(because).toEqual(["seen 0", "seen 5", "seen 12"]);
  });
});

describe("a plugin that throws", () => {
  it.each(["init", "observe", "decide", "compact"])("in %s is disabled", async (method) => {
    await expectDisabled(plugin(engineSource({ [method]: BOOM })), "threw");
  });

  it("while it is loaded, or makes no engine, is disabled", async () => {
    await expectDisabled(plugin('throw new Error("no")'), "unloadable");
    await expectDisabled(plugin("export const nothing = 1;"), "unloadable");
    await expectDisabled(
      plugin("export function createEngine() { return { name: 'half' }; }"),
      "broke_contract",
      "shape",
    );
  });

  it("is told of with the place, and without what the conversation holds", async () => {
    const { told } = await lived(
      plugin(engineSource({ compact: `(_, t) => { throw new Error(t.messages[0].parts[0].text) }` })),
    );
    expect(told[0]!.because).toBe("it threw an error");
    expect(told[0]!.detail).toMatch(/Tidy the module\. at index\.js:\d+:\d+$/);
  });
});

describe("a plugin that never returns", () => {
  it.each(["decide", "compact"])("from %s is ended", async (method) => {
    await expectDisabled(plugin(engineSource({ [method]: FOREVER }), SOON), "hung");
  });

  it("from a promise is ended", async () => {
    await expectDisabled(plugin(engineSource({ compact: "() => new Promise(() => undefined)" }), SOON), "hung");
  });

  it("is left alone after some losses, by other sessions too", async () => {
    const engine = plugin(engineSource({ decide: FOREVER }), { ...SOON, losses: 1 });
    await expectDisabled(engine, "hung");
    await expectDisabled(engine, "out_of_service");
  });
});

/** Each by a name, so that one plugin can do them all: it is asked by the focus. */
const WRONG: Readonly<Record<string, readonly [answer: string, check: string]>> = {
  "loses tool results": ["drop(r, t, (one) => ({ ...one, after: [one.after[0], CALL, one.after[1]] }))", "valid"],
  "covers what it does not say": ["drop(r, t, (one) => ({ ...one, covers: 'x' }))", "place"],
  "calls changed what it kept": [
    "drop(r, t, (one) => ({ ...one, after: [{ ...one.after[0], parts: [] }, one.after[1]] }))",
    "place",
  ],
  "drops the live request": ["dropLive(r, t)", "live-request"],
  "lies about its size": [
    "drop(r, t, (one) => ({ ...one, report: { ...one.report, tokens: { before: 1e6, after: 1 } } }))",
    "honest",
  ],
  "loses what it removed": ["drop(r, t, (one) => ({ ...one, evicted: [] }))", "recall"],
  "keeps a state that is no data": ["drop(r, t, (one) => ({ ...one, state: new Map() }))", "state"],
  "leaves out its report": ["drop(r, t, ({ report, ...one }) => one)", "shape"],
  "answers with nothing": ["undefined", "shape"],
  "answers with a number": ["42", "shape"],
  "answers with half an outcome": ['{ kind: "compacted" }', "shape"],
  "answers with a list": ['{ kind: "compacted", compaction: [] }', "shape"],
  "answers with holes": ["drop(r, t, (one) => ({ ...one, after: Object.assign([], { length: 4e9 }) }))", "shape"],
};

const WRONGLY = `
const CALL = { role: "assistant", parts: [{ kind: "tool-call", id: "c", name: "n", arguments: "{}" }] };
const drop = (request, transcript, spoil) => droppingMiddle(transcript, request, spoil);
const dropLive = (request, transcript) =>
  drop(request, transcript, (one) => {
    const { hash, hashOf, linksOf } = request.chain;
    const { messages } = transcript;
    const id = "r" + hash("all").slice(0, 9);
    const note = { role: "user", parts: [{ kind: "text", text: "all is left out: " + id }], origin: "summary" };
    const tokens = { ...one.report.tokens, after: request.measure.transcript({ ...transcript, messages: [note] }) };
    return {
      ...one,
      after: [note],
      covered: messages.length,
      covers: linksOf(messages).at(-1),
      map: messages.map(() => ({ kind: "summarised" })),
      evicted: [{ id, kind: "span", message: 0, end: messages.length, label: "all" }],
      report: { ...one.report, tokens, messages: { ...one.report.messages, after: 1 } },
    };
  });
const WRONG = {
${Object.entries(WRONG)
  .map(([name, [answer]]) => `  ${JSON.stringify(name)}: (r, t) => (${answer}),`)
  .join("\n")}
  "is no data": (r, t) => drop(r, t, (one) => ({ ...one, state: () => 1 })),
  "is too much": (r, t) => drop(r, t, (one) => ({ ...one, state: "x".repeat(2_000_000) })),
};`;

describe("a plugin that answers wrongly", () => {
  const compact = "async (_, transcript, request) => WRONG[request.focus](request, transcript)";
  const name = "wrong";
  let engine: PluginSource;
  beforeAll(() => {
    shelf.write(name, engineSource({ compact }, WRONGLY));
    engine = loadEngine(name, { folders: [shelf.path], limits: { answerBytes: 1_000_000 } }) as PluginSource;
  });
  afterAll(() => engine.close());

  async function asked(focus: string) {
    const told: DisabledEngine[] = [];
    const runtime = createRuntime({ engine, settings: { contextLength: WINDOW_TOKENS } });
    runtime.on("engineDisabled", (one) => told.push(one));
    const made = await runtime.compact(long, { focus });
    expect(made.kind === "compacted" && made.compaction.report.engine).toBe("compressor");
    expect(violationsOf(made.transcript)).toEqual([]);
    return told;
  }

  it.each(Object.entries(WRONG))("%s: disabled", async (wrong, [, check]) => {
    const told = await asked(wrong);
    expect(told).toMatchObject([{ fault: "broke_contract" }]);
    expect(told[0]!.because).toContain(`\`${check}\``);
  });

  it("with what is no data, or too much of it: disabled", async () => {
    expect(await asked("is no data")).toMatchObject([{ fault: "not_data" }]);
    expect(await asked("is too much")).toMatchObject([{ fault: "too_large" }]);
  });

  it("with a decision that is none: disabled", async () => {
    await expectDisabled(plugin(engineSource({ decide: "async () => ({ kind: 'none' })" })), "not_data");
    await expectDisabled(plugin(engineSource({ decide: "() => 'yes'" })), "broke_contract", "shape");
  });
});

describe("a plugin that dies", () => {
  it("by its own hand, or of an error nobody caught: disabled", async () => {
    await expectDisabled(plugin(engineSource({ compact: "() => process.exit(0)" })), "died");
    const late = "() => new Promise(() => { setTimeout(() => { throw new Error('late'); }, 1); })";
    await expectDisabled(plugin(engineSource({ compact: late })), "died");
  });

  it("of hunger for memory: disabled", async () => {
    const hungry = "() => { const all = []; for (;;) all.push(new Array(100_000).fill(1)); }";
    await expectDisabled(plugin(engineSource({ compact: hungry }), { memoryMb: 32 }), "memory");
  });
});

describe("a plugin that is waited for", () => {
  it("is given up with its host's patience, which is no fault of its own", async () => {
    const engine = plugin(engineSource({ compact: "() => new Promise(() => undefined)" }));
    const runtime = createRuntime({ engine, settings: { contextLength: WINDOW_TOKENS } });
    const reason = new Error("the person left");
    await expect(runtime.compact(long, { signal: AbortSignal.timeout(200) })).rejects.toThrow("timeout");
    const gone = new AbortController();
    gone.abort(reason);
    await expect(runtime.compact(long, { signal: gone.signal })).rejects.toBe(reason);
    expect(runtime.report().disabledEngine).toBeUndefined();
  });

  it("that is busy with others is stood in for, this once", async () => {
    const slow =
      "async (s, t, r) => { await new Promise((done) => setTimeout(done, 600)); return droppingMiddle(t, r); }";
    const engine = plugin(engineSource({ compact: slow }), { threads: 1, queueMs: 100 });
    const settings = { contextLength: WINDOW_TOKENS };
    const [one, other] = [createRuntime({ engine, settings }), createRuntime({ engine, settings })];
    const both = await Promise.all([one.compact(long), other.compact(long)]);
    const reports = both.map((made) => (made.kind === "compacted" ? made.compaction.report : undefined));
    expect(reports.map((report) => report?.engine).toSorted()).toEqual(["compressor", engine.name]);
    expect(reports.find((report) => report?.engine === "compressor")?.degraded.join()).toContain("busy");
    expect([one, other].map((runtime) => runtime.report().disabledEngine)).toEqual([undefined, undefined]);
  });
});
