/** The sections of a handoff while they are filled: items are worked out one by one, and only while there is room. */
import type { Measure } from "../transcript/measure.ts";
import type { ItemDraft, Item } from "./items.ts";
import { citedIn } from "./model/citations.ts";
import { leftOutLine, type FilledSection } from "./render.ts";
import type { Section } from "./templates.ts";
import { TOPICS } from "./topics/index.ts";
import type { Topic } from "./topics/topic.ts";

/** After that many items in a row that do not fit, smaller ones are not looked for. */
const MISFITS_MAX = 6;
const LEFT_OUT_COUNT_WIDEST = 999;
/** So few are likely to fit whole. */
const FEW_ITEMS = 3;

/** Takes tokens from what is left to give out; false when that much may not go to this text. */
export type Spend = (tokens: number, text: string) => boolean;

export interface SectionFill {
  /** Tokens for all that the topic has to say beyond what was chosen, as far as `most`. */
  readonly wants: (topic: Topic, most: number) => number;
  /** Adds the topic's best items that fit what is allowed and can be paid. */
  readonly fill: (topic: Topic, allowed: number, spend: Spend, wanted?: (item: Item) => boolean) => void;
  /** All that was chosen. */
  readonly text: () => string;
  readonly filled: () => ReadonlyMap<Topic, FilledSection>;
}

export interface SectionFillOptions {
  readonly template: readonly Section[];
  readonly measure: Measure;
  readonly recall: string;
}

export function createSectionFill(
  drafts: ReadonlyMap<Topic, readonly ItemDraft[]>,
  options: SectionFillOptions,
): SectionFill {
  const seen = new Set<string>();
  const rows = new Map([...drafts].map(([topic, own]) => [topic, createRow(topic, own, seen)]));
  const groups = new Set<string>();
  const costs = costsWith(options);
  const costOf = (topic: Topic, item: Item, chosen: number): number => {
    const group = item.group === undefined || groups.has(item.group) ? 0 : costs.group(item.group);
    const few = (rows.get(topic)?.count() ?? 0) <= FEW_ITEMS;
    return costs.item(topic, item) + group + (chosen === 0 ? costs.heading(topic) + (few ? 0 : costs.leftOut) : 0);
  };
  return {
    wants: (topic, most) => {
      const row = rows.get(topic);
      let sum = 0;
      for (let at = 0, item = row?.at(0); item !== undefined && sum < most; item = row!.at(++at))
        if (!row!.chosen.has(item)) sum += costOf(topic, item, at);
      return Math.min(sum, most);
    },
    fill: (topic, allowed, spend, wanted) => {
      const row = rows.get(topic);
      let left = allowed;
      let misfits = 0;
      for (let at = 0, item = row?.at(0); item !== undefined && misfits < MISFITS_MAX; item = row!.at(++at)) {
        if (row!.chosen.has(item) || wanted?.(item) === false) continue;
        const cost = costOf(topic, item, row!.chosen.size);
        if (cost > left || !spend(cost, item.text)) {
          misfits++;
          continue;
        }
        left -= cost;
        row!.chosen.add(item);
        if (item.group !== undefined) groups.add(item.group);
      }
    },
    text: () => Array.from(rows.values(), ({ chosen }) => Array.from(chosen, ({ text }) => text).join("\n")).join("\n"),
    filled: () =>
      new Map(
        Array.from(rows, ([topic, row]) => [topic, { items: [...row.chosen], leftOut: row.count() - row.chosen.size }]),
      ),
  };
}

interface Row {
  /** The item at that place among those with something to say, best first. */
  readonly at: (place: number) => Item | undefined;
  readonly chosen: Set<Item>;
  /** How many there are, as far as is known. */
  readonly count: () => number;
}

/** Works out drafts on demand; one whose words are said already comes to nothing. */
function createRow(topic: Topic, drafts: readonly ItemDraft[], seen: Set<string>): Row {
  const items: Item[] = [];
  let next = 0;
  const at = (place: number): Item | undefined => {
    while (items.length <= place && next < drafts.length) {
      const item = itemOf(topic, drafts[next++]!);
      if (item === undefined || seen.has(item.key)) continue;
      seen.add(item.key);
      items.push(item);
    }
    return items[place];
  };
  return { at, chosen: new Set(), count: () => items.length + drafts.length - next };
}

/** The item a draft comes to. */
function itemOf(topic: Topic, draft: ItemDraft): Item | undefined {
  const text = draft.write()?.trim();
  if (text === undefined || text === "") return undefined;
  const { rank, order, group } = draft;
  const key = TOPICS[topic].keyOf(citedIn(text).claim);
  return { key, text, rank, order, ...(group === undefined ? {} : { group }) };
}

interface Costs {
  readonly item: (topic: Topic, item: Item) => number;
  readonly heading: (topic: Topic) => number;
  /** The line that says how many were left out. */
  readonly leftOut: number;
  readonly group: (group: string) => number;
}

function costsWith({ template, measure, recall }: SectionFillOptions): Costs {
  const known = new Map<Item, number>();
  const sections = new Map<Topic, number>();
  const headings = new Map(template.flatMap(({ heading, topics }) => topics.map((topic) => [topic, heading])));
  return {
    item: (topic, item) =>
      remembered(known, item, () =>
        measure.text(TOPICS[topic].layout === "grouped" ? `${item.text}, ` : `- ${item.text}\n`),
      ),
    heading: (topic) => remembered(sections, topic, () => measure.text(`## ${headings.get(topic)}\n`)),
    leftOut: measure.text(`${leftOutLine(LEFT_OUT_COUNT_WIDEST, recall)}\n`),
    group: (group) => measure.text(`- ${group}: \n`),
  };
}

function remembered<Key>(known: Map<Key, number>, key: Key, weigh: () => number): number {
  let tokens = known.get(key);
  if (tokens === undefined) {
    tokens = weigh();
    known.set(key, tokens);
  }
  return tokens;
}
