/**
 * The provider's own compaction behind a conversation of OpenAI Responses: its item goes out in every request that follows, the
 * client notices nothing, and whatever goes wrong, the conversation is compacted all the same.
 */
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { CompactionEvent, GatewayEvent } from "../../src/gateway/contract.ts";
import type { GatewayOptions } from "../../src/gateway/index.ts";
import { ask, bodyOf, worked } from "./support/asking.ts";
import { front, stand, type Standing } from "./support/standing.ts";
import { upstreamOf, type Reply } from "./support/upstream.ts";

const WINDOW_TOKENS = 100_000;
/** Steps of some 1,170 tokens: near enough to the trigger that a compaction is made ahead, and past it. */
const NEAR = 72;
const PAST = 82;
const KEY = "sk-proj-Qx7kLm2Np9Rt4Vw8Yz3Bc6Df";
const ENDPOINT = "/v1/responses/compact";
const protocol = "openai-responses";

const options: Partial<GatewayOptions> = {
  contextLength: WINDOW_TOKENS,
  engine: "handoff",
  remoteCompaction: true,
};
const standing = (more: Partial<GatewayOptions> = {}) =>
  stand({
    provider: { every: { windowTokens: WINDOW_TOKENS }, script: { text: "Read." } },
    gateway: { ...options, ...more },
  });

const bodyAt = (steps: number, more: object = {}): string => bodyOf(protocol, worked("alpha", steps), more);

type Front = Pick<Standing, "url" | "gateway">;

async function goesOn({ url, gateway }: Front, { more = {}, key = KEY } = {}) {
  const first = await ask(url, { protocol, key, body: bodyAt(NEAR, more) });
  await gateway.settled();
  const second = await ask(url, { protocol, key, body: bodyAt(PAST, more) });
  return { first, second };
}

const compactions = (events: readonly GatewayEvent[]): readonly CompactionEvent[] =>
  events.filter((event): event is CompactionEvent => event.kind === "compaction");
const degraded = (events: readonly GatewayEvent[]): readonly string[] =>
  events.flatMap((event) => (event.kind === "notice" && event.code === "degraded" ? [event.message] : []));

describe("the provider's own compaction behind a conversation", () => {
  it.each([
    ["whole", {}],
    ["streamed", { stream: true }],
  ])("is asked for with the client's key, and its item goes out from then on: %s", async (_, more) => {
    const { provider, events, ...going } = await standing();
    const { first, second } = await goesOn(going, { more });
    expect([first.status, second.status]).toEqual([200, 200]);
    const [sent, compact, next, ...others] = provider.requests;
    expect(others).toEqual([]);
    expect(compact).toMatchObject({ path: ENDPOINT, key: sent!.key, status: 200 });
    expect(Object.keys(JSON.parse(compact!.body) as object).toSorted()).toEqual(
      expect.not.arrayContaining(["max_output_tokens", "stream", "tools"]),
    );
    expect(second.treatment).toMatch(/^rewritten/);
    expect(next!.body).toContain('"type":"compaction"');
    expect(compactions(events)).toMatchObject([{ ahead: true, modelCalls: 1, degraded: [] }]);
    expect(compactions(events)[0]!.costUsd).toBeGreaterThan(0);

    const third = await ask(going.url, { protocol, key: KEY, body: bodyAt(PAST + 2, more) });
    expect(third.status).toBe(200);
    const item = /\{[^{}]*"type":"compaction"[^{}]*\}/.exec(next!.body)![0];
    expect(provider.requests.at(-1)!.body).toContain(item);
    expect(provider.account().total.rejected).toEqual({});
  });

  it("is not asked for unless the operator says so, or by another engine", async () => {
    for (const more of [{ remoteCompaction: false }, { engine: "compressor" }, { mode: "observe" }] as const) {
      const { provider, ...going } = await standing(more);
      await goesOn(going);
      expect(provider.requests.some(({ path }) => path === ENDPOINT)).toBe(false);
    }
  });
});

/** An answer to a request of so many characters. */
const said = ({ body }: { readonly body: string }): Reply => {
  const content = [{ type: "output_text", text: "Read." }];
  const output = [{ id: "msg_1", type: "message", role: "assistant", status: "completed", content }];
  const usage = { input_tokens: Math.round(body.length / 2.7), output_tokens: 1 };
  return { pieces: [JSON.stringify({ id: "resp_1", object: "response", status: "completed", output, usage })] };
};
const refusal = (status: number, code: string): Reply => ({
  status,
  pieces: [JSON.stringify({ error: { message: `Refused ${KEY}.`, code } })],
});

describe("a compaction that its provider does not make", () => {
  it.each([
    ["is refused", () => refusal(401, "invalid_api_key"), "the provider answered 401 (invalid_api_key)"],
    ["is not served", () => refusal(404, "unknown_url"), "the provider answered 404 (unknown_url)"],
    ["fails", () => refusal(500, "server_error"), "the provider answered 500"],
    ["is no item", () => ({ pieces: ['{"output":[{"type":"message"}]}'] }), "no compaction item"],
    ["is no JSON", () => ({ pieces: ["<!doctype html>"] }), "no compaction item"],
  ])("because it %s is made here, and the operator is told", async (_why, otherwise, because) => {
    const upstream = await upstreamOf((_, got) => (got.url === ENDPOINT ? otherwise() : said(got)));
    const { events, ...gateway } = await front(upstream.url, options);
    const { second } = await goesOn(gateway);
    expect(second.treatment).toMatch(/^rewritten/);
    expect(compactions(events)).toMatchObject([{ ahead: true, degraded: [expect.stringContaining(because)] }]);
    expect(degraded(events)).toEqual([expect.stringContaining(because)]);
    expect(JSON.stringify(events)).not.toContain(KEY.slice(0, 20));
    expect(upstream.got.filter(({ url }) => url === ENDPOINT)).toHaveLength(1);
  });

  it("is not asked for again at an upstream without the endpoint", async () => {
    const upstream = await upstreamOf((_, got) => (got.url === ENDPOINT ? refusal(404, "unknown_url") : said(got)));
    const { events, ...gateway } = await front(upstream.url, options);
    await goesOn(gateway);
    await ask(gateway.url, { protocol, body: bodyOf(protocol, worked("beta", NEAR)) });
    await gateway.gateway.settled();
    await ask(gateway.url, { protocol, body: bodyOf(protocol, worked("beta", PAST)) });
    expect(upstream.got.filter(({ url }) => url === ENDPOINT)).toHaveLength(1);
    expect(degraded(events).at(-1)).toContain("the upstream does not serve /responses/compact");
  });

  it("in time is given up", async () => {
    const late = () => pause(60_000, refusal(500, "late"), { ref: false });
    const upstream = await upstreamOf((_, got) => (got.url === ENDPOINT ? late() : said(got)));
    const limits = { upstreamHeadersTimeoutMs: 300 };
    const { events, ...gateway } = await front(upstream.url, { ...options, limits });
    const { second } = await goesOn(gateway);
    expect(second.treatment).toMatch(/^rewritten/);
    expect(degraded(events)).toEqual([expect.stringMatching(/was not used.*did not begin|was not used.*answer/)]);
  });
});

describe("an item that is refused", () => {
  const item = '{"type":"compaction","id":"cmp_1","encrypted_content":"sealed"}';

  /** A conversation with the item in it, and an upstream that refuses what it is told to. */
  async function withItem(status: number, code: string) {
    const refusing = { refuses: (_body: string): boolean => false };
    const upstream = await upstreamOf((_, got) => {
      if (got.url === ENDPOINT) return { pieces: [`{"object":"response.compaction","output":[${item}]}`] };
      return refusing.refuses(got.body) ? refusal(status, code) : said(got);
    });
    const { events, ...gateway } = await front(upstream.url, options);
    const { second } = await goesOn(gateway);
    expect([second.status, upstream.got.at(-1)!.body.includes(item)]).toEqual([200, true]);
    const askAt = (steps: number) => ask(gateway.url, { protocol, key: KEY, body: bodyAt(steps) });
    return { refusing, upstream, events, askAt };
  }

  it.each([
    [400, "invalid_encrypted_content"],
    [422, "unknown_item_type"],
  ])("is replaced by a handoff, and the client sees one answer: %i %s", async (status, code) => {
    const { refusing, upstream, events, askAt } = await withItem(status, code);
    refusing.refuses = (body) => body.includes("sealed");
    const third = await askAt(PAST + 1);
    expect([third.status, upstream.got.at(-1)!.body.includes("[precis handoff")]).toEqual([200, true]);
    expect(degraded(events)).toEqual([expect.stringContaining("refused a request with the item")]);
    const before = upstream.got.length;
    const fourth = await askAt(PAST + 2);
    expect([fourth.status, upstream.got.length - before]).toEqual([200, 1]);
  });

  it("stays where the provider refuses the request for something else", async () => {
    const { refusing, upstream, askAt } = await withItem(400, "invalid_value");
    refusing.refuses = () => true;
    expect((await askAt(PAST + 1)).status).toBe(400);
    refusing.refuses = () => false;
    expect((await askAt(PAST + 2)).status).toBe(200);
    expect(upstream.got.at(-1)!.body).toContain(item);
  });
});
