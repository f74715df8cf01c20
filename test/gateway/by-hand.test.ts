/** Pins, and messages dropped by hand, over the operator's HTTP calls, in every protocol, with the strict provider behind the gateway. */
import { describe, expect, it } from "vitest";
import { textMessage, type Transcript } from "../../src/core/transcript/message.ts";
import { createHistory } from "../../src/gateway/history/history.ts";
import { createMetrics } from "../../src/gateway/operation/metrics.ts";
import { createOwnRoutes } from "../../src/gateway/operation/own-routes.ts";
import { createTally } from "../../src/gateway/operation/tally.ts";
import { createMemoryStore } from "../../src/store/index.ts";
import { ask, bodyOf, PROTOCOLS, worked } from "./support/asking.ts";
import { stand } from "./support/standing.ts";

const TOKEN = "a token of the operator";
const WINDOW_TOKENS = 40_000;
const FACT = "The release port is 8443, not 443.";
const begun = worked("alpha", 10);

function longer({ messages, ...rest }: Transcript, name: string, steps: number): Transcript {
  return { ...rest, messages: [...messages, textMessage("assistant", "Done."), ...worked(name, steps).messages] };
}

async function standing() {
  const store = createMemoryStore();
  const status = () => ({
    version: "1",
    mode: "",
    upstreams: {},
    store: "",
    upSeconds: 0,
    totals: createTally().totals(),
  });
  const own = createOwnRoutes({
    metrics: createMetrics({ upstreams: [], processMetrics: false }),
    status,
    checkStore: async () => undefined,
    stopping: () => false,
    loopback: true,
    token: TOKEN,
    history: createHistory({ store, contextLength: WINDOW_TOKENS }),
  });
  const stood = await stand({
    provider: { every: { windowTokens: WINDOW_TOKENS } },
    gateway: { contextLength: WINDOW_TOKENS, store, ownRoutes: (request) => own.fetch(request) },
  });
  const call = async (path: string, body?: object) => {
    const response = await fetch(`${stood.url}/_precis/api/sessions/a-session${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Record<string, unknown> & { readonly error?: { readonly code: string } };
    return { status: response.status, code: answer.error?.code, answer };
  };
  return { ...stood, call };
}

describe.each(PROTOCOLS)("with %s", (protocol) => {
  const headers = { "x-precis-session": "a-session" };

  it("what is pinned outlives compactions, and what is dropped is not sent", async () => {
    const { url, provider, call } = await standing();
    const say = async (transcript: Transcript) => {
      const told = await ask(url, { protocol, headers, body: bodyOf(protocol, transcript) });
      expect(told.status).toBe(200);
      return { treatment: told.treatment, sent: provider.requests.at(-1)!.body };
    };
    await say(begun);
    // Two exchanges go, one stays: the sixth, of which only the result is named.
    expect(await call("/drop", { messages: "4-7" })).toMatchObject({ status: 200, answer: { kind: "compacted" } });
    expect(await call("/pin", { messages: "13" })).toMatchObject({ status: 200 });
    expect(await call("/pin", { fact: FACT })).toMatchObject({ status: 200 });
    expect((await call("/pins")).answer["pins"]).toMatchObject([{ messages: { from: 13, to: 13 } }, { fact: FACT }]);

    const next = await say({
      ...begun,
      messages: [...begun.messages, textMessage("assistant", "On."), textMessage("user", "Go on.")],
    });
    expect(next.treatment).toMatch(/^rewritten/);
    expect(next.sent).not.toContain("alpha line 12 of 2:");
    expect(next.sent).toContain("dropped by hand. Originals: recall r");
    expect(next.sent).toContain("alpha line 12 of 0:");

    const grown = longer(begun, "beta", 18);
    const compacted = await say(grown);
    expect(compacted.treatment).toMatch(/^rewritten;.*fresh$/);
    expect(compacted.sent).toContain("[precis handoff 1]");
    expect(compacted.sent).toContain(FACT);
    expect(compacted.sent).toContain("alpha line 12 of 5:");
    for (const step of [1, 2]) expect(compacted.sent).not.toContain(`src/alpha/${step}.ts`);
    expect(provider.account().total.rejected).toEqual({});

    const [fact] = ((await call("/pins")).answer["pins"] as { id: string; fact?: string }[]).filter((one) => one.fact);
    expect((await call("/unpin", { pin: fact!.id })).answer["pins"]).toHaveLength(1);
    expect((await call("/undo", {})).status).toBe(200);
  });

  it("an edited handoff is sent as it was edited, accepted by the provider, and taken back by undo", async () => {
    const { url, provider, call } = await standing();
    await ask(url, { protocol, headers, body: bodyOf(protocol, begun) });
    const { answer } = await call("/compact", { preview: true, budget: "30%" });
    const edited = await call(`/previews/${String(answer["preview"])}`, { handoff: `## Goal\n- ${FACT}` });
    expect(edited).toMatchObject({ status: 200, answer: { kind: "preview", report: { summary: { edited: true } } } });
    const applied = await call("/compact", { apply: edited.answer["preview"] });
    expect(applied).toMatchObject({ status: 200, answer: { kind: "compacted" } });
    const body = bodyOf(protocol, longer(begun, "beta", 1));
    expect((await ask(url, { protocol, headers, body })).treatment).toMatch(/^rewritten/);
    expect(provider.requests.at(-1)!.body).toContain(FACT);
    expect((await call("/undo", {})).status).toBe(200);
    expect((await ask(url, { protocol, headers, body })).treatment).toBe("unchanged");
    expect(provider.account().total.rejected).toEqual({});
  });

  it("one result is compacted, and comes back by undo", async () => {
    const { url, provider, call } = await standing();
    const body = bodyOf(protocol, begun);
    await ask(url, { protocol, headers, body });
    const { answer } = await call("/compact", { messages: "5" });
    expect(answer).toMatchObject({ kind: "compacted", report: { messages: { edited: 1, summarised: 0 } } });
    const longerBody = bodyOf(protocol, longer(begun, "beta", 1));
    await ask(url, { protocol, headers, body: longerBody });
    expect(provider.requests.at(-1)!.body).toMatch(/recall r[0-9a-f]{16}|r[0-9a-f]{16}/);
    expect((await call("/undo", {})).status).toBe(200);
    expect((await ask(url, { protocol, headers, body: longerBody })).treatment).toBe("unchanged");
    expect(provider.account().total.rejected).toEqual({});
  });
});

it("refuses what is not there, what is pinned, and what is newest", async () => {
  const { url, call } = await standing();
  const headers = { "x-precis-session": "a-session" };
  await ask(url, { protocol: "openai-chat", headers, body: bodyOf("openai-chat", begun) });
  await call("/pin", { messages: "5-6" });
  const refused = async (path: string, body: object) => {
    const { status, code } = await call(path, body);
    return [status, code];
  };
  expect(await refused("/drop", { messages: "6" })).toEqual([409, "pinned"]);
  expect(await refused("/drop", { messages: "1" })).toEqual([400, "bad_range"]);
  expect(await refused("/drop", { messages: "90" })).toEqual([400, "bad_range"]);
  expect(await refused("/drop", {})).toEqual([400, "bad_query"]);
  expect(await refused("/pin", {})).toEqual([400, "bad_pin"]);
  expect(await refused("/pin", { fact: " " })).toEqual([400, "bad_pin"]);
  expect(await refused("/unpin", { pin: "p000000" })).toEqual([404, "unknown_pin"]);
  expect((await call("/undo", {})).code).toBe("nothing_to_undo");
});
