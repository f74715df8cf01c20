/**
 * The replay's figures against an account that knows nothing of it, and against a model of the caches that shares no code with either: every
 * request that a strategy sends with the cache is sent to the strict provider too, by the same clock, and all say the same of each, to the token and to the cent.
 */
import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { createProvider, type Provider } from "../../../provider/src/provider.ts";
import { dollars } from "../../../provider/src/account.ts";
import { NO_CACHE_USE } from "../../../provider/src/caches/entries.ts";
import { replay } from "../../src/replay/replay.ts";
import { strategiesOf, type Sent, type Strategy } from "../../src/replay/run.ts";
import type { ReplayTerms, TermsQuery } from "../../src/replay/terms.ts";
import type { ProtocolName } from "../../../src/core/protocols.ts";
import { agentForms } from "../../../test/support/agent/forms.ts";
import { PROTOCOL_MODELS } from "../../../provider/test/models.ts";
import { estimateText } from "../../../src/core/transcript/estimate.ts";
import type { TokenUse } from "../../../provider/src/contract.ts";
import { rulesOf } from "../../../test/gateway/support/cache-witness.ts";
import { createPrefixCache } from "../../../test/gateway/support/prompt-cache/prefix-cache.ts";
import { cachePrompts } from "../../../test/gateway/support/prompt-cache/prompts.ts";
import { recordingIn, termsFor } from "./sessions.ts";

const pathOf = (protocol: ProtocolName): string =>
  agentForms[protocol].pathOf({ model: PROTOCOL_MODELS[protocol], stream: false });
const ENDLESS_TOKENS = 10_000_000;
/** Sums of some hundred amounts, in another order. */
const DIGITS = 9;

const open: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of open) await close();
});

interface Server {
  readonly provider: Provider;
  readonly url: string;
  readonly ask: (body: string, atMs: number) => TokenUse;
}

/** The tests' own model of a prompt cache. */
function modelOf(protocol: ProtocolName, model: string, tokenFactor: number): Server["ask"] {
  const cache = createPrefixCache((text) => hash("sha256", text));
  return (body, atMs) => {
    const prompt = cachePrompts[protocol](JSON.parse(body) as Readonly<Record<string, unknown>>, estimateText);
    const blocks = prompt.blocks.map((block) => ({ ...block, tokens: Math.ceil(block.tokens * tokenFactor) }));
    const { input, read, write5m, write1h, write } = cache.ask({ ...prompt, blocks }, rulesOf(model, protocol), atMs);
    return {
      inputTokens: input,
      cacheReadTokens: read,
      cacheWrite5mTokens: write5m,
      cacheWrite1hTokens: write1h,
      cacheWriteTokens: write,
    };
  };
}

/** A server for each strategy, so that none reads what another wrote. */
async function servers({ tokenFactor, model, protocol }: ReplayTerms) {
  const clock = { nowMs: 0 };
  const known = new Map<Strategy, Server>();
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
    const server = { provider, url, ask: modelOf(protocol, model, tokenFactor) };
    known.set(strategy, server);
    return server;
  };
  return { clock, serverOf, known };
}

async function replayed(protocol: ProtocolName, more: Partial<TermsQuery>) {
  const terms = termsFor(protocol, more);
  const { clock, serverOf, known } = await servers(terms);
  const differences: string[] = [];
  const onSent = async ({ strategy, body, replayed: ours }: Sent): Promise<void> => {
    if (!strategy.caching) return;
    clock.nowMs = ours.atMs;
    const { provider, url, ask } = await serverOf(strategy);
    const headers = {
      "content-type": "application/json",
      "x-api-key": "k",
      authorization: "Bearer k",
      "anthropic-version": "2023-06-01",
    };
    const response = await fetch(`${url}${pathOf(protocol)}`, { method: "POST", headers, body });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${strategy.name}: ${text}`);
    const theirs = provider.requests.at(-1)!.use!;
    const modelled = ask(body, ours.atMs);
    for (const other of [theirs, modelled])
      if (!isDeepStrictEqual({ ...other }, { ...ours.use }))
        differences.push(`${strategy.name}: ${JSON.stringify(ours.use)} here, ${JSON.stringify(other)} there`);
  };
  const options = {
    terms,
    strategies: strategiesOf(["compressor"], ["threshold", "cost"]),
    gapMs: 1,
    onSent,
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
      const priced = { prices: terms.prices, cache: terms.cache };
      const answers = dollars({ inputTokens: 0, ...NO_CACHE_USE }, tokens.output, priced);
      expect(totals.inputUsd).toBeCloseTo(usd - answers, DIGITS);
    }
    // There were entries that expired, compactions, and something to read, under each strategy with a cache.
    const cached = result.runs.filter(({ strategy }) => strategy.caching);
    expect(known.size).toBe(3);
    expect(cached.map(({ totals }) => totals.busts.expired)).toEqual(more.ttl === "1h" ? [0, 0, 0] : [2, 2, 2]);
    expect(cached.map(({ totals }) => totals.compactions > 0)).toEqual([false, true, true]);
    expect(cached.every(({ totals }) => totals.read > totals.input / 2)).toBe(true);
  });
});
