/** The one switch of a session: a model by its name, the main model behind the conversation, a writer of one's own. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PrecisError } from "../../src/core/errors.ts";
import { createSession, type FailureClass, type SendRequest, type Summarize } from "../../src/index.ts";
import { type Compaction } from "../../src/core/compaction/compaction.ts";
import { type SessionOptions } from "../../src/session/contract.ts";
import { createProvider } from "../../provider/src/index.ts";
import type { ScriptedRequest } from "../../provider/src/answers.ts";
import { protocols } from "../../src/protocols/index.ts";
import { type ProtocolName } from "../../src/core/protocols.ts";
import { bodyOf, MAX_OUTPUT_TOKENS, PROTOCOLS, worked } from "../gateway/support/asking.ts";
import { behind, careful } from "../support/model-answers.ts";
import { answer, startEndpoint, type ScriptedEndpoint } from "../support/scripted-endpoint.ts";
import { agentForms } from "../support/agent/forms.ts";
import { PROTOCOL_MODELS } from "../../provider/test/models.ts";

const WINDOW_TOKENS = 40_000;
/** Below the threshold, and past it. */
const STEPS = { below: 14, past: 19 } as const;
const ITEMS = ["src/alpha/1.ts was read.", "src/alpha/2.ts was read because src/alpha/1.ts pointed to it."];
const isQuestion = (body: unknown): boolean => JSON.stringify(body).includes("Write that record now");
const sonnet = (protocol: ProtocolName) => (protocol === "anthropic-messages" ? { model: "claude-sonnet-4-5" } : {});

const record = ({ body, protocol }: ScriptedRequest) => {
  const question = JSON.stringify((body[protocols[protocol].keys.messages] as unknown[]).at(-1)).replaceAll(
    "\\n",
    "\n",
  );
  return { text: behind(question, ITEMS) };
};

/** A host that sends requests with its own key, over real HTTP, and hands back what its client would give it. */
async function host(protocol: ProtocolName, options: SessionOptions = {}) {
  const provider = createProvider({ script: (asked) => (isQuestion(asked.body) ? record(asked) : { text: "Read." }) });
  const { url, close } = await provider.listen();
  const post = async (request: unknown, signal?: AbortSignal): Promise<Response> =>
    fetch(`${url}${agentForms[protocol].pathOf({ model: PROTOCOL_MODELS[protocol], stream: false })}`, {
      method: "POST",
      headers: {
        ...agentForms[protocol].credentials("sk"),
        "content-type": "application/json",
      },
      body: typeof request === "string" ? request : JSON.stringify(request),
      ...(signal === undefined ? {} : { signal }),
    });
  const send: SendRequest = async (request, { signal }) => (await post(request, signal)).json();
  const caching = protocol === "anthropic-messages" ? ({ layout: "native" } as const) : ({ layout: "openai" } as const);
  const settings = { contextLength: WINDOW_TOKENS, maxOutputTokens: MAX_OUTPUT_TOKENS };
  // Where the path names the model, the request does not.
  const named = protocol === "google-gemini" ? { model: PROTOCOL_MODELS[protocol] } : {};
  const session = createSession({ protocol, settings, caching, summarize: send, ...named, ...options });
  const turn = async (steps: number) => {
    const body = JSON.parse(bodyOf(protocol, worked("alpha", steps), sonnet(protocol))) as { messages: unknown[] };
    const prepared = await session.prepare(body);
    await (await post(prepared.request)).text();
    return prepared;
  };
  return { provider, session, turn, close, post };
}

describe.each(PROTOCOLS)("a session of %s whose main model writes", (protocol) => {
  it("asks it behind the conversation with the host's own client, and reads the cache", async () => {
    const { provider, turn, close } = await host(protocol);
    let compaction: Compaction | undefined;
    for (let steps = STEPS.below; compaction === undefined; steps++) compaction = (await turn(steps)).compaction;
    await close();
    expect(compaction?.report.summary).toMatchObject({
      by: "model",
      steps: [{ role: "main", outcome: "written", calls: 1 }],
    });
    expect(compaction?.report.costUsd).toBeGreaterThan(0);
    const [sent, question, last] = provider.requests.slice(-3);
    expect(provider.requests.filter((one) => isQuestion(one.body))).toEqual([question]);
    const listOf = (body: string) => protocols[protocol].decode(body).transcript.messages.map(({ parts }) => parts);
    const bare = (parts: unknown) => JSON.stringify(parts);
    const [before, asked] = [listOf(sent!.body), listOf(question!.body)];
    expect(asked.slice(0, before.length).map(bare)).toEqual(before.map(bare));
    const { cacheReadTokens, inputTokens } = question!.use!;
    // All that the last request left there, and little else is read: what came since, and the question.
    expect(cacheReadTokens / sent!.use!.inputTokens).toBeGreaterThan(0.99);
    expect(cacheReadTokens / inputTokens).toBeGreaterThan(0.9);
    expect(last!.body).toContain("because src/alpha/1.ts pointed to it");
  });
});

describe("a question that the host sends", () => {
  it("comes in the shape of its own requests, and has its signal", async () => {
    const got: unknown[] = [];
    const summarize: SendRequest = (request, { signal }) => {
      got.push(request);
      expect(signal).toBeInstanceOf(AbortSignal);
      return { choices: [{ message: { content: "Nothing." }, finish_reason: "stop" }] };
    };
    const session = createSession({ settings: { contextLength: WINDOW_TOKENS }, summarize });
    const body = bodyOf("openai-chat", worked("alpha", STEPS.past), { stream: true });
    const prepared = await session.prepare(body);
    expect(prepared.compaction?.report.summary?.by).toBe("ledger");
    await session.compact((JSON.parse(body) as { messages: unknown[] }).messages, { budget: 6_000 });
    expect([typeof got[0], Array.isArray(got[1])]).toEqual(["string", true]);
    expect(JSON.parse(got[0] as string)).toMatchObject({ stream: false });
  });

  it.each([
    [
      "an error with a status",
      () => Promise.reject(Object.assign(new Error("429 slow down"), { status: 429 })),
      "rate",
    ],
    [
      "an error without one",
      () => Promise.reject(new Error("fetch failed for sk-proj-Qx7kLm2Np9Rt4Vw8Yz3Bc6Df")),
      "network",
    ],
    ["a response", () => new Response('{"error":{"message":"no"}}', { status: 401 }), "authentication"],
    ["nothing", () => undefined, "malformed"],
    ["a stream", () => ({ [Symbol.asyncIterator]: () => undefined }), "malformed"],
  ] satisfies readonly (readonly [string, SendRequest, FailureClass])[])(
    "and that ends in %s leaves the handoff to code",
    async (_, summarize, kind) => {
      const session = createSession({ settings: { contextLength: WINDOW_TOKENS }, summarize });
      const prepared = await session.prepare(bodyOf("openai-chat", worked("alpha", STEPS.past)));
      expect(prepared.compacted).toBe(true);
      const summary = prepared.compaction!.report.summary!;
      expect(summary).toMatchObject({ by: "ledger", steps: [{ role: "main", outcome: "failed", class: kind }] });
      expect(JSON.stringify(summary)).not.toContain("Qx7kLm2Np9");
    },
  );

  it("shows what the session shows: secrets that it masks are masked there too", async () => {
    const sent: string[] = [];
    const summarize: SendRequest = (request) => void sent.push(JSON.stringify(request));
    const settings = { contextLength: WINDOW_TOKENS };
    const session = createSession({ settings, summarize, redactOutgoing: true });
    const secret = "ghp_Wq8eR2tY6uI0oP4aS1dF7gH3jK9lZ5xC2vB8";
    const work = worked("alpha", STEPS.past);
    const body = bodyOf("openai-chat", work).replace("Read all of alpha.", `Read all of alpha with ${secret}.`);
    await session.prepare(body);
    expect(sent).toHaveLength(1);
    expect(sent[0]).not.toContain(secret);
  });

  it("ends with the call that waits for it", async () => {
    const stop = new AbortController();
    const summarize: SendRequest = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
        stop.abort(new Error("enough"));
      });
    const session = createSession({ settings: { contextLength: WINDOW_TOKENS }, summarize });
    const call = session.prepare(bodyOf("openai-chat", worked("alpha", STEPS.past)), { signal: stop.signal });
    await expect(call).rejects.toThrow("enough");
  });
});

describe("a model that is named", () => {
  let endpoint: ScriptedEndpoint;
  beforeAll(async () => {
    endpoint = await startEndpoint({ script: answer(({ user }) => careful(user)) });
  });
  afterAll(() => endpoint.close());
  const compactedBy = async (summarize: Summarize) => {
    const session = createSession({ settings: { contextLength: WINDOW_TOKENS }, summarize });
    return (await session.prepare(bodyOf("openai-chat", worked("alpha", STEPS.past)))).compaction?.report.summary;
  };

  it("is asked at its own address, with its own key", async () => {
    const summary = await compactedBy({
      model: "small-1",
      baseUrl: endpoint.url,
      apiKey: "sk-own",
      contextLength: 128_000,
    });
    expect(summary).toMatchObject({ by: "model", steps: [{ model: "small-1", role: "auxiliary" }] });
    expect(endpoint.requests.at(-1)!.headers["authorization"]).toBe("Bearer sk-own");
  });

  it("by a writer of one's own is that writer", async () => {
    const usage = { inputTokens: 1, outputTokens: 1, requests: 1 };
    const summary = await compactedBy({
      model: "own-1",
      windowTokens: 128_000,
      ask: async ({ user }) => ({ kind: "answered", text: careful(user), ended: "stop", usage }),
    });
    expect(summary).toMatchObject({ by: "model", steps: [{ model: "own-1" }] });
  });

  it.each([
    ["main", /cannot ask the main model/, /Pass a function/],
    ["nobody-knows-this", /is not known/, /\{ model, baseUrl \}/],
    ["", /`summarize` is/, /./],
    [{ model: "x", baseurl: "http://127.0.0.1" }, /`summarize` is/, /./],
    [{ model: "x", provider: "nowhere" }, /`summarize` is/, /./],
    [7, /`summarize` is/, /./],
  ] as const)("as %j is refused with what to do", (summarize, message, hint) => {
    const error = caught(() => createSession({ summarize: summarize as Summarize }));
    expect(error).toMatchObject({ code: "bad_options", place: "summarize" });
    expect([error.message, error.hint]).toEqual([expect.stringMatching(message), expect.stringMatching(hint)]);
  });
});

function caught(run: () => unknown): PrecisError {
  try {
    run();
  } catch (error) {
    return error as PrecisError;
  }
  throw new Error("nothing was thrown");
}
