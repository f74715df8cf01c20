/**
 * Where real transcripts are cut: at shares of each stretch that holds no recorded compaction, behind a whole exchange,
 * where enough of the continuation is left to ask for something.
 */
import { contentOf, type ChatMessage } from "./future-use.ts";
import type { Reader } from "./reader.ts";

/** What the real continuation asked for: each identifier, and whether it came unaided (before anyone showed it again). */
export type Demand = ReadonlyMap<string, boolean>;

export interface Cut {
  readonly share: number;
  readonly prefix: readonly ChatMessage[];
  readonly rest: readonly ChatMessage[];
  readonly demand: Demand;
}

export interface CutOptions {
  readonly shares: readonly number[];
  /** Stretches below this weight are left alone. */
  readonly floorTokens: number;
  /** Least assistant messages after the cut. */
  readonly repliesMin: number;
  /** Least identifiers demanded. */
  readonly demandMin: number;
}

/** The cuts that the published numbers are made on. */
export const EVALUATION_CUTS: CutOptions = { shares: [0.4, 0.6], floorTokens: 24_000, repliesMin: 10, demandMin: 8 };

/** A continuation is looked at for that many replies. */
const DEMAND_REPLIES_MAX = 40;
const DEMAND_FREQUENCY_MAX = 5;
const HEAD_MESSAGES_MAX = 4;
/** How recorded compactions open where nothing else marks them; what follows one is a stretch of its own. */
const SUMMARY_OPENINGS = ["This session is being continued from a previous conversation", "[pi compaction summary]"];

export function* cutsOf(messages: readonly ChatMessage[], reader: Reader, options: CutOptions): Generator<Cut> {
  for (const attempt of attemptsOf(messages, reader, options)) if (attempt.kind === "cut") yield attempt.cut;
}

/** A cut, or why there is none: what a stretch weighs, how many replies follow, how many identifiers they ask for. */
export type Attempt =
  | { readonly kind: "cut"; readonly cut: Cut }
  | { readonly kind: "refused"; readonly by: "tokens" | "replies" | "demand"; readonly found: number };

/** The same with the places where no cut could be made. */
export function* attemptsOf(messages: readonly ChatMessage[], reader: Reader, options: CutOptions): Generator<Attempt> {
  for (const stretch of stretchesOf(messages)) {
    const total = reader.size(stretch);
    if (total < options.floorTokens) {
      yield { kind: "refused", by: "tokens", found: total };
      continue;
    }
    for (const share of options.shares) {
      const at = cutAt(stretch, share * total, reader);
      yield attemptAt({ share, prefix: stretch.slice(0, at), rest: stretch.slice(at) }, reader, options);
    }
  }
}

/** The reason that came closest to a cut. */
export function refusalOf(attempts: readonly Attempt[], { floorTokens, repliesMin, demandMin }: CutOptions): string {
  const refused = attempts.flatMap((attempt) => (attempt.kind === "refused" ? [attempt] : []));
  const most = (by: "tokens" | "replies" | "demand"): number | undefined => {
    const found = refused.filter((one) => one.by === by).map((one) => one.found);
    return found.length === 0 ? undefined : found.reduce((largest, one) => Math.max(largest, one), -Infinity);
  };
  const [demand, replies, tokens] = [most("demand"), most("replies"), most("tokens")];
  if (demand !== undefined)
    return `too little demand: ${demand} identifiers are used again after a cut, ${demandMin} are needed`;
  if (replies !== undefined) return `too short after a cut: ${replies} replies, ${repliesMin} are needed`;
  const [found, needed] = [tokens ?? 0, floorTokens].map((count) => count.toLocaleString("en-US"));
  return `too small: ${found} tokens between compactions, ${needed} are needed`;
}

function attemptAt(
  place: Omit<Cut, "demand">,
  reader: Reader,
  { repliesMin, demandMin }: Omit<CutOptions, "shares" | "floorTokens">,
): Attempt {
  const replies = place.rest.filter(({ role }) => role === "assistant").length;
  if (replies < repliesMin) return { kind: "refused", by: "replies", found: replies };
  const demand = demandOf(place.prefix, place.rest, reader);
  if (demand.size < demandMin) return { kind: "refused", by: "demand", found: demand.size };
  return { kind: "cut", cut: { ...place, demand } };
}

function stretchesOf(messages: readonly ChatMessage[]): readonly (readonly ChatMessage[])[] {
  const stretches: ChatMessage[][] = [[]];
  for (const message of messages) {
    if (isRecordedSummary(message)) stretches.push([]);
    stretches.at(-1)!.push(message);
  }
  return stretches;
}

function isRecordedSummary(message: ChatMessage): boolean {
  if (message.summary === true) return true;
  const text = contentOf(message.content);
  return message.role === "user" && SUMMARY_OPENINGS.some((opening) => text.startsWith(opening));
}

function cutAt(stretch: readonly ChatMessage[], tokens: number, reader: Reader): number {
  let [at, sum] = [0, 0];
  while (sum < tokens) sum += reader.tokens(stretch[at++]!);
  while (at < stretch.length && stretch[at]!.role === "tool") at++;
  return at;
}

/** What the assistant writes within 40 replies that the prefix held rarely and its head did not. */
function demandOf(prefix: readonly ChatMessage[], rest: readonly ChatMessage[], reader: Reader): Demand {
  const frequency = frequencyOf(prefix, reader);
  const head = headOf(prefix, reader);
  const demand = new Map<string, boolean>();
  const shown = new Set<string>();
  let replies = 0;
  for (const message of rest) {
    if (message.role !== "assistant") {
      for (const id of reader.identifiers(message)) shown.add(id);
      continue;
    }
    if (++replies > DEMAND_REPLIES_MAX) break;
    for (const id of reader.pointed(message)) {
      const held = frequency.get(id) ?? 0;
      if (!demand.has(id) && held > 0 && held <= DEMAND_FREQUENCY_MAX && !head.has(id)) demand.set(id, !shown.has(id));
    }
  }
  return demand;
}

/** In how many messages each identifier occurs. */
function frequencyOf(messages: readonly ChatMessage[], reader: Reader): Map<string, number> {
  const frequency = new Map<string, number>();
  for (const message of messages)
    for (const id of reader.identifiers(message)) frequency.set(id, (frequency.get(id) ?? 0) + 1);
  return frequency;
}

/** Identifiers of what a conversation opens with: nobody has to remember those. */
function headOf(prefix: readonly ChatMessage[], reader: Reader): Set<string> {
  const head = new Set<string>();
  for (const message of prefix.slice(0, HEAD_MESSAGES_MAX)) {
    if (message.role === "assistant") break;
    for (const id of reader.identifiers(message)) head.add(id);
  }
  return head;
}
