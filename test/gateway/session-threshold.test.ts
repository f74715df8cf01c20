/** The threshold that a person sets for one session: it holds in a running gateway, after a restart, and until it is removed. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { builtInName, ENGINE_NAMES } from "../../src/core/engines/names.ts";
import { textMessage, type Transcript } from "../../src/core/transcript/message.ts";
import { createHistory } from "../../src/gateway/history/history.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { thresholdFrom } from "../../src/session/threshold.ts";
import { openSqliteStore } from "../../src/store/index.ts";
import { ask, bodyOf, worked } from "./support/asking.ts";
import { atEnd, front, stand, TENANT, temporaryFolder } from "./support/standing.ts";

const WINDOW_TOKENS = 40_000;
const THRESHOLD = { tokens: 4_000 } as const;
const protocol = "openai-chat";
const headers = { "x-precis-session": "a-session" };
const which = { tenant: TENANT, id: "a-session" };

function grown(turns: number): Transcript {
  const begun = worked("alpha", 10);
  const more = Array.from({ length: turns }, (_, at) => [
    textMessage("assistant", "Done."),
    textMessage("user", `Go on with step ${at}.`),
  ]).flat();
  return { ...begun, messages: [...begun.messages, ...more] };
}

/** What a person set holds whatever it costs. */
const BY_PRICE = { contextLength: WINDOW_TOKENS, caching: { schedule: "auto" } } as const;

async function opened(path: string) {
  const store = await openSqliteStore({ path });
  return { store, history: createHistory({ store, contextLength: WINDOW_TOKENS }) };
}

it("holds from the next request on, after a restart, and until it is removed", async () => {
  const path = join(temporaryFolder(), "history.db");
  const first = await opened(path);
  const { url, provider, events, providerUrl, gateway } = await stand({
    provider: { every: { windowTokens: WINDOW_TOKENS } },
    gateway: { ...BY_PRICE, store: first.store },
  });
  const say = async (at: string, turns: number): Promise<string> => {
    const told = await ask(at, { protocol, headers, body: bodyOf(protocol, grown(turns)) });
    expect(told.status).toBe(200);
    return told.treatment ?? "";
  };
  expect(await say(url, 0)).toBe("unchanged");
  const before = (await first.history.show(which, 1)).timing!;
  expect(before.set).toBeUndefined();
  expect(before.thresholdTokens).toBeGreaterThan(THRESHOLD.tokens);

  const { tokens } = await first.history.show(which, 1);
  await first.history.setThreshold(which, { tokens: Math.ceil(tokens * 1.1) });
  expect(await say(url, 1)).toBe("unchanged");
  const told = events.flatMap((event) => (event.kind === "notice" ? [event.message] : []));
  expect(told.join("\n")).toMatch(/\(set for this session: [\d,]+ tokens\)/);

  const set = await first.history.setThreshold(which, THRESHOLD);
  expect(set).toEqual({ session: "a-session", set: THRESHOLD, thresholdTokens: THRESHOLD.tokens });
  expect((await first.history.show(which, 1)).timing).toMatchObject({
    set: THRESHOLD,
    thresholdTokens: THRESHOLD.tokens,
  });
  expect(await say(url, 2)).toMatch(/^rewritten/);
  await gateway.close();
  await first.store.close();

  // Another process: what is set is in the store.
  const second = await opened(path);
  atEnd(() => second.store.close());
  const restarted = await front(providerUrl, { ...BY_PRICE, store: second.store });
  await say(restarted.url, 3);
  expect((await second.history.context(which)).thresholdTokens).toBe(THRESHOLD.tokens);
  const share = await second.history.setThreshold(which, { share: 0.6 });
  // Of the window, half of which is where it would be compacted by itself.
  expect(before.thresholdTokens).toBe(WINDOW_TOKENS / 2);
  expect(share.thresholdTokens).toBe(WINDOW_TOKENS * 0.6);
  const removed = await second.history.setThreshold(which, undefined);
  expect(removed.thresholdTokens).toBe(before.thresholdTokens);
  await say(restarted.url, 4);
  expect((await second.history.show(which, 1)).timing).not.toHaveProperty("set");
  expect(provider.account().total.rejected).toEqual({});
});

it("holds for a request that is sent once more, also after a restart", async () => {
  const store = await openSqliteStore({ path: join(temporaryFolder(), "history.db") });
  atEnd(() => store.close());
  const history = createHistory({ store, contextLength: WINDOW_TOKENS });
  const { url, providerUrl, gateway } = await stand({
    provider: { every: { windowTokens: WINDOW_TOKENS } },
    gateway: { ...BY_PRICE, store },
  });
  const say = async (at: string, turns: number): Promise<string> =>
    (await ask(at, { protocol, headers, body: bodyOf(protocol, grown(turns)) })).treatment ?? "";
  expect([await say(url, 0), await say(url, 2), await say(url, 2)]).toEqual(["unchanged", "unchanged", "unchanged"]);
  await history.setThreshold(which, THRESHOLD);
  expect(await say(url, 0)).toMatch(/^rewritten/);
  expect(await say(url, 2)).toMatch(/^rewritten/);
  await history.setThreshold(which, undefined);
  await history.undo(which);
  await history.undo(which);
  expect(await say(url, 2)).toBe("unchanged");
  await gateway.close();

  const other = { ...headers, "x-precis-session": "another" };
  const again = await front(providerUrl, { ...BY_PRICE, store });
  const body = bodyOf(protocol, worked("beta", 10));
  const send = async (at: string) => (await ask(at, { protocol, headers: other, body })).treatment;
  expect(await send(again.url)).toBe("unchanged");
  await again.gateway.close();
  await history.setThreshold({ tenant: TENANT, id: "another" }, THRESHOLD);
  const restarted = await front(providerUrl, { ...BY_PRICE, store });
  expect(await send(restarted.url)).toMatch(/^rewritten/);
});

it("says that an undo holds compaction back, until the session is compacted", async () => {
  const store = await openSqliteStore({ path: join(temporaryFolder(), "history.db") });
  atEnd(() => store.close());
  const history = createHistory({ store, contextLength: WINDOW_TOKENS });
  const gateway = { contextLength: WINDOW_TOKENS, store };
  const { url } = await stand({ provider: { every: { windowTokens: WINDOW_TOKENS } }, gateway });
  const say = async (turns: number): Promise<string> =>
    (await ask(url, { protocol, headers, body: bodyOf(protocol, grown(turns)) })).treatment ?? "";
  await say(0);
  expect(await history.setThreshold(which, THRESHOLD)).not.toHaveProperty("undone");
  expect(await say(1)).toMatch(/^rewritten/);
  await history.undo(which);
  expect(await history.setThreshold(which, { tokens: THRESHOLD.tokens + 1 })).toMatchObject({ undone: true });
  expect(await say(2)).toBe("unchanged");
  expect(await history.compact(which, {})).toMatchObject({ kind: "compacted" });
  expect(await history.setThreshold(which, THRESHOLD)).not.toHaveProperty("undone");
  expect(await say(3)).toMatch(/^rewritten/);
});

it.each(ENGINE_NAMES.filter((name) => builtInName(name) !== "none"))("is kept by the engine %s", (engine) => {
  const settings = { contextLength: WINDOW_TOKENS };
  const at = (share: number): number =>
    createRuntime({ engine, settings: { ...settings, sessionThreshold: { share } } }).report().thresholdTokens;
  // Of one that compacts above its threshold, the first token above it is named.
  expect([8_000, 8_001]).toContain(at(0.2));
  expect([34_000, 34_001]).toContain(at(0.99));
});

it("is read as a person writes it, and refused where it cannot be one", () => {
  expect(thresholdFrom("60%")).toEqual({ share: 0.6 });
  expect(thresholdFrom(" 62.5 % ")).toEqual({ share: 0.625 });
  expect(thresholdFrom("90k")).toEqual({ tokens: 90_000 });
  expect(thresholdFrom("12000")).toEqual({ tokens: 12_000 });
  for (const text of ["", "4%", "86%", "100%", "0.5", "999", "-1", "1e9", "half", "1000.5", "200m"])
    expect(() => thresholdFrom(text), text).toThrow(expect.objectContaining({ code: "bad_threshold" }));
});
