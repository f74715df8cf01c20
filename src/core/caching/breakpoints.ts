/**
 * Where cache markers go in a request, which is blocks in the order in which a provider renders them (tools, system, messages).
 * What the client set stays and counts; what is left of the four is spent in the order of what it saves. Never a fifth, never a
 * longer lifetime behind a shorter one, never where none can be. Which blocks there are, a protocol knows.
 */
import type { Role } from "../transcript/message.ts";

/** How long a written prefix lives. */
export type Ttl = "5m" | "1h";

export type CacheSection = "tools" | "system" | "messages";

export interface CacheSite {
  readonly section: CacheSection;
  /** Index of the message among those of the conversation; -1 outside of it. */
  readonly message: number;
  /** Whose message it is in; undefined for tools. */
  readonly role?: Role;
  /** A marker can be on it: it is not empty, no thinking, and of a kind that takes one. */
  readonly carries: boolean;
  readonly marker?: Ttl;
  /** The marker came with an older request and is here only because its bytes were kept. */
  readonly stale?: true;
}

/** Where markers shall are: by index of the site. All of them, those that are there already included. */
export type MarkerPlan = ReadonlyMap<number, Ttl>;

/** Anthropic takes four markers a request (its prompt caching docs, 2026-11). */
export const MARKERS_MAX = 4;

/**
 * Anthropic looks back over 20 blocks from each marker (its prompt caching docs, 2026-11). Markers stand closer, so that
 * a turn which was sent once more with other ends is still found.
 */
const SPACING_BLOCKS = 15;

/** Messages of the rolling window (Hermes Agent docs). */
const ROLLING_MESSAGES = 3;

/** `system_and_3`: as in the Hermes Agent docs. `spaced`: what is stable, then the ends of this request and the last. */
export type CachingStrategy = "system_and_3" | "spaced" | "anchors";

export interface MarkerWishes {
  readonly strategy: CachingStrategy;
  readonly ttl: Ttl;
  /** Messages at the beginning that compactions leave alone; 0 where there are none. */
  readonly headMessages: number;
  /** The system prompt is not the one of the request before: what comes before it is marked too. */
  readonly systemChanged: boolean;
  /** Lifetimes of markers whose place is not known: one for the whole request, or a second one inside of a result. */
  readonly unplaced?: readonly Ttl[];
  /** Tokens up to and with a site; a prefix below `minimumTokens` is not cached, so a marker on it is wasted. */
  readonly tokensTo?: (site: number) => number;
  readonly minimumTokens?: number;
}

/** What the client set in its newest request, and nothing else. */
export function keptMarkers(sites: readonly CacheSite[]): Map<number, Ttl> {
  const kept = new Map<number, Ttl>();
  sites.forEach(({ marker, stale }, at) => {
    if (marker !== undefined && stale !== true) kept.set(at, marker);
  });
  return kept;
}

export function planMarkers(sites: readonly CacheSite[], wishes: MarkerWishes): MarkerPlan {
  const plan = keptMarkers(sites);
  const { unplaced = [] } = wishes;
  let free = MARKERS_MAX - plan.size - unplaced.length;
  for (const at of rankPlaces(sites, wishes, plan)) {
    if (free <= 0) break;
    if (at === undefined || plan.has(at) || isWasted(at, wishes)) continue;
    const ttl = ttlAt(at, wishes.ttl, { plan, unplaced });
    if (ttl === undefined) continue;
    plan.set(at, ttl);
    free--;
  }
  return plan;
}

/** `system_and_3` marks its places whatever stands there; a provider passes over a marker on too short a beginning. */
function isWasted(at: number, { strategy, tokensTo, minimumTokens }: MarkerWishes): boolean {
  if (strategy === "system_and_3") return false;
  return tokensTo !== undefined && minimumTokens !== undefined && tokensTo(at) < minimumTokens;
}

interface Neighbours {
  readonly plan: MarkerPlan;
  readonly unplaced: readonly Ttl[];
}

/**
 * As wished, as far as its neighbours allow; undefined where none fits between them. A marker whose place is not known
 * may come before or after any other: only its own lifetime fits on both sides of it.
 */
function ttlAt(at: number, wished: Ttl, { plan, unplaced }: Neighbours): Ttl | undefined {
  let shortBefore = unplaced.includes("5m");
  let longBehind = unplaced.includes("1h");
  for (const [other, ttl] of plan) {
    shortBefore ||= other < at && ttl === "5m";
    longBehind ||= other > at && ttl === "1h";
  }
  if (shortBefore && longBehind) return undefined;
  if (shortBefore) return "5m";
  return longBehind ? "1h" : wished;
}

type Places = readonly (number | undefined)[];

/** Sites worth a marker, the most worthy first. */
function rankPlaces(sites: readonly CacheSite[], wishes: MarkerWishes, plan: MarkerPlan): Places {
  switch (wishes.strategy) {
    case "system_and_3":
      return systemAndThree(sites);
    case "anchors":
      return anchors(sites, wishes, plan);
    case "spaced":
      return spaced(sites, wishes, plan);
  }
}

/**
 * The system prompt and the last three messages that are none, each on its last block (Hermes Agent docs). A message that can
 * carry no marker passes it to the nearest block before that has none yet, so that there are always three.
 */
function systemAndThree(sites: readonly CacheSite[]): Places {
  const start = firstMessageSite(sites);
  const rolling: number[] = [];
  let end = sites.length;
  let last = -1;
  for (let at = sites.length - 1; at >= start && rolling.length < ROLLING_MESSAGES; at--) {
    const { message, role } = sites[at]!;
    if (role === "system" || message === last) continue;
    last = message;
    const place = sites.findLastIndex((site, index) => index < end && index <= at && index >= start && isSaid(site));
    if (place < 0) break;
    rolling.push(place);
    end = place;
  }
  const system = sites.findLastIndex(({ section, carries }) => section === "system" && carries);
  return [system < 0 ? undefined : system, ...rolling];
}

function isSaid({ carries, role }: CacheSite): boolean {
  return carries && role !== "system";
}

/** What survives a compaction: the system prompt with the tools, and the head. */
function anchors(sites: readonly CacheSite[], wishes: MarkerWishes, plan: MarkerPlan): Places {
  return [systemEnd(sites, plan), headEnd(sites, wishes)];
}

function spaced(sites: readonly CacheSite[], wishes: MarkerWishes, plan: MarkerPlan): Places {
  const start = firstMessageSite(sites);
  const end = carryingBefore(sites, sites.length, start);
  const reply = sites.findLastIndex(beginsReply);
  const before = reply < 0 ? undefined : carryingBefore(sites, reply, start);
  const toolsEnd = wishes.systemChanged ? carryingBefore(sites, firstSystemSite(sites), 0) : undefined;
  const between = intermediateBreakpoints(sites, before, end);
  const stable = [systemEnd(sites, plan), end];
  // A look back from the end finds the request before, unless the turn between them is long.
  return between.length > 0
    ? [...stable, before, ...between, toolsEnd, headEnd(sites, wishes)]
    : [...stable, toolsEnd, headEnd(sites, wishes), before];
}

function beginsReply({ role, message }: CacheSite, at: number, sites: readonly CacheSite[]): boolean {
  return role === "assistant" && sites[at - 1]?.message !== message;
}

/** Between the end of the request before and this one's, where a turn is longer than a look back. */
function intermediateBreakpoints(
  sites: readonly CacheSite[],
  from: number | undefined,
  to: number | undefined,
): number[] {
  const points: number[] = [];
  if (from === undefined || to === undefined) return points;
  for (let at = to - SPACING_BLOCKS; at > from; at -= SPACING_BLOCKS) {
    const point = carryingBefore(sites, at + 1, from + 1);
    if (point !== undefined) points.push(point);
  }
  return points;
}

/** Nowhere where the client marked its tools or its system prompt: it knows which of it is stable. */
function systemEnd(sites: readonly CacheSite[], plan: MarkerPlan): number | undefined {
  const start = firstMessageSite(sites);
  for (const at of plan.keys()) if (at < start) return undefined;
  return carryingBefore(sites, start, 0);
}

/** Results that belong to the head's last call belong to the head. */
function headEnd(sites: readonly CacheSite[], { headMessages }: MarkerWishes): number | undefined {
  const start = firstMessageSite(sites);
  const end = sites.findIndex(({ message, role }) => message >= headMessages && role !== "tool");
  return headMessages === 0 || end < 0 ? undefined : carryingBefore(sites, end, start);
}

function firstMessageSite(sites: readonly CacheSite[]): number {
  const at = sites.findIndex(({ section }) => section === "messages");
  return at < 0 ? sites.length : at;
}

function firstSystemSite(sites: readonly CacheSite[]): number {
  const at = sites.findIndex(({ section }) => section !== "tools");
  return at < 0 ? sites.length : at;
}

function carryingBefore(sites: readonly CacheSite[], end: number, start: number): number | undefined {
  for (let at = end - 1; at >= start; at--) if (sites[at]!.carries) return at;
  return undefined;
}
