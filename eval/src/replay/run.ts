/** One strategy's way through a session: a real session prepares each request, and the strict provider's cache answers what it read. */
import type { Compaction, CompactionReason } from "../../../src/core/compaction/compaction.ts";
import { fieldsOf } from "../../../src/protocols/fields.ts";
import { economyFrom } from "../../../src/session/economy.ts";
import type { SessionOptions } from "../../../src/session/contract.ts";
import { createSession, type Session } from "../../../src/session/session.ts";
import { dollars } from "../../../provider/src/account.ts";
import { STEP_TOKENS } from "../../../provider/src/caches/automatic.ts";
import { consultCache } from "../../../provider/src/caches/consult.ts";
import { cacheEntries, NO_CACHE_USE } from "../../../provider/src/caches/entries.ts";
import type { TokenUse } from "../../../provider/src/contract.ts";
import { LIMITS } from "../../../provider/src/limits.ts";
import { wires } from "../../../provider/src/wires.ts";
import type { AgentRequest } from "./requests.ts";
import type { Strategy } from "./strategies.ts";
import type { ReplayTerms } from "./terms.ts";

/** What the session is configured with, beside what the strategy and the model say. */
export type RunSettings = Pick<SessionOptions, "settings" | "secrets" | "redactOutgoing" | "ingestLimitTokens">;

export interface RunParts {
  readonly strategy: Strategy;
  readonly terms: ReplayTerms;
  readonly session: RunSettings;
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
}

export interface Replayed {
  readonly atMs: number;
  readonly use: TokenUse;
  readonly outputTokens: number;
  /** US dollars: what was sent, and that with its answer. */
  readonly inputUsd: number;
  readonly usd: number;
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
  const { strategy, terms } = parts;
  const { cache, traits, tokenFactor, windowTokens } = terms;
  const { inputUsdPerMtok: input } = terms.prices;
  // What the cache gave or took is charged as plain input where its price is not known.
  const unknown = { cacheReadUsdPerMtok: input, cacheWrite5mUsdPerMtok: input, cacheWrite1hUsdPerMtok: input };
  const priced = { prices: { ...unknown, ...terms.prices }, cache };
  const clock = { nowMs: 0 };
  const session = sessionFor(parts, clock);
  const entries = cacheEntries(LIMITS.cacheEntries);
  let before: Held | undefined;

  const ask = async ({ body: incoming, atMs, outputTokens: estimated }: AgentRequest): Promise<Sent> => {
    clock.nowMs = atMs;
    const { request: body, compaction, observe } = await session.prepare(incoming);
    const fields = fieldsOf(JSON.parse(body));
    const prompt = wires[terms.protocol].render(fields, traits);
    const plan = strategy.caching
      ? consultCache(cache, { entries, scope: "", prompt, traits, nowMs: atMs }, fields)
      : { use: NO_CACHE_USE, commit: () => undefined };
    plan.commit();
    const use: TokenUse = { inputTokens: prompt.inputTokens, ...plan.use };
    const outputTokens = Math.ceil(estimated * tokenFactor);
    observe({
      input: use.inputTokens,
      output: outputTokens,
      cacheRead: use.cacheReadTokens,
      cacheWrite: writtenOf(use),
    });
    const compacted = compaction === undefined ? undefined : compactedBy(compaction);
    const bust = strategy.caching ? bustOf(use, { before, atMs, ttlMs: terms.ttlMs, compacted }) : undefined;
    before = { tokens: heldAfter(use, terms), atMs };
    const replayed: Replayed = {
      atMs,
      use,
      outputTokens,
      inputUsd: dollars(use, 0, priced),
      usd: dollars(use, outputTokens, priced),
      over: use.inputTokens > windowTokens,
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
      : economyFrom(terms.facts, { schedule, marked: terms.cache === "marked", ttl: terms.ttl });
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

export function writtenOf({ cacheWrite5mTokens, cacheWrite1hTokens, cacheWriteTokens }: TokenUse): number {
  return cacheWrite5mTokens + cacheWrite1hTokens + cacheWriteTokens;
}

interface Held {
  readonly tokens: number;
  readonly atMs: number;
}

/** What of a request the cache holds when it is answered. */
function heldAfter(use: TokenUse, { cache, traits }: ReplayTerms): number {
  if (cache !== "automatic") return use.cacheReadTokens + writtenOf(use);
  const { inputTokens } = use;
  return inputTokens < traits.cacheMinimumTokens ? 0 : inputTokens - (inputTokens % STEP_TOKENS);
}

interface Around {
  readonly before: Held | undefined;
  readonly atMs: number;
  readonly ttlMs: number;
  readonly compacted: ReplayedCompaction | undefined;
}

function bustOf({ cacheReadTokens: read }: TokenUse, { before, atMs, ttlMs, compacted }: Around): Bust | undefined {
  if (before === undefined || read >= before.tokens) return undefined;
  const expired = atMs - before.atMs >= ttlMs;
  const because = expired ? "expired" : compacted === undefined ? "other" : "compaction";
  return { tokens: before.tokens - read, because };
}

function compactedBy({ report }: Compaction): ReplayedCompaction {
  return { ...report.tokens, reason: report.reason };
}
