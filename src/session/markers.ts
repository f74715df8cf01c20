/**
 * Cache markers on what goes out, whichever door it goes out of: counted with those that the client set, and taken from
 * messages that only a compaction still holds. Where nothing is to be marked, the bytes stay as they are.
 */
import {
  keptMarkers,
  planMarkers,
  type CachingStrategy,
  type CacheSite,
  type Ttl,
} from "../core/caching/breakpoints.ts";
import type { Measure } from "../core/transcript/measure.ts";
import type { Transcript } from "../core/transcript/message.ts";
import { cacheKeyEdits, markerSites } from "../protocols/caching/sites.ts";
import type { MarkerLayout } from "../protocols/definition.ts";
import { applyEdits, type Edit } from "../protocols/json.ts";
import { protocols } from "../protocols/index.ts";
import { type Decoded } from "../protocols/protocol.ts";
import { definitions } from "../protocols/registry.ts";

/** How requests of one model to one provider are marked. */
export interface MarkerRules {
  readonly layout: MarkerLayout;
  /** Undefined where no markers are set: the provider caches by itself. */
  readonly strategy: CachingStrategy | undefined;
  /** A shorter beginning is not cached; undefined where that is not known. */
  readonly minimumTokens: number | undefined;
}

/** A request as it would go out without markers. */
interface UnmarkedRequest {
  readonly rules: MarkerRules;
  readonly ttl: Ttl;
  readonly body: string;
  /** As its client sent it. */
  readonly incoming: Decoded;
  /** What was made of it, in the order in which it goes out. */
  readonly sent: Transcript;
  /** The request of this conversation that went out before, read. */
  readonly before: Decoded | undefined;
  readonly headMessages: number;
  readonly measure: Measure;
  /** The name of the conversation, the same for all its requests. */
  readonly root: string;
  /** Other edits of the body, made together with the markers. */
  readonly edits?: BodyEdits | undefined;
}

/** Edits of a body that was read once the changed transcript was in it. */
export type BodyEdits = (outgoing: Decoded) => readonly Edit[];

export interface MarkedRequest {
  readonly body: string;
  /** What is to be remembered as `before`. */
  readonly outgoing: Decoded | undefined;
}

export function withMarkers(unmarked: UnmarkedRequest): MarkedRequest {
  const { rules, body, root, edits } = unmarked;
  const outgoing = readOutgoing(unmarked);
  const key = rules.layout === "openai" ? cacheKeyEdits(outgoing, root) : [];
  const all = [...key, ...markerEdits(unmarked, outgoing), ...(edits?.(outgoing) ?? [])];
  return { body: applyEdits(body, all), outgoing };
}

/** What goes out, read with the memory of what went out before. */
export function readOutgoing({
  incoming,
  body,
  before,
}: Pick<UnmarkedRequest, "incoming" | "body" | "before">): Decoded {
  return body === incoming.body ? incoming : protocols[incoming.protocol].decode(body, before);
}

/**
 * Where no markers are set: a rewritten request without those that an older request of its client left in messages that
 * only a compaction still holds. Beside its newest markers they may be one too many, or of a lifetime that cannot come first.
 */
export function withoutStaleMarkers(
  unmarked: Pick<UnmarkedRequest, "body" | "incoming" | "before" | "edits">,
): MarkedRequest {
  const { body, incoming, before, edits } = unmarked;
  const layout = definitions[incoming.protocol].markers;
  const mayHoldStale = body !== incoming.body && layout !== undefined && body.includes('"cache_control"');
  if (!mayHoldStale && edits === undefined) return { body, outgoing: before };
  const outgoing = readOutgoing(unmarked);
  const stale = mayHoldStale ? staleEdits(outgoing, layout, incoming) : [];
  return { body: applyEdits(body, [...stale, ...(edits?.(outgoing) ?? [])]), outgoing };
}

function staleEdits(outgoing: Decoded, layout: MarkerLayout, incoming: Decoded): readonly Edit[] {
  const { sites, edits } = markerSites(outgoing, layout, incoming);
  return edits(keptMarkers(sites));
}

function markerEdits(unmarked: UnmarkedRequest, outgoing: Decoded): readonly Edit[] {
  const { rules, incoming, before, ttl } = unmarked;
  if (rules.strategy === undefined) return [];
  const found = markerSites(outgoing, rules.layout, incoming);
  const plan = planMarkers(found.sites, {
    strategy: rules.strategy,
    ttl,
    unplaced: found.unplaced,
    headMessages: findHead(unmarked),
    systemChanged: before !== undefined && systemText(before) !== systemText(outgoing),
    ...prefixMinimum(unmarked, outgoing, found.sites),
  });
  return found.edits(plan);
}

/** Where a compaction is, the head is what it left alone. */
function findHead({ sent, headMessages }: UnmarkedRequest): number {
  const summary = sent.messages.findIndex(({ origin }) => origin === "summary");
  return summary < 0 ? headMessages : summary;
}

function systemText({ transcript: { system } }: Decoded): string {
  return system.map(({ wire }) => wire?.raw ?? "").join("\n");
}

/** Only the stable beginning can be too short to be cached: weighed by system prompt and tools. */
function prefixMinimum({ rules, measure }: UnmarkedRequest, { transcript }: Decoded, sites: readonly CacheSite[]) {
  const { minimumTokens } = rules;
  if (minimumTokens === undefined) return {};
  const beginning = measure.transcript({ ...transcript, messages: [] });
  const tokensTo = (at: number): number => (sites[at]!.section === "messages" ? Infinity : beginning);
  return { minimumTokens, tokensTo };
}

export interface SessionCaching {
  /** `native`: Anthropic's on its own API. `openrouter`: the same on Chat requests. `openai`: OpenAI's breakpoints and key. */
  readonly layout: MarkerLayout;
  /** Default `spaced`: the system prompt, the newest message, and what a compaction leaves alone. */
  readonly strategy?: "spaced" | "system_and_3";
  /** How long what is written lives; default `5m`. */
  readonly ttl?: Ttl;
  /** The shortest prefix that the model's provider caches, in tokens, where it is known. */
  readonly minimumTokens?: number;
}
