/** Engines of a host's own, in the host's thread: held to the contract at every call, and disabled where they break it. */
import { describe, expect, it } from "vitest";
import { createSacredZone } from "../../src/core/engines/sacred-zone/sacred-zone.ts";
import { SACRED_ZONE_DEFAULTS } from "../../src/core/engines/settings.ts";
import type { Engine } from "../../src/core/engines/contract.ts";
import { violationsOf } from "../../src/core/transcript/oracle.ts";
import type { Message } from "../../src/core/transcript/message.ts";
import { registerEngine } from "../../src/plugins/registered.ts";
import type { RuntimeOptions } from "../../src/session/contract.ts";
import type { DisabledEngine } from "../../src/session/events.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { filler, measure, ran, talk, user } from "../support/compacting.ts";

const WINDOW_TOKENS = 12_000;
const settings = { contextLength: WINDOW_TOKENS };
const KEY = "sk-ant-api03-aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9dE1fG3hI5jK7lM9nO1pQ3";
const long = talk(
  user("Tidy the module."),
  ...Array.from({ length: 11 }, (_, at) => ran("read_file", { path: `src/p${at}.ts` }, filler(900, `p${at}`))),
);

const sound = (): Engine => createSacredZone({ ...SACRED_ZONE_DEFAULTS, contextLength: WINDOW_TOKENS }) as Engine;

const boom = (): never => {
  throw new Error("boom");
};

async function lived(engine: NonNullable<RuntimeOptions["engine"]>) {
  const told: DisabledEngine[] = [];
  const runtime = createRuntime({ engine, settings });
  runtime.on("engineDisabled", (one) => told.push(one));
  runtime.observe({ input: 1, output: 1, cacheRead: 0, cacheWrite: 0 });
  const sent = await runtime.prepare(long);
  expect(violationsOf(sent.transcript)).toEqual([]);
  expect(sent.fits).toBe(true);
  return { runtime, told, sent };
}

describe("an engine of one's own", () => {
  it("that keeps the contract is used as it is", async () => {
    const { told, sent } = await lived(sound());
    expect(told).toEqual([]);
    expect(sent.compaction!.report).toMatchObject({ engine: "sacred-zone", degraded: [] });
  });

  it.each(["init", "observe", "decide", "compact"])("that throws in %s is put out of service", async (method) => {
    const quiet: Partial<Engine> = method === "decide" ? { triggerTokens: WINDOW_TOKENS } : {};
    const { told, sent, runtime } = await lived({ ...sound(), ...quiet, name: "mine", [method]: boom });
    // Above the safety net nobody asks what it decides.
    if (method === "decide") await runtime.prepare(talk(user("Hello.")));
    expect(told).toMatchObject([{ engine: "mine", fault: "threw" }]);
    if (method !== "decide") expect(sent.compaction!.report.engine).toBe("compressor");
  });

  it("that changes its host's transcript is put out of service", async () => {
    const compact: Engine["compact"] = async (_, { messages }, request) => {
      (messages as Message[]).push(user("mine"));
      return sound().compact(null, long, request);
    };
    const own = { ...long, messages: [...long.messages] };
    const runtime = createRuntime({ engine: { ...sound(), compact }, settings });
    await runtime.compact(own);
    expect(runtime.report().disabledEngine?.because).toContain("`undo`");
  });

  it("that cannot be made is stood in for from the beginning, and told of at the first call", async () => {
    const { told, runtime } = await lived({ name: "unmade", make: boom });
    expect(told).toMatchObject([{ engine: "unmade", fault: "threw" }]);
    runtime.modelChanged({ contextLength: 30_000 });
    await runtime.prepare(long);
    expect(told.length).toBe(1);
    expect(runtime.report()).toMatchObject({ engine: "compressor", disabledEngine: { engine: "unmade" } });
  });

  it("is used by the name it was registered under, and made anew for another window", async () => {
    const windows: number[] = [];
    const take = registerEngine("mine", ({ contextLength }) => {
      windows.push(contextLength);
      return sound();
    });
    const { runtime, told } = await lived("mine");
    runtime.modelChanged({ contextLength: 30_000 });
    take();
    expect(windows).toEqual([WINDOW_TOKENS, 30_000]);
    expect(told).toEqual([]);
  });

  it("begins anew after a reset", async () => {
    let broken = true;
    const compact: Engine["compact"] = (...args) => (broken ? boom() : sound().compact(...args));
    const { runtime } = await lived({ ...sound(), compact });
    expect(runtime.report().disabledEngine).toBeDefined();
    broken = false;
    runtime.reset();
    expect(runtime.report().disabledEngine).toBeUndefined();
  });

  it("writes no secret into a summary", async () => {
    const leaking: Engine["compact"] = async (state, transcript, request) => {
      const made = await sound().compact(state, transcript, { ...request, budget: 1_500 });
      if (made.kind === "unchanged") return made;
      const { compaction } = made;
      const after = compaction.after.map((message) =>
        message.origin === "summary"
          ? { ...message, parts: [{ kind: "text" as const, text: leaked(message) }] }
          : message,
      );
      const result = { ...transcript, messages: [...after, ...transcript.messages.slice(compaction.covered)] };
      const tokens = { ...compaction.report.tokens, after: request.measure.transcript(result) };
      return { kind: "compacted", compaction: { ...compaction, after, report: { ...compaction.report, tokens } } };
    };
    const runtime = createRuntime({ engine: { ...sound(), compact: leaking }, settings });
    const made = await runtime.compact(long);
    expect(runtime.report().disabledEngine).toBeUndefined();
    const text = JSON.stringify(made.transcript.messages);
    expect(text).toContain("the key is");
    expect(text).not.toContain(KEY);
    if (made.kind !== "compacted") throw new Error("nothing was compacted");
    expect(made.compaction.report.tokens.after).toBe(measure.transcript(made.transcript));
  });
});

function leaked(message: Message): string {
  const [part] = message.parts;
  return `${part?.kind === "text" ? part.text : ""}\nthe key is ANTHROPIC_API_KEY=${KEY}`;
}
