/** A provider whose window was small for a while: the gateway says that it works with that window, after a restart too, and finds out by itself that it is over. */
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { NoticeEvent, RequestEvent } from "../../src/gateway/contract.ts";
import { createHistory } from "../../src/gateway/history/history.ts";
import { createProvider, type Provider } from "../../provider/src/provider.ts";
import type { ModelTraits } from "../../provider/src/traits.ts";
import type { ProtocolName } from "../../src/core/protocols.ts";
import { openSqliteStore } from "../../src/store/index.ts";
import { ask, bodyOf, worked, type Told } from "./support/asking.ts";
import { atEnd, front, temporaryFolder, TENANT } from "./support/standing.ts";

const STATED_TOKENS = 50_000;
const SMALL_TOKENS = 16_000;
const LARGE_TOKENS = 32_000;
const HOUR_MS = 60 * 60_000;
/** Steps of about 21,000 tokens, and of about 13,000: above the small window, and above its threshold. */
const ABOVE_WINDOW = 18;
const BARELY_ABOVE_WINDOW = 15;
const ABOVE_THRESHOLD = 11;

interface Server {
  readonly url: string;
  readonly current: () => Provider;
  /** Another provider, at the same address. */
  readonly change: (windowTokens: number) => Promise<void>;
  readonly refused: () => number;
}

async function serve(windowTokens: number, every: Partial<ModelTraits> = {}): Promise<Server> {
  const made = (tokens: number) =>
    createProvider({ every: { ...every, windowTokens: tokens }, script: { text: "Done." } });
  let provider = made(windowTokens);
  let listening = await provider.listen();
  const { url } = listening;
  atEnd(() => listening.close());
  return {
    url,
    current: () => provider,
    refused: () => provider.account().total.rejected["window"] ?? 0,
    change: async (tokens) => {
      await listening.close();
      provider = made(tokens);
      listening = await provider.listen({ port: Number(new URL(url).port) });
    },
  };
}

/** A gateway on that file; each of its own process, as far as memory goes. */
async function gatewayOn(path: string, upstream: string, now: () => number) {
  const store = await openSqliteStore({ path });
  atEnd(store.close);
  const standing = await front(upstream, { store, now, contextLength: STATED_TOKENS });
  const history = createHistory({ store, contextLength: STATED_TOKENS });
  const notices = (code: string) =>
    standing.events.filter((event): event is NoticeEvent => event.kind === "notice" && event.code === code);
  const windows = () =>
    standing.events.filter((event): event is RequestEvent => event.kind === "request").map(({ window }) => window);
  return { ...standing, store, history, notices, windows };
}

function asking(protocol: ProtocolName, url: string, name: string, steps: number, more = {}): Promise<Told> {
  return ask(url, { protocol, body: bodyOf(protocol, worked(name, steps), more) });
}

describe("a provider that refuses above 16,000 tokens, and later accepts 32,000", () => {
  it("is believed after a restart, said so everywhere, and tried again after an hour", async () => {
    const [path, server] = [join(temporaryFolder(), "history.db"), await serve(SMALL_TOKENS)];
    let clockMs = Date.now();
    const first = await gatewayOn(path, server.url, () => clockMs);
    expect((await asking("openai-chat", first.url, "alpha", ABOVE_WINDOW)).status).toBe(200);
    await vi.waitFor(() => expect(first.notices("window_learned")).toHaveLength(1));
    const [{ window, message } = { window: undefined, message: "" }] = first.notices("window_learned");
    expect(window).toMatchObject({ from: "learned", tokens: SMALL_TOKENS, learned: { by: "named" } });
    expect(window?.learned?.refusedTokens).toBeGreaterThan(SMALL_TOKENS);
    expect(message).toMatch(/counts as 16,000 tokens, learned just now, when http\S+ refused a request of [\d,]+/);
    await vi.waitFor(async () => expect(await first.history.windows({})).toHaveLength(1));
    await server.change(LARGE_TOKENS);

    const second = await gatewayOn(path, server.url, () => clockMs);
    expect((await asking("openai-chat", second.url, "beta", ABOVE_THRESHOLD)).treatment).toMatch(/^rewritten/);
    const [remembered] = second.notices("window_remembered");
    expect(remembered).toMatchObject({ window: { tokens: SMALL_TOKENS, learned: { upstream: `${server.url}` } } });
    expect(remembered?.message).toContain("The dashboard can forget it");
    await vi.waitFor(() => expect(second.windows()).toMatchObject([{ from: "learned", tokens: SMALL_TOKENS }]));
    const shown = (await second.history.list(TENANT, 1))[0]!;
    expect(shown.window).toMatchObject({ from: "learned", tokens: SMALL_TOKENS });

    clockMs += HOUR_MS;
    expect((await asking("openai-chat", second.url, "gamma", ABOVE_WINDOW)).treatment).toBe("unchanged");
    await vi.waitFor(() => expect(second.notices("window_forgotten")).toHaveLength(1));
    expect(second.notices("window_remembered")).toHaveLength(1);
    expect(server.refused()).toBe(0);
    await vi.waitFor(async () => expect(await second.history.windows({})).toEqual([]));
    expect((await second.history.list(TENANT, 9)).map((one) => one.window)).toEqual(
      Array.from({ length: 3 }, () => ({ from: "setting", tokens: STATED_TOKENS })),
    );
  });

  it("costs one refusal an hour at first where it stays as small, which the client does not see", async () => {
    const [path, server] = [join(temporaryFolder(), "history.db"), await serve(SMALL_TOKENS)];
    let clockMs = Date.now();
    const gateway = await gatewayOn(path, server.url, () => clockMs);
    for (const [hours, refusals] of [
      [0, 1],
      [0.9, 1],
      [0.1, 2],
      [1.9, 2],
      [0.1, 3],
    ] as const) {
      clockMs += hours * HOUR_MS;
      const told = await asking("openai-chat", gateway.url, `at ${clockMs}`, ABOVE_WINDOW);
      expect([told.status, server.refused()]).toEqual([200, refusals]);
    }
    await vi.waitFor(() => expect(gateway.notices("window_learned")).toHaveLength(3));
    expect(gateway.notices("window_learned").map(({ window }) => window?.tokens)).toEqual([
      SMALL_TOKENS,
      SMALL_TOKENS,
      SMALL_TOKENS,
    ]);
  });

  it("is compacted to what was learned at once where a trial is refused in an error that names no window", async () => {
    const [path, server] = [
      join(temporaryFolder(), "history.db"),
      await serve(SMALL_TOKENS, { overflowError: "bedrock" }),
    ];
    let clockMs = Date.now();
    const gateway = await gatewayOn(path, server.url, () => clockMs);
    await asking("openai-chat", gateway.url, "alpha", BARELY_ABOVE_WINDOW);
    await vi.waitFor(() => expect(gateway.notices("window_learned")).toHaveLength(1));
    const before = server.refused();
    const learned = gateway.notices("window_learned")[0]?.window;
    clockMs += HOUR_MS;
    const told = await asking("openai-chat", gateway.url, "beta", ABOVE_WINDOW);
    expect([told.status, server.refused()]).toEqual([200, before + 1]);
    await vi.waitFor(() => expect(gateway.notices("window_learned")).toHaveLength(2));
    expect(gateway.notices("window_learned")[1]?.window?.tokens).toBe(learned?.tokens);
  });

  it("that counts the output is known to be over from the first sum that it accepts", async () => {
    const [path, server] = [join(temporaryFolder(), "history.db"), await serve(SMALL_TOKENS)];
    const gateway = await gatewayOn(path, server.url, Date.now);
    await asking("anthropic-messages", gateway.url, "alpha", 8, { max_tokens: 7_500 });
    await vi.waitFor(() => expect(gateway.notices("window_learned")).toHaveLength(1));
    expect(gateway.notices("window_learned")[0]?.window?.learned).toMatchObject({ countsOutput: true });
    await server.change(LARGE_TOKENS);
    await asking("anthropic-messages", gateway.url, "beta", 3, { max_tokens: 15_500 });
    await vi.waitFor(() => expect(gateway.notices("window_forgotten")).toHaveLength(1));
    const whole = await asking("anthropic-messages", gateway.url, "gamma", 8);
    expect(whole.treatment).toBe("unchanged");
  });

  it("is forgotten by an operator beside the gateway, from the next request on", async () => {
    const [path, server] = [join(temporaryFolder(), "history.db"), await serve(SMALL_TOKENS)];
    const gateway = await gatewayOn(path, server.url, Date.now);
    await asking("openai-chat", gateway.url, "alpha", ABOVE_WINDOW);
    await vi.waitFor(async () => expect(await gateway.history.windows({})).toHaveLength(1));
    await server.change(LARGE_TOKENS);
    const other = await openSqliteStore({ path });
    expect(await createHistory({ store: other }).forgetWindows({ tenant: TENANT })).toHaveLength(1);
    await other.close();
    expect((await asking("openai-chat", gateway.url, "beta", ABOVE_WINDOW)).treatment).toBe("unchanged");
  });
});
