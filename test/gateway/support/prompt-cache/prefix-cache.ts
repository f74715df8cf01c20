/**
 * A provider's prompt cache, modelled: what of a request it reads and what it writes, given what was asked before. Time
 * comes in; nothing here knows a clock. Rules from the vendors' prompt caching docs (docs/sources.md).
 */
import type { Hash } from "../../../../src/core/transcript/links.ts";
import { AUTOMATIC_TTL_MS, BREAKPOINT_TTL_MS, TTL_MS } from "../../../../src/session/economy.ts";
import type { CacheSection, Ttl } from "../../../../src/core/caching/breakpoints.ts";

export interface PromptBlock {
  readonly section: CacheSection;
  /** What the provider compares: everything of the block but its marker. */
  readonly text: string;
  readonly tokens: number;
  readonly marker?: Ttl;
  /** The last block of its message. */
  readonly ends?: true;
}

export interface CachePrompt {
  readonly blocks: readonly PromptBlock[];
  /** What must be the same for the messages to be found; tools and system are found without it. */
  readonly messageSettings: string;
}

/** Tokens of one request. `input` is all of it; what is neither read nor written was read afresh. */
export interface CacheUse {
  readonly input: number;
  readonly read: number;
  readonly write5m: number;
  readonly write1h: number;
  /** Written by a provider that names no such lifetimes. */
  readonly write: number;
}

interface Minimum {
  /** A shorter prefix is not cached, silently; per model. */
  readonly minimumTokens: number;
}

/** Anthropic: where the request marks it. */
export interface MarkedRules extends Minimum {
  readonly kind: "marked";
  /** Blocks in which each marker looks for an earlier entry, its own included. */
  readonly lookbackBlocks: number;
}

/** OpenAI before gpt-5.6: every prefix by itself, free to write, read in steps. */
export interface AutomaticRules extends Minimum {
  readonly kind: "automatic";
  readonly stepTokens: number;
  readonly ttlMs: number;
}

/** OpenAI from gpt-5.6 on: written at the end of the newest message, unless `explicit`, and at breakpoints. */
export interface BreakpointRules extends Minimum {
  readonly kind: "breakpoints";
  readonly explicit: boolean;
  readonly ttlMs: number;
  readonly writesMax: number;
  /** The latest places at which an earlier entry is looked for. */
  readonly placesMax: number;
}

export type CacheRules = MarkedRules | AutomaticRules | BreakpointRules;

export const MARKED: MarkedRules = Object.freeze({ kind: "marked", lookbackBlocks: 20, minimumTokens: 1_024 });
export const AUTOMATIC: AutomaticRules = Object.freeze({
  kind: "automatic",
  stepTokens: 128,
  ttlMs: AUTOMATIC_TTL_MS,
  minimumTokens: 1_024,
});
export const BREAKPOINTS: BreakpointRules = Object.freeze({
  kind: "breakpoints",
  explicit: false,
  ttlMs: BREAKPOINT_TTL_MS,
  writesMax: 4,
  placesMax: 80,
  minimumTokens: 1_024,
});

export interface PrefixCache {
  /** What a request costs, answered at this time; the cache then holds what it wrote. */
  readonly ask: (prompt: CachePrompt, rules: CacheRules, nowMs: number) => CacheUse;
}

interface CacheEntry {
  readonly ttlMs: number;
  readonly untilMs: number;
}

interface CacheLookup {
  /** The name of the prefix that ends with each block. */
  readonly names: readonly string[];
  /** Its tokens. */
  readonly sums: readonly number[];
  readonly live: (at: number) => CacheEntry | undefined;
  readonly keep: (at: number, ttlMs: number) => void;
}

/** One cache: of one key, one model. */
export function createPrefixCache(hash: Hash): PrefixCache {
  const entries = new Map<string, CacheEntry>();
  const ask = (prompt: CachePrompt, rules: CacheRules, nowMs: number): CacheUse => {
    const names = namesOf(prompt, hash);
    let sum = 0;
    const sums = prompt.blocks.map(({ tokens }) => (sum += tokens));
    const looking: CacheLookup = {
      names,
      sums,
      live: (at) => {
        const entry = entries.get(names[at]!);
        return entry !== undefined && nowMs < entry.untilMs ? entry : undefined;
      },
      keep: (at, ttlMs) => void entries.set(names[at]!, { ttlMs, untilMs: nowMs + ttlMs }),
    };
    const use = { input: sum, read: 0, write5m: 0, write1h: 0, write: 0 };
    switch (rules.kind) {
      case "marked":
        return { ...use, ...askMarked(prompt, rules, looking) };
      case "automatic":
        return { ...use, read: askAutomatic(rules, looking) };
      case "breakpoints":
        return { ...use, ...askAtBreakpoints(prompt, rules, looking) };
    }
  };
  return { ask };
}

function namesOf({ blocks, messageSettings }: CachePrompt, hash: Hash): readonly string[] {
  let name = "";
  let outside = true;
  return blocks.map(({ section, text }) => {
    if (outside && section === "messages") {
      name = hash(`${name}\nsettings ${messageSettings}`);
      outside = false;
    }
    return (name = hash(`${name}\n${section} ${text}`));
  });
}

/** The longest prefix that any marker finds is read; what is between it and the last marker is written. */
function askMarked({ blocks }: CachePrompt, rules: MarkedRules, { sums, live, keep }: CacheLookup): Partial<CacheUse> {
  const markers = blocks.flatMap(({ marker }, at) =>
    marker === undefined || sums[at]! < rules.minimumTokens ? [] : [{ at, ttl: marker }],
  );
  let read = 0;
  const found: { readonly at: number; readonly ttlMs: number }[] = [];
  for (const { at } of markers) {
    const hit = lookBack(at, rules.lookbackBlocks, live);
    if (hit === undefined) continue;
    found.push({ at: hit, ttlMs: live(hit)!.ttlMs });
    read = Math.max(read, sums[hit]!);
  }
  const writing = markers.filter(({ at }) => sums[at]! > read);
  const hourEnd = writing.findLast(({ ttl }) => ttl === "1h");
  const to1h = hourEnd === undefined ? read : sums[hourEnd.at]!;
  const last = writing.at(-1);
  const to5m = last === undefined ? to1h : Math.max(to1h, sums[last.at]!);
  // Being read gives an entry its time again.
  for (const { at, ttlMs } of found) keep(at, ttlMs);
  for (const { at, ttl } of writing) keep(at, TTL_MS[ttl]);
  return { read, write1h: to1h - read, write5m: to5m - to1h };
}

function lookBack(from: number, blocks: number, live: CacheLookup["live"]): number | undefined {
  for (let at = from; at >= 0 && at > from - blocks; at--) if (live(at) !== undefined) return at;
  return undefined;
}

function askAutomatic({ minimumTokens, stepTokens, ttlMs }: AutomaticRules, { sums, live, keep }: CacheLookup): number {
  const known = sums.findLastIndex((_, at) => live(at) !== undefined);
  const shared = known < 0 ? 0 : sums[known]!;
  if ((sums.at(-1) ?? 0) >= minimumTokens) sums.forEach((_, at) => keep(at, ttlMs));
  return shared < minimumTokens ? 0 : shared - (shared % stepTokens);
}

function askAtBreakpoints(
  { blocks }: CachePrompt,
  { explicit, ttlMs, writesMax, placesMax, minimumTokens }: BreakpointRules,
  { sums, live, keep }: CacheLookup,
): Partial<CacheUse> {
  const last = blocks.length - 1;
  const isSet = (at: number): boolean => blocks[at]!.marker !== undefined;
  const places = blocks.flatMap(({ ends }, at) => {
    const looksHere = isSet(at) || (!explicit && (ends === true || at === last));
    return looksHere && sums[at]! >= minimumTokens ? [at] : [];
  });
  const hit = places.slice(-placesMax).findLast((at) => live(at) !== undefined);
  const read = hit === undefined ? 0 : sums[hit]!;
  const writing = places
    .filter((at) => (isSet(at) || (!explicit && at === last)) && sums[at]! > read)
    .slice(-writesMax);
  if (hit !== undefined) keep(hit, live(hit)!.ttlMs);
  for (const at of writing) keep(at, ttlMs);
  const to = writing.at(-1);
  return { read, write: to === undefined ? 0 : sums[to]! - read };
}
