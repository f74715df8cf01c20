/** What recall may not do: go on for ever, fill the window, show other tenants' history or secrets, or hide a failure. */
import { describe, expect, it } from "vitest";
import { PrecisError } from "../../../src/core/errors.ts";
import { createMemoryStore } from "../../../src/store/index.ts";
import { RECALL_TOOL } from "../../../src/session/recall/answer.ts";
import { contentText, textMessage, type Transcript } from "../../../src/core/transcript/message.ts";
import type { GatewayOptions } from "../../../src/gateway/index.ts";
import type { RecallLimits } from "../../../src/gateway/recall/tool.ts";
import type { Answer, ScriptedRequest } from "../../../provider/src/answers.ts";
import { bodyOf, worked } from "../support/asking.ts";
import { SDK_PROTOCOLS } from "./support/sdk-protocols.ts";
import { stand, type Standing, front } from "../support/standing.ts";
import { EVENT_STREAM, upstreamOf } from "../support/upstream.ts";
import { agentOf, toolsOf } from "./support/agents.ts";
import { lastTold, listIn, longSession, recallCall, scripted, VALUE, WINDOW_TOKENS } from "./support/scene.ts";
import { spread } from "../../support/cases.ts";

const EVERY = { windowTokens: WINDOW_TOKENS };
/** A long talk in which no tool was called. */
const withoutCalls = (session: Transcript): Transcript => ({
  ...session,
  messages: session.messages.map(({ role, parts }, at) =>
    textMessage(role === "tool" || at === 0 ? "user" : "assistant", contentText(parts)),
  ),
});
const gatewayWith = (limits: Partial<RecallLimits> = {}) => ({
  contextLength: WINDOW_TOKENS,
  recall: { offer: "on" as const, limits },
  caching: { enabled: false },
});

type Script = (asked: ScriptedRequest) => Answer;

async function harbour(script: Script, limits: Partial<RecallLimits> = {}): Promise<Standing> {
  return stand({ provider: { every: EVERY, script }, gateway: gatewayWith(limits) });
}

const CASES = SDK_PROTOCOLS.flatMap((protocol) => [true, false].map((stream) => ({ protocol, stream })));

describe.each(spread(CASES, CASES.length - 1))("$protocol, streamed $stream", ({ protocol, stream }) => {
  const agentAt = (url: string, key = "key") => {
    const agent = agentOf({ url, protocol, history: longSession(), stream, key });
    agent.says("What does the harbour keeper like?");
    return agent;
  };

  it("ends a turn in which the model does nothing but recall", async () => {
    const { provider, url } = await harbour(() => ({ calls: [recallCall()] }), { calls: 3 });
    const agent = agentAt(url);
    expect(await agent.ask()).toMatchObject({ text: "", calls: [] });
    const told = provider.requests.map((request) => JSON.stringify(listIn(request.body).at(-1)));
    // Three calls are answered, one is told that it is enough, one that there is no more.
    expect(told).toHaveLength(6);
    expect(told.map((one) => /enough/.test(one))).toEqual([false, false, false, false, true, false]);
    expect(told.map((one) => /Nothing more/.test(one))).toEqual([false, false, false, false, false, true]);
    expect(provider.account().total.rejected).toEqual({});
  });

  it("recalls no more tokens than it may, and none where there is no room", async () => {
    const all = { calls: [recallCall("r000000000"), recallCall("line"), recallCall("word7")] };
    const script = scripted(all, (asked) => ({
      text: JSON.stringify(asked.body.tools ? listIn(JSON.stringify(asked.body)).length : 0),
    }));
    const { provider, url, events } = await harbour(script, { callTokens: 300, answerTokens: 400 });
    await agentAt(url).ask();
    const tokens = events.flatMap((event) => (event.kind === "recall" ? event.tokens : []));
    expect(tokens).toHaveLength(3);
    expect(Math.max(...tokens)).toBeLessThan(420);
    expect(tokens.reduce((sum, one) => sum + one, 0)).toBeLessThan(560);
    expect(provider.account().total.rejected).toEqual({});
  });

  it("says so in words where nothing is found", async () => {
    const script = scripted(
      { calls: [recallCall("rabcdef123"), recallCall("no such thing anywhere")] },
      { text: "No." },
    );
    const { provider, url, events } = await harbour(script);
    expect((await agentAt(url).ask()).text).toBe("No.");
    const told = JSON.stringify(listIn(provider.requests[1]!.body).slice(-2));
    expect(told).toContain("Unknown recall id rabcdef123");
    expect(told).toContain("Nothing that left this conversation holds");
    expect(events.filter(({ kind }) => kind === "recall")).toMatchObject([{ found: false }, { found: false }]);
  });

  it("shows nothing of another tenant", async () => {
    let wanted = "";
    const script = scripted(
      { text: "Hello." },
      () => ({ calls: [recallCall(wanted)] }),
      (asked) => ({ text: lastTold(asked) }),
    );
    const { provider, url } = await stand({
      provider: { every: EVERY, script },
      gateway: { ...gatewayWith(), tenant: "per_key" },
    });
    await agentAt(url, "one").ask();
    wanted = /Originals: recall (r[0-9a-f]{16})/.exec(provider.requests[0]!.body)![1]!;
    const other = agentOf({ url, protocol, history: worked("other", 24), stream, key: "two" });
    other.says("Now?");
    const { text } = await other.ask();
    expect(text).toContain(`Unknown recall id ${wanted}`);
    expect(text).not.toContain(VALUE);
  });

  it("goes on without what was recalled where the provider finds it too much", async () => {
    const script = scripted(
      { text: "Wait. ", calls: [recallCall()] },
      { fault: { kind: "overflow" } },
      (asked) => ({ text: /not enough room/.test(lastTold(asked)) ? "I cannot tell." : lastTold(asked) }),
      (asked) => ({ text: /not enough room/.test(JSON.stringify(asked.body)) ? "As I said." : "What?" }),
    );
    const { provider, url } = await harbour(script);
    const agent = agentAt(url);
    expect((await agent.ask()).text).toBe("Wait. I cannot tell.");
    agent.says("Sure?");
    expect((await agent.ask()).text).toBe("As I said.");
    expect(provider.requests).toHaveLength(4);
  });

  it("tells the client where the provider fails half way", async () => {
    const script = scripted({ text: "Wait. ", calls: [recallCall()] }, { fault: { kind: "overloaded" } });
    const { url, events } = await harbour(script);
    await expect(agentAt(url).ask()).rejects.toThrow(/verloaded/);
    await expect
      .poll(() => events.findLast(({ kind }) => kind === "request"))
      .toMatchObject({
        outcome: stream ? "upstream_failed" : "refused",
      });
  });

  it("ends the second request when the client is gone", async () => {
    const abort = new AbortController();
    const script = scripted({ text: "Wait. ", calls: [recallCall()] }, () => {
      setTimeout(() => abort.abort(), 20);
      return { text: "Slowly.", fault: { kind: "stall", at: 0.5 } };
    });
    const { provider, url, events } = await harbour(script);
    const agent = agentOf({ url, protocol, history: longSession(), stream, signal: abort.signal });
    agent.says("What does the harbour keeper like?");
    await expect(agent.ask()).rejects.toThrow(/abort/i);
    await expect.poll(() => provider.requests.map(({ outcome }) => outcome)).toEqual(["answered", "aborted"]);
    await expect.poll(() => events.findLast(({ kind }) => kind === "request")).toMatchObject({ outcome: "aborted" });
  });
});

describe.each(SDK_PROTOCOLS)("%s", (protocol) => {
  const offered = async (
    recall: GatewayOptions["recall"],
    tools: readonly unknown[],
    more: object = {},
    history = longSession(),
  ): Promise<boolean> => {
    const gateway = { contextLength: WINDOW_TOKENS, ...(recall === undefined ? {} : { recall }) };
    const { provider, url } = await stand({ gateway });
    const own = protocol === "openai-responses" ? { store: false } : {};
    const agent = agentOf({ url, protocol, history, stream: false, body: { tools, ...own, ...more } });
    agent.says("Hi.");
    await agent.ask();
    expect(provider.account().total.rejected).toEqual({});
    return provider.requests[0]!.body.includes(RECALL_TOOL);
  };
  const read = toolsOf(protocol);
  const none = protocol === "openai-chat" ? { tools: undefined } : {};

  it("is offered by default, from the first compaction on, and never where it is off", async () => {
    expect(await offered(undefined, read)).toBe(true);
    expect(await offered(undefined, read, {}, worked("small", 1))).toBe(false);
    expect(await offered({ offer: "always" }, read, {}, worked("small", 1))).toBe(false);
    expect(await offered({ offer: "off" }, read)).toBe(false);
  });

  it("is offered beside tools, and where there are none only if it is always", async () => {
    const bare = withoutCalls(longSession());
    expect(await offered({ offer: "on" }, [], none, bare)).toBe(false);
    expect(await offered({ offer: "always" }, [], none, bare)).toBe(true);
  });

  it("leaves a client's own tool of the name alone", async () => {
    const own = JSON.parse(JSON.stringify(read).replaceAll('"read"', `"${RECALL_TOOL}"`)) as readonly unknown[];
    const script = scripted({ calls: [recallCall()] });
    const { provider, url } = await stand({ provider: { script }, gateway: { recall: { offer: "always" } } });
    const agent = agentOf({ url, protocol, history: worked("small", 1), stream: true, body: { tools: own } });
    agent.says("Hi.");
    expect((await agent.ask()).calls).toMatchObject([{ name: RECALL_TOOL }]);
    expect(provider.requests[0]!.body.split(`"${RECALL_TOOL}"`)).toHaveLength(2);
  });

  it("leaves a request alone whose answer it could not keep apart", async () => {
    if (protocol === "openai-responses") expect(await offered({}, read, { store: true })).toBe(false);
    if (protocol === "openai-chat") expect(await offered({}, read, { n: 2 })).toBe(false);
  });

  it("masks secrets in what is recalled", async () => {
    const key = `sk-ant-api03-${"Ab1".repeat(30)}`;
    const history = longSession();
    const text = JSON.stringify(history).replaceAll(VALUE, `${VALUE} and ${key}`);
    const script = scripted({ calls: [recallCall()] }, (asked) => ({ text: lastTold(asked) }));
    const { url } = await harbour(script);
    const agent = agentOf({ url, protocol, history: JSON.parse(text) as typeof history, stream: true });
    agent.says("What does the harbour keeper like?");
    const said = await agent.ask();
    expect(said.text).toContain(VALUE);
    expect(said.text).not.toContain(key);
  });

  it("keeps nothing of a call that its answer's end cut off", async () => {
    const script = scripted({ text: "Hm. ", calls: [recallCall()], stop: "length" }, { text: "Yes." });
    const { provider, url } = await harbour(script);
    const agent = agentOf({ url, protocol, history: longSession(), stream: true });
    agent.says("What does the harbour keeper like?");
    expect(await agent.ask()).toMatchObject({ text: "Hm. ", calls: [] });
    agent.says("Well?");
    expect((await agent.ask()).text).toBe("Yes.");
    expect(JSON.stringify(listIn(provider.requests[1]!.body))).not.toContain(RECALL_TOOL);
  });
});

describe("a store that takes nothing", () => {
  it("does not keep the client from its answer, and what was hidden is remembered all the same", async () => {
    const script = scripted({ text: "Wait. ", calls: [recallCall()] }, { text: "So." }, { text: "Yes." });
    const store = createMemoryStore();
    const full = new PrecisError("the disk is full", { code: "store_full", hint: "Make room." });
    const { provider, url, events } = await stand({
      provider: { every: EVERY, script },
      gateway: { ...gatewayWith(), store: { ...store, putState: () => Promise.reject(full) } },
    });
    const agent = agentOf({ url, protocol: "anthropic-messages", history: longSession(), stream: true });
    agent.says("What does the harbour keeper like?");
    expect((await agent.ask()).text).toBe("Wait. So.");
    agent.says("Sure?");
    expect((await agent.ask()).text).toBe("Yes.");
    expect(JSON.stringify(listIn(provider.requests[2]!.body))).toContain(RECALL_TOOL);
    expect(events).toContainEqual(expect.objectContaining({ kind: "notice", code: "store_unavailable" }));
  });
});

describe("a later answer that breaks off", () => {
  it("is told as an error of the stream", async () => {
    const first = [
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}\n\n',
      `event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"${RECALL_TOOL}","input":{}}}\n\n`,
      'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
      'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}}\n\n',
      'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    ];
    const upstream = await upstreamOf((at) => ({ headers: EVENT_STREAM, pieces: at === 0 ? first : [first[0]!] }));
    const { url } = await front(upstream.url, { contextLength: WINDOW_TOKENS });
    const response = await fetch(`${url}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": "k" },
      body: bodyOf("anthropic-messages", longSession(), { tools: toolsOf("anthropic-messages"), stream: true }),
    });
    const text = await response.text();
    expect(upstream.got).toHaveLength(2);
    expect(text.match(/^event: .*$/gm)).toEqual(["event: message_start", "event: error"]);
  });
});
