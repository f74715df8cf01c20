/** One strategy's way through a session: a real session prepares each request, and a model of the cache answers what it read. */
import { cachePrompts } from "./prompts.ts";
import { hash } from "node:crypto";
import { createPrefixCache, type CacheRules, type CacheUse } from "./prefix-cache.ts";
import type { Compaction, CompactionReason } from "../../../src/core/compaction/compaction.ts";
import { fieldsOf } from "../../../src/protocols/fields.ts";
import { economyFrom } from "../../../src/session/economy.ts";
import type { SessionOptions } from "../../../src/session/contract.ts";
import { createSession, type Session } from "../../../src/session/session.ts";
import { textTokens } from "../../../provider/src/weigh.ts";
import { billOf, type Bill } from "./bill.ts";
import type { AgentRequest } from "./requests.ts";
import type { Strategy } from "./strategies.ts";
import { summaryUsd, type SummaryWriter } from "./summaries.ts";
import type { ReplayTerms } from "./terms.ts";

/** What the session is configured with, beside what the strategy and the model say. */
export type RunSettings = Pick<SessionOptions, "settings" | "secrets" | "redactOutgoing" | "ingestLimitTokens">;

export interface RunParts {
  readonly strategy: Strategy;
  readonly terms: ReplayTerms;
  readonly session: RunSettings;
  /** The model that summaries are priced by; none are paid for where not given. */
  readonly writer: SummaryWriter | undefined;
  /** Tokens that each request reserves for its answer. */
  readonly maxOutputTokens: number;
}

/** A request that read less than the one before it had left in the cache. */
export interface Bust {
  /** What was in the cache and had to be read afresh or written again. */
  readonly tokens: number;
  readonly because: "compaction" | "expired" | "other";
}

export interface ReplayedCompaction {
  readonly before: number;
  readonly after: number;
  readonly reason: CompactionReason;
  /** Tokens of its summary; 0 where results were shortened and nothing was summarised. */
  readonly summaryTokens: number;
}

export interface Replayed {
  readonly atMs: number;
  readonly use: CacheUse;
  readonly outputTokens: number;
  readonly bill: Bill;
  /** More than the window holds: a provider would have refused it. */
  readonly over: boolean;
  readonly bust?: Bust;
  readonly compaction?: ReplayedCompaction;
}

/** What was sent, for those who look on. */
export interface Sent {
  readonly strategy: Strategy;
  readonly body: string;
  readonly replayed: Replayed;
}

export interface Run {
  readonly strategy: Strategy;
  readonly ask: (request: AgentRequest) => Promise<Sent>;
}

export function createRun(parts: RunParts): Run {
  const { strategy, terms, writer } = parts;
  const { rules, prices, tokenFactor } = terms;
  const clock = { nowMs: 0 };
  const session = sessionFor(parts, clock);
  const cache = createPrefixCache((text) => hash("sha256", text));
  let before: Held | undefined;

  const ask = async ({ body: incoming, atMs, outputTokens: estimated }: AgentRequest): Promise<Sent> => {
    clock.nowMs = atMs;
    const { request: body, compaction, observe } = await session.prepare(incoming);
    const prompt = cachePrompts[terms.protocol](fieldsOf(JSON.parse(body)), textTokens);
    const blocks = prompt.blocks.map((block) => ({ ...block, tokens: Math.ceil(block.tokens * tokenFactor) }));
    const use = strategy.caching
      ? cache.ask({ ...prompt, blocks }, rules, atMs)
      : uncached(blocks.reduce((sum, { tokens }) => sum + tokens, 0));
    const outputTokens = Math.ceil(estimated * tokenFactor);
    observe({ input: use.input, output: outputTokens, cacheRead: use.read, cacheWrite: writtenOf(use) });
    const compacted = compaction === undefined ? undefined : compactedBy(compaction);
    const bust = strategy.caching ? bustOf(use, { before, atMs, ttlMs: terms.ttlMs, compacted }) : undefined;
    before = { tokens: heldAfter(use, rules), atMs };
    const replayed: Replayed = {
      atMs,
      use,
      outputTokens,
      bill: {
        ...billOf(use, outputTokens, prices),
        summaries: compacted === undefined ? 0 : summaryUsd(compacted, writer),
      },
      over: use.input > terms.windowTokens,
      ...(bust === undefined ? {} : { bust }),
      ...(compacted === undefined ? {} : { compaction: compacted }),
    };
    return { strategy, body, replayed };
  };
  return { strategy, ask };
}

function sessionFor(
  { strategy, terms, session, maxOutputTokens }: RunParts,
  clock: { readonly nowMs: number },
): Session {
  const { compaction, caching } = strategy;
  const { schedule } = compaction ?? {};
  const economy =
    schedule === undefined || !caching
      ? undefined
      : economyFrom(terms.facts, { schedule, marked: terms.rules.kind === "marked", ttl: terms.ttl });
  return createSession({
    ...session,
    protocol: terms.protocol,
    model: terms.model,
    factor: terms.tokenFactor,
    engine: compaction?.engine ?? "none",
    enabled: compaction !== undefined,
    settings: { note: "handoff", ...session.settings, contextLength: terms.windowTokens, maxOutputTokens },
    now: () => clock.nowMs,
    economy: () => economy,
    ...(caching && terms.caching !== undefined ? { caching: terms.caching } : {}),
  });
}

function uncached(input: number): CacheUse {
  return { input, read: 0, write5m: 0, write1h: 0, write: 0 };
}

export function writtenOf({ write5m, write1h, write }: CacheUse): number {
  return write5m + write1h + write;
}

interface Held {
  readonly tokens: number;
  readonly atMs: number;
}

/** What of a request the cache holds when it is answered. */
function heldAfter(use: CacheUse, rules: CacheRules): number {
  if (rules.kind !== "automatic") return use.read + writtenOf(use);
  return use.input < rules.minimumTokens ? 0 : use.input - (use.input % rules.stepTokens);
}

interface Around {
  readonly before: Held | undefined;
  readonly atMs: number;
  readonly ttlMs: number;
  readonly compacted: ReplayedCompaction | undefined;
}

function bustOf({ read }: CacheUse, { before, atMs, ttlMs, compacted }: Around): Bust | undefined {
  if (before === undefined || read >= before.tokens) return undefined;
  const expired = atMs - before.atMs >= ttlMs;
  const because = expired ? "expired" : compacted === undefined ? "other" : "compaction";
  return { tokens: before.tokens - read, because };
}

function compactedBy({ report }: Compaction): ReplayedCompaction {
  const { tokens, reason, parts } = report;
  return { ...tokens, reason, summaryTokens: parts.handoff };
}
