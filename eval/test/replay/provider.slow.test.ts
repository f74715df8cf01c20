/**
 * The replay's figures against an account that knows nothing of it: every request that a strategy sends with the cache is
 * sent to the strict provider too, by the same clock, and both say the same of each, to the token and to the cent.
 */
import { afterAll, describe, expect, it } from "vitest";
import { createProvider, type Provider } from "../../../provider/src/provider.ts";
import { billOf, usdOf } from "../../src/replay/bill.ts";
import { replay } from "../../src/replay/replay.ts";
import type { Sent } from "../../src/replay/run.ts";
import { strategiesOf, type Strategy } from "../../src/replay/strategies.ts";
import type { ReplayTerms, TermsQuery } from "../../src/replay/terms.ts";
import type { ProtocolName } from "../../../src/core/protocols.ts";
import { wires } from "../../../provider/src/wires.ts";
import { PROTOCOL_MODELS } from "../../../provider/test/models.ts";
import { recordingIn, termsFor } from "./sessions.ts";

const pathOf = (protocol: ProtocolName): string =>
  wires[protocol].agent.pathOf({ model: PROTOCOL_MODELS[protocol], stream: false });
const NOTHING_SENT = { input: 0, read: 0, write5m: 0, write1h: 0, write: 0 };
const ENDLESS_TOKENS = 10_000_000;
/** Sums of some hundred amounts, in another order. */
const DIGITS = 9;

const open: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of open) await close();
});

/** A server for each strategy, so that none reads what another wrote. */
async function servers({ tokenFactor }: ReplayTerms) {
  const clock = { nowMs: 0 };
  const known = new Map<Strategy, { readonly provider: Provider; readonly url: string }>();
  const serverOf = async (strategy: Strategy) => {
    const running = known.get(strategy);
    if (running !== undefined) return running;
    const provider = createProvider({
      every: { windowTokens: ENDLESS_TOKENS, tokenFactor },
      script: { text: "Noted." },
      now: () => clock.nowMs,
    });
    const { url, close } = await provider.listen();
    open.push(close);
    const server = { provider, url };
    known.set(strategy, server);
    return server;
  };
  return { clock, serverOf, known };
}

async function replayed(protocol: ProtocolName, more: Partial<TermsQuery>) {
  const terms = termsFor(protocol, more);
  const { clock, serverOf, known } = await servers(terms);
  const differences: string[] = [];
  const ask = async ({ strategy, body, replayed: ours }: Sent): Promise<void> => {
    if (!strategy.caching) return;
    clock.nowMs = ours.atMs;
    const { provider, url } = await serverOf(strategy);
    const headers = {
      "content-type": "application/json",
      "x-api-key": "k",
      authorization: "Bearer k",
      "anthropic-version": "2023-06-01",
    };
    const response = await fetch(`${url}${pathOf(protocol)}`, { method: "POST", headers, body });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${strategy.name}: ${text}`);
    const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens, cacheWriteTokens } =
      provider.requests.at(-1)!.use!;
    const theirs = [inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens, cacheWriteTokens];
    const { input, read, write5m, write1h, write } = ours.use;
    if (theirs.join() !== [input, read, write5m, write1h, write].join())
      differences.push(`${strategy.name}: ${JSON.stringify(ours.use)} here, ${theirs.join()} there`);
  };
  const options = {
    terms,
    strategies: strategiesOf(["compressor"], ["threshold", "cost"]),
    gapMs: 1,
    onSent: ask,
  };
  return { terms, known, differences, result: await replay(recordingIn(protocol), options) };
}

const CASES: readonly (readonly [string, ProtocolName, Partial<TermsQuery>])[] = [
  ["Anthropic's, for five minutes", "anthropic-messages", {}],
  ["Anthropic's, for an hour, in tokens of its own", "anthropic-messages", { tokenFactor: 1.18, ttl: "1h" }],
  ["Anthropic's, the last three messages marked", "anthropic-messages", { strategy: "system_and_3" }],
  ["OpenAI's by itself", "openai-chat", { tokenFactor: 1.18 }],
  ["OpenAI's with breakpoints", "openai-responses", {}],
];

describe("each request of a replay", () => {
  it.each(CASES)("costs what the strict provider says, cache of %s", async (_, protocol, more) => {
    const { terms, known, differences, result } = await replayed(protocol, more);
    expect(differences).toEqual([]);
    for (const [strategy, { provider }] of known) {
      const { requests, totals } = result.runs.find((run) => run.strategy === strategy)!;
      const { tokens, usd, answered } = provider.account().total;
      expect(answered).toBe(requests.length);
      const { input, read, written } = totals;
      expect([input, read, written]).toEqual([tokens.input, tokens.cacheRead, tokens.cacheWrite]);
      // Its answers are its own; what was asked is the same.
      const answers = usdOf(billOf(NOTHING_SENT, tokens.output, terms.prices));
      expect(totals.usd - totals.bill.output).toBeCloseTo(usd - answers, DIGITS);
    }
    // There were entries that expired, compactions, and something to read, under each strategy with a cache.
    const cached = result.runs.filter(({ strategy }) => strategy.caching);
    expect(known.size).toBe(3);
    expect(cached.map(({ totals }) => totals.busts.expired)).toEqual(more.ttl === "1h" ? [0, 0, 0] : [2, 2, 2]);
    expect(cached.map(({ totals }) => totals.compactions > 0)).toEqual([false, true, true]);
    expect(cached.every(({ totals }) => totals.read > totals.input / 2)).toBe(true);
  });
});
