/** One strategy's way through a session: a real session prepares each request, and the strict provider's cache answers what it read. */
import type { Compaction } from "../../../src/core/compaction/compaction.ts";
import { fieldsOf } from "../../../src/protocols/fields.ts";
import { economyFrom } from "../../../src/session/economy.ts";
import type { Schedule } from "../../../src/core/caching/schedule.ts";
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
import type { ReplayTerms } from "./terms.ts";

/** What a session is replayed under: with the cache or without it, with compaction or without it, and whose. */
export interface Strategy {
  readonly name: string;
  /** Requests are cached, and marked where that takes markers. */
  readonly caching: boolean;
  /** Undefined: nothing is ever compacted. */
  readonly compaction: Compacting | undefined;
}

export interface Compacting {
  readonly engine: string;
  /** Undefined: the engine's own threshold, whatever it costs. */
  readonly schedule: Schedule | undefined;
}

/** Nothing, the cache alone, each engine alone, and both by each schedule. */
export function strategiesOf(engines: readonly string[], schedules: readonly Schedule[]): readonly Strategy[] {
  const [only] = engines;
  const named = (engine: string): string => (engines.length === 1 && engine === only ? "" : ` ${engine}`);
  const compacting = engines.flatMap((engine): readonly Strategy[] => [
    { name: `compaction only${named(engine)}`, caching: false, compaction: { engine, schedule: undefined } },
    ...schedules.map((schedule) => ({
      name: `both, ${schedule}${named(engine)}`,
      caching: true,
      compaction: { engine, schedule },
    })),
  ]);
  return [
    { name: "nothing", caching: false, compaction: undefined },
    { name: "cache only", caching: true, compaction: undefined },
    ...compacting,
  ];
}

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
  /** Its size before and after. */
  readonly compaction?: Compaction["report"]["tokens"];
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
  /** The request before: when it was sent, and what of it the cache held then. */
  let before: { readonly tokens: number; readonly atMs: number } | undefined;

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
    const lost = strategy.caching && before !== undefined ? before.tokens - use.cacheReadTokens : 0;
    const hasExpired = before !== undefined && atMs - before.atMs >= terms.ttlMs;
    const because = hasExpired ? "expired" : compaction === undefined ? "other" : "compaction";
    before = { tokens: heldAfter(use, terms), atMs };
    const replayed: Replayed = {
      atMs,
      use,
      outputTokens,
      inputUsd: dollars(use, 0, priced),
      usd: dollars(use, outputTokens, priced),
      over: use.inputTokens > windowTokens,
      ...(lost > 0 ? { bust: { tokens: lost, because } } : {}),
      ...(compaction === undefined ? {} : { compaction: compaction.report.tokens }),
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

/** What of a request the cache holds when it is answered. */
function heldAfter(use: TokenUse, { cache, traits }: ReplayTerms): number {
  if (cache !== "automatic") return use.cacheReadTokens + writtenOf(use);
  const { inputTokens } = use;
  return inputTokens < traits.cacheMinimumTokens ? 0 : inputTokens - (inputTokens % STEP_TOKENS);
}
