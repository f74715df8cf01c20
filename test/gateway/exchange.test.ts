/** What the gateway does about requests, seen from both of its sides: modes, branches, counts, and requests it leaves alone. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { textMessage, type Transcript } from "../../src/core/transcript/message.ts";
import { openSqliteStore } from "../../src/store/index.ts";
import { initialFactor } from "../../src/session/state.ts";
import { createMeasure } from "../../src/core/transcript/measure.ts";
import { PROTOCOL_MODELS } from "../../provider/test/models.ts";
import { ask, bodyOf, MAX_OUTPUT_TOKENS, PROTOCOLS, worked } from "./support/asking.ts";
import { atEnd, front, stand, temporaryFolder, TENANT } from "./support/standing.ts";
import { unmarked } from "./support/unmarked.ts";
import { spread } from "../support/cases.ts";

const WINDOW_TOKENS = 16_000;
/** Below the threshold, and above it. */
const [SHORT, PAST] = [3, 14];
/** Where the window is made for them: near the threshold, and certainly above it. */
const NEAR = 11;
/** Long before this many steps the window is full. */
const STEPS_MAX = 10 * NEAR;
const small = { provider: { every: { windowTokens: WINDOW_TOKENS } }, gateway: { contextLength: WINDOW_TOKENS } };
const said = (transcript: Transcript, text: string): Transcript => ({
  ...transcript,
  messages: [...transcript.messages, textMessage("assistant", "Done."), textMessage("user", text)],
});

describe.each(spread(PROTOCOLS, 2))("%s", (protocol) => {
  it("goes on byte for byte while there is room, and its usage is kept", async () => {
    const { provider, url, store } = await stand(small);
    const body = bodyOf(protocol, worked("short", SHORT));
    expect(await ask(url, { protocol, body })).toMatchObject({ status: 200, treatment: "unchanged" });
    expect(unmarked(provider.requests[0]!.body)).toBe(unmarked(body));
    const [session] = await store.listSessions(TENANT, { limit: 1 });
    const used = await store.listUsage(TENANT, await store.readLinks(TENANT, session!.head));
    expect(used.map(({ input }) => input)).toEqual([provider.account().total.tokens.input]);
  });

  it("is compacted above the threshold, and the same from then on", async () => {
    const { provider, url, store } = await stand(small);
    const first = await ask(url, { protocol, body: bodyOf(protocol, worked("long", PAST)) });
    const again = await ask(url, { protocol, body: bodyOf(protocol, worked("long", PAST)) });
    const more = await ask(url, { protocol, body: bodyOf(protocol, said(worked("long", PAST), "Go on.")) });
    expect(first.treatment).toMatch(/^rewritten; before=\d+; after=\d+; fresh$/);
    expect([again.treatment, more.treatment]).toEqual([
      expect.stringMatching(/^rewritten; before=\d+; after=\d+$/),
      expect.stringMatching(/^rewritten; before=\d+; after=\d+$/),
    ]);
    const [one, two] = provider.requests.map(({ body }) => body);
    expect(two).toBe(one);
    expect((await store.holdings(TENANT)).compactions).toBe(1);
  });

  it("is prepared ahead near the threshold, and put in place when it is due", async () => {
    const tokens = createMeasure().transcript(worked("near", NEAR)) * initialFactor(PROTOCOL_MODELS[protocol]);
    const { url, gateway, events, store } = await stand({
      // Where nothing is cached, nothing speaks against the threshold.
      gateway: { contextLength: 2 * Math.ceil(tokens / 0.9) + MAX_OUTPUT_TOKENS, caching: { enabled: false } },
    });
    const treatments: string[] = [];
    for (let steps = NEAR; steps < STEPS_MAX && treatments.every((one): boolean => one === "unchanged"); steps++) {
      expect((await store.holdings(TENANT)).compactions).toBe(0);
      treatments.push((await ask(url, { protocol, body: bodyOf(protocol, worked("near", steps)) })).treatment);
      await gateway.settled();
    }
    expect(treatments[0]).toBe("unchanged");
    expect(treatments.at(-1)).toMatch(/^rewritten.*fresh$/);
    expect(events).toContainEqual(expect.objectContaining({ kind: "compaction", ahead: true }));
  });

  it("is only watched where nothing is to be rewritten", async () => {
    const { provider, url, store } = await stand({
      provider: {},
      gateway: { contextLength: WINDOW_TOKENS, mode: "observe" },
    });
    const body = bodyOf(protocol, worked("watched", PAST));
    const told = await ask(url, { protocol, body });
    expect(told.treatment).toMatch(/^observed; before=\d+; after=\d+$/);
    expect(provider.requests[0]!.body).toBe(body);
    const holdings = await store.holdings(TENANT);
    expect([holdings.compactions, holdings.originals]).toEqual([0, 0]);
    expect(holdings.messages).toBe(worked("watched", PAST).messages.length);
  });

  it("is left alone where compaction is off", async () => {
    const { provider, url } = await stand({ gateway: { contextLength: WINDOW_TOKENS, mode: "off" } });
    const body = bodyOf(protocol, worked("off", PAST));
    expect((await ask(url, { protocol, body })).treatment).toBe("unchanged");
    expect(unmarked(provider.requests[0]!.body)).toBe(unmarked(body));
  });
});

describe("many at once", () => {
  it("on one conversation get one compaction, through whichever gateway", async () => {
    const path = join(temporaryFolder(), "history.db");
    const stores = [await openSqliteStore({ path }), await openSqliteStore({ path })];
    const { provider, providerUrl, url } = await stand({ ...small, gateway: { ...small.gateway, store: stores[0]! } });
    const other = await front(providerUrl, { ...small.gateway, store: stores[1]! });
    for (const store of stores) atEnd(store.close);
    const body = bodyOf("openai-chat", worked("crowd", PAST));
    const told = await Promise.all(
      Array.from({ length: 12 }, (_, at) => ask(at % 2 === 0 ? url : other.url, { protocol: "openai-chat", body })),
    );
    expect(new Set(told.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(provider.requests.map(({ body: sent }) => sent)).size).toBe(1);
    expect((await stores[0]!.holdings(TENANT)).compactions).toBe(1);
  });
});

describe("a request that went out once", () => {
  it("goes out as it did, whatever its own answer taught, here and after a restart", async () => {
    const protocol = "openai-chat";
    const tokens = createMeasure().transcript(worked("again", NEAR));
    const contextLength = 2 * Math.ceil(tokens / 0.9) + MAX_OUTPUT_TOKENS;
    const gateway = { contextLength, caching: { enabled: false } };
    const { provider, providerUrl, url, store } = await stand({ provider: { every: { tokenFactor: 1.4 } }, gateway });
    const body = bodyOf(protocol, worked("again", NEAR));
    expect((await ask(url, { protocol, body })).treatment).toBe("unchanged");
    expect((await ask(url, { protocol, body })).treatment).toBe("unchanged");
    const restarted = await front(providerUrl, { ...gateway, store });
    expect((await ask(restarted.url, { protocol, body })).treatment).toBe("unchanged");
    expect(new Set(provider.requests.map(({ body: sent }) => sent))).toEqual(new Set([body]));
    // What it taught counts for the next one.
    const next = await ask(url, { protocol, body: bodyOf(protocol, said(worked("again", NEAR), "Go on.")) });
    expect(next.treatment).toMatch(/^rewritten.*fresh$/);
  });
});

describe("a branch", () => {
  it("keeps the compaction of what it shares, and is known as a branch of where it came from", async () => {
    const { url, store } = await stand(small);
    const protocol = "openai-chat";
    const base = worked("tree", PAST);
    await ask(url, { protocol, body: bodyOf(protocol, base) });
    await ask(url, { protocol, body: bodyOf(protocol, said(base, "Left.")) });
    const right = await ask(url, { protocol, body: bodyOf(protocol, said(base, "Right.")) });
    expect(right.treatment).toMatch(/^rewritten; before=\d+; after=\d+$/);
    const sessions = await store.listSessions(TENANT, { limit: 10 });
    expect(sessions).toHaveLength(2);
    const branch = sessions.find(({ parent }) => parent !== undefined);
    expect(sessions.map(({ id }) => id)).toContain(branch?.parent);
    expect((await store.holdings(TENANT)).compactions).toBe(1);
  });

  it("bears the name that the client gives its session", async () => {
    const { url, store } = await stand(small);
    const body = bodyOf("openai-chat", worked("named", SHORT));
    await ask(url, { protocol: "openai-chat", body, headers: { "x-precis-session": "monday" } });
    expect((await store.getSession(TENANT, "monday"))?.messages).toBe(worked("named", SHORT).messages.length);
  });
});

describe("a request that is left alone", () => {
  it("has its history at the provider", async () => {
    const { provider, url } = await stand(small);
    const body = bodyOf("openai-responses", worked("held", SHORT), { store: true });
    const first = await ask(url, { protocol: "openai-responses", body });
    const { id } = JSON.parse(first.text) as { id: string };
    const next = JSON.stringify({
      model: (JSON.parse(body) as { model: string }).model,
      previous_response_id: id,
      input: "Go on.",
    });
    const told = await ask(url, { protocol: "openai-responses", body: next });
    expect(told.treatment).toBe("untouched; because=held_by_provider");
    expect(unmarked(provider.requests.at(-1)!.body)).toBe(unmarked(next));
  });

  it("is its client's own compaction", async () => {
    const { provider, url } = await stand({ gateway: { contextLength: WINDOW_TOKENS } });
    const asking = said(
      worked("own", PAST),
      "Your task is to create a detailed summary of the conversation so far, paying close attention.",
    );
    const body = bodyOf("anthropic-messages", asking);
    const told = await ask(url, { protocol: "anthropic-messages", body });
    expect(told.treatment).toBe("untouched; because=client_compaction");
    expect(unmarked(provider.requests[0]!.body)).toBe(unmarked(body));
  });

  it("is one that cannot be read: the provider says what is wrong with it", async () => {
    const { provider, url } = await stand(small);
    const told = await ask(url, { protocol: "openai-chat", body: '{"model": "gpt-5.5", "messages": [{]}' });
    expect(told.status).toBe(400);
    expect(told.treatment).toBe("untouched; because=unreadable");
    expect(provider.requests).toHaveLength(1);
  });
});

describe("a count of tokens", () => {
  it("is of what would be sent: with what stands, and without deciding anything", async () => {
    const { provider, url, store } = await stand(small);
    const protocol = "anthropic-messages";
    const { max_tokens: _, ...counted } = JSON.parse(bodyOf(protocol, worked("count", PAST))) as { max_tokens: number };
    const count = async (): Promise<number> => {
      const response = await fetch(`${url}/v1/messages/count_tokens`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": "key", "anthropic-version": "2023-06-01" },
        body: JSON.stringify(counted),
      });
      return ((await response.json()) as { input_tokens: number }).input_tokens;
    };
    const before = await count();
    expect((await store.holdings(TENANT)).messages).toBe(0);
    await ask(url, { protocol, body: bodyOf(protocol, worked("count", PAST)) });
    const after = await count();
    expect(after).toBeLessThan(before * 0.8);
    expect(after).toBe(provider.requests.find(({ path }) => path === "/v1/messages")?.use?.inputTokens);
  });
});

describe("a listener that throws", () => {
  it("harms no request, and not the process", async () => {
    const { url } = await stand({
      gateway: {
        onEvent: () => {
          throw new Error("a listener of an operator's own");
        },
      },
    });
    for (const name of ["one", "two"]) {
      const told = await ask(url, { protocol: "openai-chat", body: bodyOf("openai-chat", worked(name, 1)) });
      expect(told).toMatchObject({ status: 200, treatment: "unchanged" });
    }
  });
});

describe("everything else", () => {
  it("is passed on as it is: model lists, unknown paths, upstreams by header and by path", async () => {
    const { url, providerUrl } = await stand();
    const models = await fetch(`${url}/v1/models`, { headers: { authorization: "Bearer key" } });
    const direct = await fetch(`${providerUrl}/v1/models`, { headers: { authorization: "Bearer key" } });
    expect(models.headers.get("x-precis")).toBe("passed");
    expect(await models.json()).toEqual(await direct.json());
    expect((await fetch(`${url}/v1/nothing`, { method: "DELETE" })).status).toBe(404);
    const other = await stand({
      gateway: { upstreams: { mine: { url: providerUrl }, openai: { url: "http://127.0.0.1:9" } } },
    });
    const body = bodyOf("openai-chat", worked("mine", 1));
    const byHeader = await ask(other.url, { protocol: "openai-chat", body, headers: { "x-precis-upstream": "mine" } });
    const byPath = await ask(`${other.url}/upstreams/mine`, { protocol: "openai-chat", body });
    expect([byHeader.status, byPath.status]).toEqual([200, 200]);
  });
});
