/**
 * The conversation's own model writes the handoff behind the conversation: what its provider has cached is read again, the
 * client notices nothing, whatever goes wrong, and its key is nowhere but in requests to its own upstream.
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { GatewayOptions } from "../../src/gateway/index.ts";
import type { Answer, RequestRecord } from "../../provider/src/index.ts";
import type { ScriptedRequest } from "../../provider/src/answers.ts";
import { protocols } from "../../src/protocols/index.ts";
import { type ProtocolName } from "../../src/core/protocols.ts";
import { definitions } from "../../src/protocols/registry.ts";
import { openSqliteStore } from "../../src/store/index.ts";
import { behind } from "../support/model-answers.ts";
import { ask, bodyOf, MAX_OUTPUT_TOKENS, PROTOCOLS, worked } from "./support/asking.ts";
import { front, stand, temporaryFolder, type Standing, type StandingOptions } from "./support/standing.ts";
import { upstreamOf, type Reply } from "./support/upstream.ts";

const WINDOW_TOKENS = 100_000;
/**
 * Steps of some 1,170 tokens: so near a full window that no price speaks against a compaction, and past the safety net.
 * Claude's tokens are taken to be more than others until a request has shown how many they are.
 */
const stepsOf = (protocol: ProtocolName) =>
  protocol === "anthropic-messages" ? { near: 53, past: 71 } : { near: 62, past: 74 };
/** Long enough for a second compaction. */
const LONG_STEPS = 150;
const QUESTION = "Write that record now, as text, and call no tool.";
const READ = { name: "read", description: undefined, schema: { type: "object", properties: {} }, strict: undefined };
const toolsOf = (protocol: ProtocolName): readonly unknown[] => definitions[protocol].tools.write([READ]);
/** No thinking that is bound to what comes before it. */
const modelOf = (protocol: ProtocolName) => (protocol === "anthropic-messages" ? { model: "claude-sonnet-4-5" } : {});
const CACHED_SHARE_MIN = 0.9;

const isQuestion = (body: string): boolean => body.includes(QUESTION);
const questionIn = ({ body, protocol }: Pick<ScriptedRequest, "body" | "protocol">): string =>
  JSON.stringify((body[protocols[protocol].keys.messages] as readonly unknown[]).at(-1)).replaceAll("\\n", "\n");

/** What a good model writes, about the session of this name. */
const record = (asked: ScriptedRequest, name: string): Answer => ({
  text: behind(questionIn(asked), [
    `src/${name}/1.ts was read, and it says what line 12 of 1 says.`,
    `src/${name}/2.ts was read because src/${name}/1.ts pointed to it.`,
    `src/${name}/3.ts was read after src/${name}/2.ts.`,
  ]),
});

const inPlace = (script: (asked: ScriptedRequest) => Answer | Promise<Answer>, more: Partial<GatewayOptions> = {}) =>
  ({
    provider: {
      every: { windowTokens: WINDOW_TOKENS },
      script: (asked) => (isQuestion(JSON.stringify(asked.body)) ? script(asked) : { text: "Read." }),
    },
    gateway: { contextLength: WINDOW_TOKENS, summarize: "main", ...more },
  }) satisfies StandingOptions;

interface Going {
  readonly protocol: ProtocolName;
  readonly name: string;
  readonly more?: object;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const bodyAt = ({ protocol, name, more }: Going, steps: number): string =>
  bodyOf(protocol, worked(name, steps), { tools: toolsOf(protocol), ...modelOf(protocol), ...more });

/** A conversation that comes near the threshold, and goes on past it once what is made ahead is made. */
async function goesOn(standing: Pick<Standing, "url" | "gateway">, going: Going) {
  const at = (steps: number) => ask(standing.url, { ...going, body: bodyAt(going, steps) });
  const first = await at(stepsOf(going.protocol).near);
  await standing.gateway.settled();
  const second = await at(stepsOf(going.protocol).past);
  return { first, second };
}

const questions = ({ provider }: Standing): readonly RequestRecord[] =>
  provider.requests.filter(({ body }) => isQuestion(body));
const compactions = ({ events }: Pick<Standing, "events">) => events.filter(({ kind }) => kind === "compaction");

describe.each(PROTOCOLS)("a handoff asked for behind a conversation of %s", (protocol) => {
  // Gemini says it in the path.
  const streaming = {
    ...(protocol === "google-gemini" ? {} : { stream: true }),
    ...(protocol === "openai-chat" ? { stream_options: { include_usage: true } } : {}),
  };

  it.each([
    ["as it went out", {}],
    ["streamed by its client", streaming],
  ])("is the last request with a question at its end, and is read from the cache: %s", async (_, more) => {
    const standing = await stand(inPlace((asked) => record(asked, "alpha")));
    const { first, second } = await goesOn(standing, { protocol, name: "alpha", more });
    expect([first.status, second.status]).toEqual([200, 200]);
    const [question, ...others] = questions(standing);
    expect(others).toEqual([]);
    const last = standing.provider.requests[question!.index - 1]!;

    // The messages, whatever comes before and after them.
    const [sent, asked] = [last, question!].map(({ body }) => {
      const { start, end } = protocols[protocol].decode(body).layout.list;
      return body.slice(start, end - 1);
    });
    expect(asked!.slice(0, sent!.length)).toBe(sent);
    const list = protocols[protocol].keys.messages;
    const [before, after] = [last, question!].map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    expect((after![list] as unknown[]).length).toBe((before![list] as unknown[]).length + 1);
    for (const key of new Set([...Object.keys(before!), ...Object.keys(after!)])) {
      if (key === list) continue;
      if (key === "stream") expect(after![key]).toBe(false);
      else if (key === "stream_options") expect(after![key]).toBeUndefined();
      else if (key === "generationConfig")
        expect(after![key]).toEqual({ maxOutputTokens: expect.any(Number) as number });
      else if (key.startsWith("max_")) expect(after![key]).toBeGreaterThan(MAX_OUTPUT_TOKENS);
      else expect([key, JSON.stringify(after![key])]).toEqual([key, JSON.stringify(before![key])]);
    }

    const { inputTokens, cacheReadTokens } = question!.use!;
    expect(question).toMatchObject({ path: last.path, key: last.key, status: 200, outcome: "answered" });
    expect(cacheReadTokens / inputTokens).toBeGreaterThan(CACHED_SHARE_MIN);
    expect(compactions(standing)).toMatchObject([{ ahead: true, modelCalls: 1, degraded: [] }]);
    const [{ costUsd } = { costUsd: 0 }] = compactions(standing) as readonly { readonly costUsd: number }[];
    expect(costUsd).toBeGreaterThan(0);
    expect(standing.provider.requests.at(-1)!.body).toContain("because src/alpha/1.ts pointed to it");
  });

  it("is asked for in the same way again, behind the handoff that stands by then", async () => {
    const standing = await stand(inPlace((asked) => record(asked, "alpha")));
    const going: Going = { protocol, name: "alpha" };
    for (let steps = stepsOf(protocol).near; steps < LONG_STEPS; steps += 4) {
      const { status } = await ask(standing.url, { ...going, body: bodyAt(going, steps) });
      expect(status).toBe(200);
      await standing.gateway.settled();
    }
    const asked = questions(standing);
    expect(asked.length).toBeGreaterThan(1);
    for (const { use, outcome } of asked) {
      expect(outcome).toBe("answered");
      expect(use!.cacheReadTokens / use!.inputTokens).toBeGreaterThan(CACHED_SHARE_MIN);
    }
    expect(asked.at(-1)!.body).toContain("because src/alpha/1.ts pointed to it");
    const made = compactions(standing) as readonly {
      readonly modelCalls: number;
      readonly degraded: readonly string[];
    }[];
    expect(made.length).toBeGreaterThan(1);
    for (const { modelCalls, degraded } of made) expect([modelCalls, degraded]).toEqual([1, []]);
  });

  const failures: readonly (readonly [string, (asked: ScriptedRequest) => Answer])[] = [
    ["calls a tool", () => ({ calls: [{ name: "read", arguments: { path: "src/alpha/1.ts" } }] })],
    ["writes and calls a tool", (asked) => ({ ...record(asked, "alpha"), calls: [{ name: "read" }] })],
    ["says something else", () => ({ text: "I would rather go on reading." })],
    ["is empty", () => ({ text: "" })],
    ["says the same in every section", (asked) => ({ text: behind(questionIn(asked), ["All went well."]) })],
  ];
  it.each(failures)("falls back where the answer %s", async (_, answer) => {
    const standing = await stand(inPlace(answer));
    const { second } = await goesOn(standing, { protocol, name: "alpha" });
    expect(second.treatment).toMatch(/^rewritten/);
    expect(questions(standing)).toHaveLength(1);
    expect(compactions(standing)).toMatchObject([{ ahead: true, modelCalls: 1 }]);
    expect(JSON.stringify(compactions(standing))).toContain("the handoff was written by code");
  });
});

/** Answers a request of Chat with a word, and the question as it is told. */
const wordOrElse =
  (otherwise: () => Reply) =>
  (_: number, { body }: { readonly body: string }) =>
    isQuestion(body) ? otherwise() : said("Read.");
const said = (content: string): Reply => ({
  pieces: [
    JSON.stringify({
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
      usage: { prompt_tokens: 72_000, completion_tokens: 1 },
    }),
  ],
});
const refusal = (status: number, message: string, code = "x"): Reply => ({
  status,
  pieces: [JSON.stringify({ error: { message, code } })],
});

const KEY = "sk-proj-Qx7kLm2Np9Rt4Vw8Yz3Bc6Df";

describe("a handoff that its provider does not write", () => {
  const chat: Going = { protocol: "openai-chat", name: "beta", key: KEY };
  it.each([
    ["a key that is refused", () => refusal(401, `Incorrect API key provided: ${KEY}.`)],
    ["too many requests", () => refusal(429, `Rate limit reached for ${KEY}`)],
    [
      "an overflow",
      () => refusal(400, "This model's maximum context length is 9000 tokens.", "context_length_exceeded"),
    ],
    ["a fault", () => refusal(500, `at request ${KEY}`)],
    ["no JSON", () => ({ pieces: ["<!doctype html>"] })],
    ["JSON that is no answer", () => ({ pieces: ["[]"] })],
  ])("because of %s leaves the conversation as it is, and the key unsaid", async (_, otherwise) => {
    const upstream = await upstreamOf(wordOrElse(otherwise));
    const folder = temporaryFolder();
    const store = await openSqliteStore({ path: join(folder, "history.db") });
    const standing = await front(upstream.url, { contextLength: WINDOW_TOKENS, summarize: "main", store });
    const { first, second } = await goesOn(standing, chat);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.treatment).toMatch(/^rewritten/);
    const asked = upstream.got.filter(({ body }) => isQuestion(body));
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`]);
    // The client's next request goes out in full as far as the window allows: the refusal was not its own.
    expect(standing.events.filter((event) => event.kind === "notice" && event.code === "window_learned")).toEqual([]);
    await store.close();
    const kept = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
    for (const text of [JSON.stringify(standing.events), ...kept]) expect(text).not.toContain(KEY.slice(0, 20));
  });

  it("in time does not keep the client waiting, and is not waited for when the gateway stops", async () => {
    const standing = await stand(inPlace(() => pause(60_000, { text: "Too late." }, { ref: false })));
    const going: Going = { protocol: "openai-chat", name: "gamma" };
    await ask(standing.url, { ...going, body: bodyAt(going, stepsOf("openai-chat").near) });
    await vi.waitFor(() => expect(questions(standing)).toHaveLength(1));
    const next = await ask(standing.url, { ...going, body: bodyAt(going, stepsOf("openai-chat").near + 1) });
    expect([next.status, questions(standing).length]).toEqual([200, 1]);
    await standing.gateway.close();
  });

  it.each([
    ["must call a tool", { tool_choice: "required" }],
    ["must call this tool", { tool_choice: { type: "function", function: { name: "read" } } }],
    ["answers in JSON", { response_format: { type: "json_object" } }],
  ])("because its model %s is not asked for", async (_, more) => {
    const upstream = await upstreamOf(wordOrElse(() => said("unasked")));
    const standing = await front(upstream.url, { contextLength: WINDOW_TOKENS, summarize: "main" });
    const { second } = await goesOn(standing, { ...chat, more });
    expect(second.treatment).toMatch(/^rewritten/);
    expect(upstream.got.some(({ body }) => isQuestion(body))).toBe(false);
    expect(compactions(standing)).toMatchObject([{ modelCalls: 0 }]);
  });
});

describe("the credential of a conversation", () => {
  it("goes with its own conversation alone, as the newest request has it", async () => {
    const standing = await stand(
      inPlace((asked) => record(asked, JSON.stringify(asked.body).includes("src/delta/") ? "delta" : "omega"), {
        tenant: "per_key",
      }),
    );
    const of = (name: string): Going => ({ protocol: "anthropic-messages", name, key: `sk-${name}-0123456789` });
    await Promise.all([goesOn(standing, of("delta")), goesOn(standing, of("omega"))]);
    const asked = questions(standing);
    expect(asked).toHaveLength(2);
    const owner = new Map(
      standing.provider.requests.filter((one) => !isQuestion(one.body)).map((one) => [nameIn(one), one.key]),
    );
    for (const one of asked) {
      expect(one.key).toBe(owner.get(nameIn(one)));
      expect(one.body.includes("src/delta/") && one.body.includes("src/omega/")).toBe(false);
    }
    expect(new Set(owner.values()).size).toBe(2);
  });

  it("brings its headers, but for what names the client's own request", async () => {
    const upstream = await upstreamOf(wordOrElse(() => said("Nothing.")));
    const standing = await front(upstream.url, { contextLength: WINDOW_TOKENS, summarize: "main" });
    const headers = { "openai-organization": "org-1", "idempotency-key": "once", "accept-encoding": "gzip" };
    await goesOn(standing, { protocol: "openai-chat", name: "eta", key: KEY, headers });
    const asked = upstream.got.find(({ body }) => isQuestion(body))!;
    expect(asked.url).toBe("/v1/chat/completions");
    expect(asked.headers).toMatchObject({ "openai-organization": "org-1", "accept-encoding": "identity" });
    expect(asked.headers).not.toHaveProperty("idempotency-key");
  });

  it.each([["observe"], ["off"]] as const)("is not spent where nothing is rewritten: %s", async (mode) => {
    const standing = await stand(inPlace((asked) => record(asked, "iota"), { mode }));
    await goesOn(standing, { protocol: "openai-chat", name: "iota" });
    expect(questions(standing)).toEqual([]);
  });

  it("is not spent unless the operator asks for it", async () => {
    const standing = await stand({
      ...inPlace((asked) => record(asked, "iota")),
      gateway: { contextLength: WINDOW_TOKENS },
    });
    await goesOn(standing, { protocol: "openai-chat", name: "iota" });
    expect(questions(standing)).toEqual([]);
  });
});

function nameIn({ body }: RequestRecord): string {
  return /src\/(delta|omega)\//.exec(body)![1]!;
}
