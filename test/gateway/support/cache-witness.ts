/**
 * Watches what the provider's cache made of a replay: that our model of it says the same to the token, and that a
 * compaction costs no more than it must.
 */
import { cachePrompts } from "./prompt-cache/prompts.ts";
import { hash } from "node:crypto";
import {
  AUTOMATIC,
  BREAKPOINTS,
  createPrefixCache,
  MARKED,
  type CachePrompt,
  type CacheRules,
  type CacheUse,
  type PromptBlock,
} from "./prompt-cache/prefix-cache.ts";
import { estimateText } from "../../../src/core/transcript/estimate.ts";
import type { TokenUse } from "../../../provider/src/contract.ts";
import type { RequestRecord } from "../../../provider/src/record.ts";
import { definitions } from "../../../src/protocols/registry.ts";
import { createRegistry, lookUp } from "../../../src/models/index.ts";
import type { ProtocolName } from "../../../src/core/protocols.ts";

export interface CacheWitness {
  /** A request that was answered, in order; `fresh` where it was compacted again. Says what was wrong. */
  readonly seen: (record: RequestRecord, fresh: boolean) => readonly string[];
}

/** A conversation is weighed again with every request: texts of some length are remembered. */
function rememberingScales(): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    if (text.length < 256) return estimateText(text);
    let tokens = known.get(text);
    if (tokens === undefined) known.set(text, (tokens = estimateText(text)));
    return tokens;
  };
}

/** How a provider of this protocol caches this model. */
export function rulesOf(model: string, protocol: ProtocolName): CacheRules {
  const { minimumTokens, lookbackBlocks, markersMax } = lookUp(createRegistry(), model)?.cache ?? {};
  const minimum = minimumTokens === undefined ? {} : { minimumTokens };
  if (definitions[protocol].markers === "native")
    return { ...MARKED, ...minimum, ...(lookbackBlocks === undefined ? {} : { lookbackBlocks }) };
  return markersMax === undefined ? { ...AUTOMATIC, ...minimum } : { ...BREAKPOINTS, ...minimum };
}

export function createCacheWitness(protocol: ProtocolName, model: string): CacheWitness {
  const rules = rulesOf(model, protocol);
  const cache = createPrefixCache((text) => hash("sha256", text));
  const text = rememberingScales();
  let last: CacheUse | undefined;
  let opening: string | undefined;
  let before: "fresh" | "steady" = "steady";

  const seen = ({ body, atMs, use }: RequestRecord, fresh: boolean): readonly string[] => {
    if (use === undefined) return [];
    const prompt = cachePrompts[protocol](JSON.parse(body) as Readonly<Record<string, unknown>>, text);
    const modelled = cache.ask(prompt, rules, atMs);
    const wrong = differences(modelled, use);
    const stable = stableTokens(prompt, rules, opening);
    if (fresh && last !== undefined && modelled.read < stable)
      wrong.push(`after a compaction ${modelled.read} tokens were read of ${stable} that had not changed`);
    if (!fresh && before === "fresh" && last !== undefined && modelled.read < back(last, rules))
      wrong.push(`one request after a compaction ${modelled.read} tokens were read of ${last.input}`);
    before = fresh ? "fresh" : "steady";
    last = modelled;
    opening = openingOf(prompt);
    return wrong;
  };
  return { seen };
}

function differences(ours: CacheUse, theirs: TokenUse): string[] {
  const pairs: readonly (readonly [string, number, number])[] = [
    ["input", ours.input, theirs.inputTokens],
    ["read", ours.read, theirs.cacheReadTokens],
    ["written for 5 minutes", ours.write5m, theirs.cacheWrite5mTokens],
    ["written for an hour", ours.write1h, theirs.cacheWrite1hTokens],
    ["written", ours.write, theirs.cacheWriteTokens],
  ];
  return pairs
    .filter(([, one, other]) => one !== other)
    .map(([name, one, other]) => `${name}: the model says ${one}, the provider ${other}`);
}

/**
 * System prompt and tools, where they are long enough to be cached at all. Breakpoints are on parts of messages, so that
 * `instructions` are found only together with the message behind them, as long as that is the same.
 */
function stableTokens({ blocks }: CachePrompt, rules: CacheRules, opening: string | undefined): number {
  const isSystem = ({ section, text }: PromptBlock): boolean =>
    section !== "messages" || /^(?:message )?(?:system|developer) /.test(text);
  const end = blocks.findIndex((block) => !isSystem(block));
  const stable = blocks.slice(0, end < 0 ? blocks.length : end);
  const bare = rules.kind === "breakpoints" && stable.at(-1)?.section === "system";
  if (bare && blocks[end]?.text !== opening) return 0;
  const tokens = stable.reduce((sum, block) => sum + block.tokens, 0);
  const steps = rules.kind === "automatic" ? rules.stepTokens : 1;
  return tokens < rules.minimumTokens ? 0 : tokens - (tokens % steps);
}

/** The first block of the conversation. */
function openingOf({ blocks }: CachePrompt): string | undefined {
  return blocks.find(({ section }) => section === "messages")?.text;
}

/** What the request before ended with is read again, but for steps and what carried no marker. */
const BACK_SHARE = 0.95;

function back({ input }: CacheUse, rules: CacheRules): number {
  return input < rules.minimumTokens ? 0 : input * BACK_SHARE - (rules.kind === "automatic" ? rules.stepTokens : 0);
}
