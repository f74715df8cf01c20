/** Chooses the lines of the original that a handoff quotes: how much room they get, and which of them fit it. */
import type { Excerpt } from "../excerpts/excerpts.ts";
import type { Measure } from "../transcript/measure.ts";
import { SOURCE_LEAD } from "./parse.ts";
import type { SectionFill, SectionFillOptions } from "./section-fill.ts";
import { FOCUS_STRETCH, type TokenBudget } from "./token-budget.ts";

/**
 * Where the handoff has this share of what it stands for, or more. With less, a few lines of that many are hardly those that
 * are asked for, while the record still tells what happened: then they get less, down to a part of their share.
 */
const FULLY_QUOTED_SHARE = 0.08;
const EXCERPTS_PART_MIN = 0.3;
/** With more than this, the record tells most of it by itself and in its order: lines are left less and less. */
const WELL_TOLD_SHARE = 0.12;
/** With half for lines and half for the record, readers answer as much as with a larger record, and more names are found again. */
const EXCERPTS_SHARE_MAX = 0.55;
const EXCERPTS_BESIDE_PROSE_SHARE_MAX = 0.25;
/** Excerpts that an earlier handoff chose, of the room for excerpts: what is older gives way, round by round. */
const CARRIED_EXCERPTS_SHARE_MAX = 0.3;

/** What there is to quote. */
export interface ExcerptChoice {
  /** Excerpts worth at most that many tokens that do not repeat what is present. */
  readonly excerpts: (budget: number, present: string) => readonly Excerpt[];
  /** Those of an earlier handoff, newest last. */
  readonly carried: readonly Excerpt[];
  /** Whether a text is about the focus, where there is one. */
  readonly matches: ((text: string) => boolean) | undefined;
}

/** Tokens of a handoff without its frame, and of what it stands for. */
export interface QuotedRoom {
  readonly room: number;
  readonly replacedTokens: number;
}

/** With a focus, what matches it is taken from all. */
export function excerptsShareMax(
  options: QuotedRoom,
  { matches, hasProse }: Pick<ExcerptChoice, "matches"> & { readonly hasProse: boolean },
): number {
  if (hasProse) return EXCERPTS_BESIDE_PROSE_SHARE_MAX;
  return matches === undefined ? EXCERPTS_SHARE_MAX * partFor(shareOf(options) / FULLY_QUOTED_SHARE) : 1;
}

/** The share that is planned for them when the record gets its room; what the record does not use is theirs as well. */
export function plannedExcerptsShare(options: QuotedRoom): number {
  const share = shareOf(options);
  return EXCERPTS_SHARE_MAX * partFor(Math.min(share / FULLY_QUOTED_SHARE, 2 - share / WELL_TOLD_SHARE));
}

function shareOf({ room, replacedTokens }: QuotedRoom): number {
  return room / Math.max(1, replacedTokens);
}

function partFor(part: number): number {
  return Math.min(1, Math.max(EXCERPTS_PART_MIN, part));
}

interface ExcerptBudget {
  readonly tokens: TokenBudget;
  readonly tokensMax: number;
  /** What the handoff says already. */
  readonly present: string;
  /** Of their section's heading, where nothing else is in it. */
  readonly headingTokens: number;
}

export function excerptsHeadingTokens(
  sections: SectionFill,
  { template, measure }: Pick<SectionFillOptions, "template" | "measure">,
): number {
  const section = template.find(({ topics }) => topics.includes("context"));
  const isOpen = section?.topics.some((topic) => (sections.filled().get(topic)?.items ?? []).length > 0);
  return section === undefined || isOpen === true ? 0 : measure.text(`## ${section.heading}\n`);
}

/** What fits `tokensMax`, best first; errors may take all that is left. */
export function chooseExcerpts(
  { excerpts, carried, matches }: ExcerptChoice,
  measure: Measure,
  { tokens, tokensMax, present, headingTokens }: ExcerptBudget,
): readonly Excerpt[] {
  const kept: Excerpt[] = [];
  const sources = new Set<string>();
  const take = (one: Excerpt, limit: number): number => {
    const source = sources.has(one.source) ? 0 : measure.text(`${SOURCE_LEAD}${one.source}\n`);
    const cost = one.tokens + source + (kept.length === 0 ? headingTokens : 0);
    if (cost > limit || !tokens.spend(cost, one.text)) return 0;
    sources.add(one.source);
    kept.push(one);
    return cost;
  };
  // Errors may have all of the room: nothing else is asked for so surely.
  const forErrors = Math.max(0, tokens.left() - tokensMax);
  const left = (isError = false): number => tokens.left() - (isError ? 0 : forErrors);
  let old = carried.length === 0 ? 0 : left() * CARRIED_EXCERPTS_SHARE_MAX;
  for (const one of carried.toReversed()) if (!present.includes(one.text)) old -= take(one, old);
  const carriedCount = kept.length;
  const known = kept.map(({ text }) => text).join("\n");
  // With a focus more is asked for than fits: what matches is taken from the whole.
  const asked = tokens.left() * (matches === undefined ? 1 : FOCUS_STRETCH);
  const fresh = excerpts(Math.max(0, Math.floor(asked)), known === "" ? present : `${present}\n${known}`);
  const ranked =
    matches === undefined ? fresh : fresh.toSorted((a, b) => Number(matches(b.text)) - Number(matches(a.text)));
  for (const one of ranked) take(one, left(one.isError));
  // Where the whole handoff does not fit after all, the last ones are taken away first: the oldest of those carried on.
  return [...kept.slice(carriedCount), ...kept.slice(0, carriedCount)];
}
