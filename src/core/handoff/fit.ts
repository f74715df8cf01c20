/**
 * Chooses what a handoff holds within its room: what a model wrote, then each section's best items up to its share, and the
 * record of turns in what is left.
 */
import type { Measure } from "../transcript/measure.ts";
import type { Item, ItemDraft } from "./items.ts";
import type { Items } from "./model/asked.ts";
import { weighItems, within } from "./model/former-record.ts";
import { leftOutLine, type FilledSection } from "./render.ts";
import { TOPICS, TOPICS_BY_NEED } from "./sections/topics.ts";
import type { Topic } from "./sections/topic.ts";
import type { Section } from "./templates.ts";

/** What the sections beside the record may take together. */
const SECTIONS_SHARE_MAX = 0.45;
/** The least of a section that is worth its heading, up to a share of a small handoff. */
const LEAST_TOKENS = 60;
const LEAST_SHARE_MAX = 0.2;
/** After that many items in a row that do not fit, smaller ones are not looked for. */
const MISFITS_MAX = 6;
const LEFT_OUT_COUNT_WIDEST = 999;
/** Items of a model rank above every draft of code's, and come before them. */
const PROSE_RANK = 100;
const PROSE_ORDER = -500_000;
/** A model's words in less than this of the room are poorer than the record that code writes of the same: both stand. */
const PROSE_SHARE_MIN = 0.3;
/** With a focus, what is about it may take that many times its share. */
const FOCUS_STRETCH = 2;
/** With a focus, of the handoff (Zhang 2026, section 12: 60 to 70 %). */
const FOCUS_SHARE = 0.65;

export interface Candidates {
  /** What a model wrote; nothing where none did. */
  readonly prose: Items;
  /** What each section could say beside it, best first. */
  readonly drafts: ReadonlyMap<Topic, readonly ItemDraft[]>;
  /** The record of turns in at most that many tokens, and of them so many about the focus. */
  readonly record: (tokensMax: number, aboutMax: number) => readonly Item[];
  /** Beside a model's words, of the room: what the turns that it has not read are of all. */
  readonly unreadShare: number;
  /** Whether what a model's words leave of the room is for the record, however much they say. */
  readonly fillsRoom: boolean;
  readonly matches: ((text: string) => boolean) | undefined;
}

export interface FitOptions {
  readonly template: readonly Section[];
  readonly measure: Measure;
  readonly recall: string;
  readonly budget: number;
  readonly room: number;
}

export function fit(candidates: Candidates, options: FitOptions): ReadonlyMap<Topic, FilledSection> {
  const { room, measure } = options;
  const costs = costsWith(options);
  const rows = new Map(
    Array.from(candidates.drafts, ([topic, drafts]) => [topic, rowOf(topic, drafts, candidates.matches)]),
  );
  const seen = new Set<string>();
  const forUnread = room * candidates.unreadShare;
  const prose = within(candidates.prose, room - forUnread, measure);
  const proseTokens = weighItems(prose, measure);
  const hasProse = proseTokens > 0;
  let left = room - proseTokens;
  let forSections = hasProse ? left - forUnread : Math.min(left, room * SECTIONS_SHARE_MAX);
  let forOthers = candidates.matches === undefined ? forSections : Math.max(0, room - options.budget * FOCUS_SHARE) / 2;
  for (const topic of TOPICS_BY_NEED) {
    const row = rows.get(topic);
    if (row === undefined) continue;
    const share = TOPICS[topic].share * (candidates.matches === undefined ? 1 : FOCUS_STRETCH);
    const most = Math.min(forSections, Math.max(room * share, Math.min(LEAST_TOKENS, room * LEAST_SHARE_MAX)));
    const about = fill(row, { costs, seen, most, wanted: ({ text }) => candidates.matches?.(text) ?? false });
    const others = fill(row, { costs, seen, most: Math.min(most - about, forOthers), wanted: () => true });
    left -= about + others;
    forSections -= about + others;
    forOthers -= others;
  }
  const chosen = [...rows.values()].flatMap((row) => [...row.chosen]);
  const about = chosen.filter(({ text }) => candidates.matches?.(text));
  const isFilled = !hasProse || candidates.fillsRoom || proseTokens < room * PROSE_SHARE_MIN;
  const aboutMax = Math.max(0, options.budget * FOCUS_SHARE - measure.text(said(about)));
  const turns = isFilled || forUnread > 0 ? candidates.record(left, aboutMax) : [];
  let free = left - weighTurns(turns, measure);
  // What the record does not need is for what did not fit into its section's share, but for a longer list of files.
  for (const topic of TOPICS_BY_NEED) {
    const row = rows.get(topic);
    if (row !== undefined && topic !== "files") free -= fill(row, { costs, seen, most: free, wanted: () => true });
  }
  const filled = new Map(Array.from(rows, ([topic, row]) => [topic, filledOf(row)]));
  const add = (topic: Topic, more: readonly Item[]): void => {
    const { items, leftOut } = filled.get(topic) ?? { items: [], leftOut: 0 };
    if (more.length > 0) filled.set(topic, { items: [...items, ...more], leftOut });
  };
  for (const [topic, texts] of prose) add(topic, texts.map(proseItem(topic)));
  // Beside a model's words the turns come last, but for those that go on from its own steps.
  add(hasProse && (forUnread === 0 || !prose.has("actions")) ? "context" : "actions", turns);
  return filled;
}

function weighTurns(turns: readonly Item[], measure: Measure): number {
  return turns.length === 0 ? 0 : measure.text(`## -\n${said(turns)}\n`) + turns.length * TURN_MARK_TOKENS;
}

/** Its number and margin. */
const TURN_MARK_TOKENS = 4;

/** Of what was done the newest is worth most, elsewhere what comes first. */
function proseItem(topic: Topic): (text: string, at: number) => Item {
  return (text, at) => {
    const rank = topic === "actions" ? PROSE_RANK : PROSE_RANK - at / (at + 1);
    return { rank, order: PROSE_ORDER + at, key: text, text };
  };
}

export function isProse({ rank }: Item): boolean {
  return rank > PROSE_RANK - 1;
}

function said(items: readonly Item[]): string {
  return items.map(({ text }) => text).join("\n");
}

interface Row {
  readonly topic: Topic;
  readonly items: readonly Item[];
  readonly chosen: Set<Item>;
  readonly groups: Set<string>;
}

function rowOf(topic: Topic, drafts: readonly ItemDraft[], matches: Candidates["matches"]): Row {
  const items = drafts.flatMap((draft) => itemOf(topic, draft) ?? []);
  const about = (item: Item): number => Number(matches?.(item.text) ?? false);
  const ordered = matches === undefined ? items : items.toSorted((a, b) => about(b) - about(a));
  return { topic, items: ordered, chosen: new Set(), groups: new Set() };
}

function itemOf(topic: Topic, draft: ItemDraft): Item | undefined {
  const text = draft.write()?.trim();
  if (text === undefined || text === "") return undefined;
  const { rank, order, group } = draft;
  const key = TOPICS[topic].keyOf(text);
  return { key, text, rank, order, ...(group === undefined ? {} : { group }) };
}

interface Filling {
  readonly costs: Costs;
  /** Keys of what is said already, in any section. */
  readonly seen: Set<string>;
  readonly most: number;
  readonly wanted: (item: Item) => boolean;
}

/** Adds the best items that fit; returns the tokens they take. */
function fill(row: Row, { costs, seen, most, wanted }: Filling): number {
  let used = 0;
  let misfits = 0;
  for (const item of row.items) {
    if (row.chosen.has(item) || !wanted(item) || seen.has(item.key)) continue;
    const cost = costs.item(row, item);
    if (used + cost > most) {
      if (++misfits >= MISFITS_MAX) break;
      continue;
    }
    used += cost;
    row.chosen.add(item);
    seen.add(item.key);
    if (item.group !== undefined) row.groups.add(item.group);
  }
  return used;
}

function filledOf({ items, chosen }: Row): FilledSection {
  return { items: [...chosen], leftOut: items.length - chosen.size };
}

interface Costs {
  readonly item: (row: Row, item: Item) => number;
}

function costsWith({ template, measure, recall }: FitOptions): Costs {
  const headings = new Map(template.flatMap(({ heading, topics }) => topics.map((topic) => [topic, heading])));
  const leftOut = measure.text(`${leftOutLine(LEFT_OUT_COUNT_WIDEST, recall)}\n`);
  return {
    item: ({ topic, chosen, groups }, { text, group }) => {
      const grouped = TOPICS[topic].layout === "grouped";
      const own = measure.text(grouped ? `${text}, ` : `- ${text}\n`);
      const lead = group === undefined || groups.has(group) ? 0 : measure.text(`- ${group}: \n`);
      return own + lead + (chosen.size === 0 ? measure.text(`## ${headings.get(topic)}\n`) + leftOut : 0);
    },
  };
}
