/**
 * A conversation that waits for its person, in each protocol: shortly before its provider's cache expires a compaction is made,
 * or told of, where the price model says that it pays; it is used after the cache has expired, and the bill is smaller for it.
 */
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { textMessage } from "../../src/core/transcript/message.ts";
import type { CompactionEvent, GatewayEvent } from "../../src/gateway/contract.ts";
import type { CachingOptions } from "../../src/gateway/models/caching.ts";
import type { GatewayOptions } from "../../src/gateway/index.ts";
import { protocols } from "../../src/protocols/index.ts";
import { type ProtocolName } from "../../src/core/protocols.ts";
import type { Answer } from "../../provider/src/index.ts";
import type { ScriptedRequest } from "../../provider/src/answers.ts";
import { behind } from "../support/model-answers.ts";
import { ask, bodyOf, PROTOCOLS, worked } from "./support/asking.ts";
import { stand } from "./support/standing.ts";
import { spread } from "../support/cases.ts";

const WINDOW_TOKENS = 200_000;
/** Well below the threshold: nothing but the pause speaks for a compaction. */
const STEPS = 60;
const LOOK_MS = 10;
const LEAD_MS = 60_000;
const HOUR_MS = 60 * 60_000;
const ANSWER = "Read.";
const CACHED_SHARE_MIN = 0.9;

/** No thinking that is bound to what comes before it. */
const modelOf = (protocol: ProtocolName) => (protocol === "anthropic-messages" ? { model: "claude-sonnet-4-5" } : {});
/** How long its cache keeps what was sent: as the price model has it. */
const ttlOf = (protocol: ProtocolName): number => (protocol === "openai-responses" ? 30 : 5) * 60_000;

const compactions = (events: readonly GatewayEvent[]): readonly CompactionEvent[] =>
  events.filter((event): event is CompactionEvent => event.kind === "compaction");
const told = (events: readonly GatewayEvent[]): readonly string[] =>
  events.flatMap((event) => (event.kind === "notice" && event.code === "idle" ? [event.message] : []));

const QUESTION = "Write that record now, as text, and call no tool.";

/** What a good model writes when it is asked for the handoff behind the conversation. */
function answerTo({ body, protocol }: ScriptedRequest): Answer {
  if (!JSON.stringify(body).includes(QUESTION)) return { text: ANSWER };
  const asked = (body[protocols[protocol].keys.messages] as readonly unknown[]).at(-1);
  const files = [1, 2, 3].map((at) => `src/alpha/${at}.ts was read, and it says what line 12 of ${at} says.`);
  return { text: behind(JSON.stringify(asked).replaceAll("\\n", "\n"), files) };
}

async function paused(protocol: ProtocolName, idle: CachingOptions["idle"], more: Partial<GatewayOptions> = {}) {
  const clock = { nowMs: Date.UTC(2026, 10, 1) };
  const now = (): number => clock.nowMs;
  const standing = await stand({
    provider: { every: { windowTokens: WINDOW_TOKENS }, script: answerTo, now },
    gateway: {
      contextLength: WINDOW_TOKENS,
      caching: { idle },
      limits: { idleLookMs: LOOK_MS, idleLeadMs: LEAD_MS },
      now,
      ...more,
    },
  });
  const { url, gateway } = standing;
  const send = async (steps: number, words?: string) => {
    const { system, messages } = worked("alpha", steps);
    const spoken = words === undefined ? [] : [textMessage("assistant", ANSWER), textMessage("user", words)];
    const body = bodyOf(protocol, { system, messages: [...messages, ...spoken] }, modelOf(protocol));
    const answer = await ask(url, { protocol, body });
    expect(answer.status).toBe(200);
    await gateway.settled();
    return answer;
  };
  /** As time goes by, in which the gateway looks at what is idle. */
  const wait = async (ms: number): Promise<void> => {
    clock.nowMs += ms;
    await pause(LOOK_MS * 4);
    await gateway.settled();
  };
  await send(STEPS - 1);
  await send(STEPS);
  return { ...standing, send, wait };
}

describe.each(spread(PROTOCOLS, 2))("%s", (protocol) => {
  const untilLead = ttlOf(protocol) - LEAD_MS + 1_000;

  it("off: nothing is made, and nothing is told", async () => {
    const { events, send, wait } = await paused(protocol, "off");
    await wait(untilLead);
    await wait(HOUR_MS);
    expect((await send(STEPS, "Go on.")).treatment).toBe("unchanged");
    expect([compactions(events), told(events)]).toEqual([[], []]);
  });

  it("on: is compacted before the cache expires, goes out so after that, and costs less", async () => {
    const without = await paused(protocol, "off");
    const { events, send, wait, provider } = await paused(protocol, "on");
    await wait(untilLead - 10_000);
    expect(compactions(events)).toEqual([]);
    await wait(10_000);
    await wait(HOUR_MS);
    await without.wait(HOUR_MS);
    expect((await send(STEPS, "Go on.")).treatment).toMatch(/^rewritten;.*fresh$/);
    await without.send(STEPS, "Go on.");
    expect(compactions(events)).toMatchObject([
      {
        reason: "cost",
        ahead: true,
        because: expect.stringMatching(/^what follows after the cache expires costs /) as string,
      },
    ]);
    expect(provider.account().total.usd).toBeLessThan(without.provider.account().total.usd * 0.8);
  });

  it("on: what was made is not used while the cache still holds the conversation", async () => {
    const { events, send, wait } = await paused(protocol, "on");
    await wait(untilLead);
    expect((await send(STEPS, "Go on.")).treatment).toBe("unchanged");
    expect(compactions(events)).toEqual([]);
  });

  it("on: a model that writes behind the conversation still reads it from the cache", async () => {
    const { events, send, wait, provider } = await paused(protocol, "on", { summarize: "main" });
    await wait(untilLead);
    const question = provider.requests.at(-1)!;
    expect(question.body.includes(QUESTION)).toBe(true);
    const { inputTokens, cacheReadTokens } = question.use!;
    expect(cacheReadTokens / inputTokens).toBeGreaterThan(CACHED_SHARE_MIN);
    await wait(HOUR_MS);
    expect((await send(STEPS, "Go on.")).treatment).toMatch(/^rewritten;.*fresh$/);
    expect(compactions(events)).toMatchObject([{ reason: "cost", modelCalls: 1, degraded: [] }]);
  });

  it("tell: says what it would save, once, and makes nothing", async () => {
    const { events, send, wait } = await paused(protocol, "notify");
    await wait(untilLead);
    await wait(1_000);
    expect(told(events)).toEqual([
      expect.stringMatching(
        /^a conversation of [\d,]+ tokens is idle and its cache expires in 59 seconds; compacting it now pays: what follows after the cache expires costs [\d,]+ tokens' worth of input less, for 0 now/,
      ),
    ]);
    await wait(HOUR_MS);
    expect((await send(STEPS, "Go on.")).treatment).toBe("unchanged");
  });
});
