/** A host of the library gives its model the engine's tools: what was compacted away comes back in one call. */
import { describe, expect, it } from "vitest";
import { createRuntime } from "../../src/session/runtime.ts";
import { createSession } from "../../src/session/session.ts";
import { contentText } from "../../src/core/transcript/message.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Writer } from "../../src/core/handoff/model/writer.ts";
import { filler, ran, talk, user } from "../support/compacting.ts";

const KEY = ["sk", "live", "4eC39HqLyjWDarjtT1zdp7dc"].join("_");
const LOCKERS = filler(400, "locker");
const STEPS = 60;

const whole = talk(
  user("Tidy the lockers."),
  ...ran("shell", { command: "cat lockers" }, `${LOCKERS}\nexport STRIPE_SECRET_KEY=${KEY} # of locker 99`),
  ...Array.from({ length: STEPS }, (_, at) => ran("shell", { command: `step ${at}` }, filler(700, `step${at}`))),
  user("Which part was in locker 7?"),
);

const settings = { contextLength: 32_000 };
const tools = ["lcm_grep", "lcm_describe", "lcm_expand", "lcm_expand_query"];

describe("a session with lossless", () => {
  it("answers a call from what left the conversation, also in another process", async () => {
    const store = createMemoryStore();
    const runtime = createRuntime({ store, engine: "lossless", settings });
    const { transcript } = await runtime.prepare(whole);
    const sent = JSON.stringify(transcript.messages);
    const gone = LOCKERS.split("\n").find((line) => !sent.includes(line))!;
    const call = { name: "lcm_grep", arguments: JSON.stringify({ words: gone.split(" ")[3] }) };
    expect((await runtime.callTool(call)).text).toContain(gone);
    const other = createRuntime({ store, engine: "lcm", settings });
    await other.prepare(whole);
    expect((await other.callTool(call)).text).toContain(gone);
    const stranger = createRuntime({ store, tenant: "another", engine: "lossless", settings, state: runtime.state() });
    expect(await stranger.callTool(call)).toMatchObject({ isError: true, quotes: [] });
  });

  it.each(["lossless", "compressor"])(
    "takes the arguments as a text or an object, and says what else is wrong (%s)",
    async (engine) => {
      const runtime = createRuntime({ engine, settings });
      await runtime.prepare(whole);
      const [name, arguments_] =
        engine === "lossless" ? ["lcm_grep", { words: "locker" }] : ["precis_recall", { query: "locker" }];
      const asText = await runtime.callTool({ name, arguments: JSON.stringify(arguments_) });
      expect(asText.text).toContain("locker");
      expect(await runtime.callTool({ name, arguments: arguments_ })).toEqual(asText);
      const loop: Record<string, unknown> = {};
      loop["loop"] = loop;
      for (const wrong of [undefined, null, 7, ["locker"], loop] as unknown as string[]) {
        const { text, isError } = await runtime.callTool({ name, arguments: wrong });
        expect([text, isError]).toEqual(["The arguments of the call are neither JSON text nor an object.", true]);
      }
    },
  );

  it("finds lines by a regular expression, whose time is bounded", async () => {
    const runtime = createRuntime({ engine: "lossless", settings });
    await runtime.prepare(whole);
    const grep = (words: string, waitMs = 5_000) =>
      runtime.callTool({ name: "lcm_grep", arguments: JSON.stringify({ words, mode: "regex" }) }, { waitMs });
    const [line] = LOCKERS.split("\n");
    expect((await grep("^locker 0: the [0-9a-f]{6} part")).text).toContain(line);
    for (const wrong of ["(", "(?=a)b", "(a)\\1", "x*"]) {
      const { text, isError } = await grep(wrong);
      expect(isError).toBe(true);
      expect(text).toContain("the regular expression cannot be used");
    }
    const since = performance.now();
    await grep("(\\w{30}\\W*){30}zz$", 100);
    expect(performance.now() - since).toBeLessThan(1_500);
  });

  it("asks a model for the answer to a question, masked, and goes without it where that fails", async () => {
    const asked: string[] = [];
    const ask: Writer["ask"] = async ({ user: prompt }) => {
      asked.push(prompt);
      const usage = { inputTokens: 1, outputTokens: 1, requests: 1 };
      if (asked.length > 1) return { kind: "failed", failure: { class: "rate", message: "later" }, usage };
      return { kind: "answered", text: `The key is ${KEY}.`, ended: "stop", usage };
    };
    const auxiliary: Writer = { model: "small", windowTokens: 100_000, ask };
    const runtime = createRuntime({ engine: "lossless", settings, writers: { auxiliary }, modelsAhead: true });
    await runtime.compact(whole, { reason: "hygiene" });
    asked.length = 0;
    const call = { name: "lcm_expand_query", arguments: JSON.stringify({ question: "What is the key of locker 99?" }) };
    const { text } = await runtime.callTool(call);
    expect(text).toMatch(/^The key is .*\n\(written by a model/);
    expect(text + asked.join("")).not.toContain(KEY);
    expect(asked[0]).toContain("of locker 99");
    expect((await runtime.callTool(call)).text).toContain("of locker 99");
  });

  it("masks secrets, and keeps to the host's bounds", async () => {
    const runtime = createRuntime({ engine: "lossless", settings });
    await runtime.prepare(whole);
    const call = { name: "lcm_grep", arguments: JSON.stringify({ words: "locker 99" }) };
    const { text } = await runtime.callTool(call);
    expect(text).toContain("of locker 99");
    expect(text).not.toContain(KEY);
    expect((await runtime.callTool(call, { tokensMax: 20 })).text.length).toBeLessThan(160);
    expect((await runtime.callTool(call, { waitMs: 0 })).isError).toBe(true);
  });

  it("declares its tools as each protocol does, the same before and after a compaction", async () => {
    const messages = whole.messages.flatMap(({ role, parts: [part] }) =>
      part?.kind === "text" ? [{ role, content: `${part.text}\n${filler(20_000, "much")}` }] : [],
    );
    const nameOf = (tool: unknown): unknown => {
      const { name, function: inner } = tool as { name?: string; function?: { name: string } };
      return name ?? inner?.name;
    };
    for (const protocol of ["openai-chat", "openai-responses", "anthropic-messages"] as const) {
      const session = createSession({ protocol, engine: "lossless", settings });
      const before = session.tools();
      expect(before.map(nameOf)).toEqual(tools);
      await session.compact({ model: "m", ...(protocol === "openai-responses" ? { input: messages } : { messages }) });
      expect(session.tools()).toEqual(before);
    }
  });
});

describe("a session with an engine that has no tools", () => {
  it("offers none, and says so when called", async () => {
    const session = createSession();
    expect(session.tools()).toEqual([]);
    expect(await session.callTool({ name: "lcm_grep", arguments: "{}" })).toMatchObject({ isError: true });
  });
});

describe("the recall tool", () => {
  it("is there from the first compaction on, answers calls, and stays away where it is off", async () => {
    const runtime = createRuntime({ settings });
    expect(runtime.tools()).toEqual([]);
    const { transcript, recallable } = await runtime.prepare(whole);
    expect(recallable).toBe(true);
    expect(runtime.tools().map(({ name }) => name)).toEqual(["precis_recall"]);
    const sent = JSON.stringify(transcript.messages);
    const said = whole.messages.flatMap(({ parts }) => contentText(parts).split("\n"));
    const gone = said.find((line) => /\w{4,} \w{4,}/.test(line) && !sent.includes(line))!.slice(0, 200);
    const call = (given: object) => runtime.callTool({ name: "precis_recall", arguments: JSON.stringify(given) });
    const found = await call({ query: gone });
    expect(found.text).toContain(gone);
    const [, number = ""] = /^── r[0-9a-f]{16} (\d+)/.exec(found.text)!;
    expect((await call({ messages: number })).text).toContain(`── ${number} `);
    expect((await call({ messages: number })).text).not.toContain(KEY);
    expect(await call({ id: "r000000000" })).toMatchObject({ isError: true, quotes: [] });
    const off = createRuntime({ settings, recall: { tool: "off" } });
    await off.prepare(whole);
    expect(off.tools()).toEqual([]);
  });

  it("is declared as each protocol does", async () => {
    const messages = whole.messages.flatMap(({ role, parts: [part] }) =>
      part?.kind === "text" ? [{ role, content: `${part.text}\n${filler(20_000, "much")}` }] : [],
    );
    for (const protocol of ["openai-chat", "openai-responses", "anthropic-messages"] as const) {
      const session = createSession({ protocol, settings });
      expect(session.tools()).toEqual([]);
      await session.compact({ model: "m", ...(protocol === "openai-responses" ? { input: messages } : { messages }) });
      expect(JSON.stringify(session.tools())).toContain('"precis_recall"');
    }
  });
});
