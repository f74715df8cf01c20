/** Sessions that go on after something was recalled: restarts, thinking, compactions and caches. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { violationsOf } from "../../../src/core/transcript/oracle.ts";
import { RECALL_TOOL } from "../../../src/session/recall/answer.ts";
import type { Fields } from "../../../src/protocols/fields.ts";
import type { Answer, ScriptedRequest } from "../../../provider/src/answers.ts";
import { createProvider } from "../../../provider/src/provider.ts";
import { protocols, wireRules } from "../../../src/protocols/index.ts";
import { openSqliteStore } from "../../../src/store/index.ts";
import { SDK_PROTOCOLS, type SdkProtocol } from "./support/sdk-protocols.ts";
import { atEnd, front, stand, temporaryFolder } from "../support/standing.ts";
import { agentOf, type Said } from "./support/agents.ts";
import {
  lastTold,
  listIn,
  listText,
  longSession,
  recallCall,
  scripted,
  VALUE,
  WINDOW_TOKENS,
} from "./support/scene.ts";

const GATEWAY = { contextLength: WINDOW_TOKENS, recall: { offer: "on" as const }, caching: { enabled: false } };
const EVERY = { windowTokens: WINDOW_TOKENS };

/** Wide enough that there is one compaction, at the first request. */
const WIDE_TOKENS = 30_000;
const WIDE = { windowTokens: WIDE_TOKENS };

/** Recalls alone, then beside a call, then answers; over and over. */
const RECALLS: readonly ((asked: ScriptedRequest) => Answer)[] = [
  () => ({ thinking: "I saw that once.", text: "Wait. ", calls: [recallCall()] }),
  () => ({
    thinking: "Now the file as well.",
    text: "And a file. ",
    calls: [{ name: "read", arguments: { path: "b.ts" } }, recallCall("line 24 of 3")],
  }),
  (asked) => ({ thinking: "That is all.", text: JSON.stringify(asked.body).includes(VALUE) ? VALUE : "unknown" }),
];
const cycle = (): ((asked: ScriptedRequest) => Answer) => {
  let at = 0;
  return (asked) => RECALLS[at++ % RECALLS.length]!(asked);
};

const THINKING = { thinking: { type: "adaptive" } };

function oracleFaults(protocol: SdkProtocol, body: string): readonly unknown[] {
  const { transcript } = protocols[protocol].decode(body);
  return violationsOf(transcript, wireRules[protocol]);
}

describe.each(SDK_PROTOCOLS)("%s", (protocol) => {
  const body = protocol === "anthropic-messages" ? THINKING : {};

  it("goes on the same after a restart", async () => {
    const provider = createProvider({ every: WIDE, script: cycle() });
    const { url: upstream, close } = await provider.listen();
    atEnd(close);
    const path = join(temporaryFolder(), "history.db");
    const history = longSession();
    let list: unknown[] = [];
    for (let life = 0; life < 3; life++) {
      const store = await openSqliteStore({ path });
      const { url, gateway } = await front(upstream, { ...GATEWAY, contextLength: WIDE_TOKENS, store });
      const agent = agentOf({ url, protocol, history, stream: life % 2 === 0, body });
      if (life > 0) agent.list.splice(0, agent.list.length, ...list);
      agent.says(`Life ${life}: what does the harbour keeper like?`);
      const said = await agent.ask();
      expect(said.calls.map(({ name }) => name)).toEqual(["read"]);
      agent.results(said.calls, "export const b = 2;");
      expect((await agent.ask()).text).toBe(VALUE);
      list = [...agent.list];
      await gateway.close();
      await store.close();
    }
    const bodies = provider.requests.map((request) => request.body);
    expect(bodies).toHaveLength(9);
    bodies.slice(1).forEach((one, at) => expect(listText(one).startsWith(listText(bodies[at]!))).toBe(true));
    expect(bodies.flatMap((one) => oracleFaults(protocol, one))).toEqual([]);
    expect(JSON.stringify(list)).not.toContain(RECALL_TOOL);
    expect(provider.account().total.rejected).toEqual({});
  });

  it("goes through further compactions, and no request is refused or too large", async () => {
    const { provider, url, events } = await stand({ provider: { every: EVERY, script: cycle() }, gateway: GATEWAY });
    const agent = agentOf({ url, protocol, history: longSession(), stream: true, body });
    const page = "a long page of nothing much. ".repeat(120);
    for (let round = 0; round < 12; round++) {
      agent.says(`Round ${round}. ${page}`);
      const said = await agent.ask();
      agent.results(said.calls, page);
      await agent.ask();
    }
    expect(events.filter(({ kind }) => kind === "compaction").length).toBeGreaterThan(2);
    expect(provider.account().total.rejected).toEqual({});
    expect(provider.requests.flatMap((one) => oracleFaults(protocol, one.body))).toEqual([]);
    expect(provider.requests).toHaveLength(36);
  });

  it("keeps the tools the same, ours last, and reads them from the cache", async () => {
    const { provider, url } = await stand({
      provider: { every: { ...WIDE, cacheMinimumTokens: 100 }, script: cycle() },
      gateway: { ...GATEWAY, contextLength: WIDE_TOKENS, caching: { enabled: true } },
    });
    const agent = agentOf({ url, protocol, history: longSession(), stream: true, body });
    for (let round = 0; round < 2; round++) {
      agent.says("What does the harbour keeper like?");
      agent.results((await agent.ask()).calls, "export const b = 2;");
      await agent.ask();
    }
    const tools = provider.requests.map((one) => JSON.stringify((JSON.parse(one.body) as { tools: unknown }).tools));
    expect(new Set(tools).size).toBe(1);
    expect(tools[0]!.lastIndexOf(RECALL_TOOL)).toBeGreaterThan(tools[0]!.indexOf('"read"'));
    const markers = provider.requests.map((one) => one.body.split('"cache_control"').length - 1);
    expect(Math.max(...markers)).toBeLessThanOrEqual(4);
    const read = provider.requests.slice(1).map(({ use }) => use!.cacheReadTokens);
    expect(Math.min(...read)).toBeGreaterThan(1_000);
    expect(provider.account().total.rejected).toEqual({});
  });
});

describe("a client that leaves thinking out", () => {
  it("has none put back either", async () => {
    const { provider, url } = await stand({ provider: { every: EVERY, script: cycle() }, gateway: GATEWAY });
    const agent = agentOf({ url, protocol: "anthropic-messages", history: longSession(), stream: true });
    agent.says("What does the harbour keeper like?");
    agent.results((await agent.ask()).calls, "export const b = 2;");
    await agent.ask();
    for (const message of agent.list as { content: unknown }[])
      if (Array.isArray(message.content))
        message.content = (message.content as { type: string }[]).filter(({ type }) => type !== "thinking");
    agent.says("Thank you.");
    await agent.ask();
    const last = JSON.stringify(listIn(provider.requests[3]!.body));
    expect(last).not.toContain('"thinking"');
    expect(last).toContain(RECALL_TOOL);
    expect(provider.account().total.rejected).toEqual({});
  });
});

/** What clients are known to do to an answer before they send it back. */
const REWRITES: Readonly<Record<SdkProtocol, (said: Fields[]) => Fields[]>> = {
  // One text block for all, and no thinking.
  "anthropic-messages": ([message]) => {
    const blocks = message!["content"] as Fields[];
    const text = blocks.map((block) => block["text"] ?? "").join("");
    const calls = blocks.flatMap(({ type, id, name, input }) => (type === "tool_use" ? { type, id, name, input } : []));
    return [{ role: "assistant", content: [{ type: "text", text: text.trim() }, ...calls] }];
  },
  // Content in parts, arguments with spaces.
  "openai-chat": ([message]) => {
    const calls = message!["tool_calls"] as { id: string; function: { name: string; arguments: string } }[] | undefined;
    const spaced = calls?.map(({ id, function: { name, arguments: given } }) => {
      return { id, type: "function", function: { name, arguments: JSON.stringify(JSON.parse(given), null, 1) } };
    });
    const content = [{ type: "text", text: message!["content"] }];
    return [{ role: "assistant", content, ...(spaced === undefined ? {} : { tool_calls: spaced }) }];
  },
  // No ids, no reasoning.
  "openai-responses": (items) =>
    items.flatMap(({ id: _, status: _s, ...item }) => (item["type"] === "reasoning" ? [] : [item as Fields])),
};

describe.each(SDK_PROTOCOLS)("%s, a client that writes answers anew", (protocol) => {
  it("is known by what they say", async () => {
    const { provider, url } = await stand({
      provider: { every: WIDE, script: cycle() },
      gateway: { ...GATEWAY, contextLength: WIDE_TOKENS },
    });
    const agent = agentOf({ url, protocol, history: longSession(), stream: true });
    const step = async (): Promise<Said> => {
      const from = agent.list.length;
      const said = await agent.ask();
      agent.list.push(...REWRITES[protocol](agent.list.splice(from) as Fields[]));
      return said;
    };
    agent.says("What does the harbour keeper like?");
    agent.results((await step()).calls, "export const b = 2;");
    await step();
    agent.says("Thank you.");
    await step();
    expect(JSON.stringify(agent.list)).not.toContain(RECALL_TOOL);
    const [, second, third, fourth] = provider.requests.map((request) => JSON.stringify(listIn(request.body)));
    const hidden = (text: string): number => text.split(`"${RECALL_TOOL}"`).length - 1;
    expect([second, third, fourth].map((text) => hidden(text!))).toEqual([1, 2, 2]);
    expect(provider.account().total.rejected).toEqual({});
  });

  it("goes out as it is where it says something else", async () => {
    const { provider, url } = await stand({
      provider: { every: WIDE, script: cycle() },
      gateway: { ...GATEWAY, contextLength: WIDE_TOKENS },
    });
    const agent = agentOf({ url, protocol, history: longSession(), stream: true });
    agent.says("What does the harbour keeper like?");
    const from = agent.list.length;
    agent.results((await agent.ask()).calls, "export const b = 2;");
    const text = JSON.stringify(agent.list.splice(from)).replaceAll("And a file", "But no file");
    agent.list.push(...(JSON.parse(text) as unknown[]));
    await agent.ask();
    expect(JSON.stringify(listIn(provider.requests.at(-1)!.body))).not.toContain(RECALL_TOOL);
    expect(provider.account().total.rejected).toEqual({});
  });
});

it("counts what all of it took, and tells the client what the window holds", async () => {
  const script = scripted({ calls: [recallCall()] }, { calls: [recallCall()] }, (asked) => ({ text: lastTold(asked) }));
  const { provider, url, events } = await stand({ provider: { every: EVERY, script }, gateway: GATEWAY });
  const agent = agentOf({ url, protocol: "anthropic-messages", history: longSession(), stream: true });
  agent.says("What does the harbour keeper like?");
  const { usage } = await agent.ask();
  await expect.poll(() => events.filter(({ kind }) => kind === "request").length).toBe(1);
  const event = events.find(({ kind }) => kind === "request");
  const uses = provider.requests.map(({ use, outputTokens }) => ({ input: use!.inputTokens, output: outputTokens! }));
  expect(uses).toHaveLength(3);
  const total = (key: "input" | "output"): number => uses.reduce((sum, one) => sum + one[key], 0);
  expect(event).toMatchObject({ usage: { input: total("input"), output: total("output") }, outcome: "answered" });
  expect(usage["output_tokens"]).toBe(total("output"));
  expect(usage["input_tokens"]).toBe(uses[2]!.input);
});
