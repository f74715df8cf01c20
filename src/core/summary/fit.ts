/** Chooses what a handoff holds: within its budget, section by section, each section's best items first. */
import type { Measure } from "../transcript/measure.ts";
import type { Excerpt, Item } from "./items.ts";
import { SOURCE_LEAD } from "./parse.ts";
import { leftOutLine, type Contents, type Filled } from "./render.ts";
import type { Section, Topic } from "./sections.ts";

/** All facts together; what is left goes to excerpts of the original, on which most of the recall rests. */
const FACTS_SHARE_MAX = 0.42;
/** Of the budget, at most. What asks for more than there is gets less in proportion, but for the first two. */
const SHARE_MAX: Readonly<Record<Topic, number>> = {
  task: 0.12,
  constraints: 0.25,
  goal: 0.1,
  blocked: 0.06,
  progress: 0.04,
  remaining: 0.06,
  state: 0.04,
  pending: 0.05,
  files: 0.12,
  actions: 0.12,
  decisions: 0.1,
  resolved: 0.06,
  context: 0.03,
};
const TOPICS_BY_NEED: readonly Topic[] = [
  "task",
  "constraints",
  "state",
  "blocked",
  "remaining",
  "progress",
  "pending",
  "goal",
  "files",
  "actions",
  "decisions",
  "resolved",
  "context",
];
const UNSCALED: readonly Topic[] = ["task", "constraints"];
/** reference/002 §12: what matches the focus gets 60 to 70 %. */
const FOCUS_SHARE = 0.65;
/** Excerpts that an earlier handoff chose, of the room for excerpts: what is older gives way, round by round. */
const CARRIED_EXCERPTS_SHARE_MAX = 0.3;
const LEFT_OUT_COUNT_WIDEST = 999;

export interface Candidates {
  readonly drafts: ReadonlyMap<Topic, readonly Item[]>;
  /** Excerpts worth at most so many tokens that do not repeat what is present. */
  readonly excerpts: (budget: number, present: string) => readonly Excerpt[];
  /** Those of an earlier handoff, newest last. */
  readonly carried: readonly Excerpt[];
  readonly matches: ((text: string) => boolean) | undefined;
}

export interface FitOptions {
  readonly template: readonly Section[];
  /** Tokens for the whole handoff, and for everything but its frame. */
  readonly budget: number;
  readonly room: number;
  readonly measure: Measure;
  readonly recall: string;
}

/** Tokens still to give out. With a focus, what does not match it has less. */
interface Purse {
  readonly left: () => number;
  /** Takes the tokens if that much may still go to what does or does not match. */
  readonly pay: (tokens: number, matching: boolean) => boolean;
}

function createPurse(tokens: number, forOther = tokens): Purse {
  let left = tokens;
  let other = forOther;
  return {
    left: () => left,
    pay: (cost, matching) => {
      if (cost > left || (!matching && cost > other)) return false;
      left -= cost;
      if (!matching) other -= cost;
      return true;
    },
  };
}

export function fit(candidates: Candidates, options: FitOptions): Omit<Contents, "firstNumber"> {
  const { room, budget } = options;
  const focused = candidates.matches !== undefined;
  const purse = createPurse(room, focused ? Math.max(0, room - budget * FOCUS_SHARE) : room);
  const table = createTable(candidates, options);
  const allowed = allowances(room, focused, table);
  for (const topic of TOPICS_BY_NEED) table.fill(topic, allowed.get(topic)!, purse);
  const excerpts = chooseExcerpts(candidates, options, { purse, present: table.text() });
  // What the excerpts leave is for the facts again, this time without caps.
  const spare = createPurse(purse.left());
  for (const topic of TOPICS_BY_NEED) table.fill(topic, spare.left(), spare);
  return { filled: table.filled(), excerpts };
}

/** What each section may take: its share, and no more than it has to say, brought down to what the facts may take together. */
function allowances(room: number, focused: boolean, table: Table): ReadonlyMap<Topic, number> {
  const wanted = new Map(
    TOPICS_BY_NEED.map((topic) => [topic, Math.min(room * SHARE_MAX[topic] * (focused ? 2 : 1), table.wants(topic))]),
  );
  const total = (topics: readonly Topic[]): number => topics.reduce((sum, topic) => sum + wanted.get(topic)!, 0);
  const scaled = TOPICS_BY_NEED.filter((topic) => !UNSCALED.includes(topic));
  const factor = Math.min(1, Math.max(0, room * FACTS_SHARE_MAX - total(UNSCALED)) / Math.max(1, total(scaled)));
  return new Map([...wanted].map(([topic, tokens]) => [topic, UNSCALED.includes(topic) ? tokens : tokens * factor]));
}

interface Table {
  /** Tokens for all of the topic's items. */
  readonly wants: (topic: Topic) => number;
  /** Adds the topic's best items that fit what is allowed. */
  readonly fill: (topic: Topic, allowed: number, purse: Purse) => void;
  readonly text: () => string;
  readonly filled: () => ReadonlyMap<Topic, Filled>;
}

function createTable({ drafts, matches }: Candidates, { template, measure, recall }: FitOptions): Table {
  const chosen = new Map<Topic, Item[]>();
  const groups = new Set<string>();
  const headingOf = (topic: Topic): string => template.find(({ topics }) => topics.includes(topic))?.heading ?? "";
  const overhead = (topic: Topic): number =>
    measure.text(`## ${headingOf(topic)}\n${leftOutLine(LEFT_OUT_COUNT_WIDEST, recall)}\n`);
  const costOf = (topic: Topic, { text, group }: Item): number => {
    if (topic !== "files") return measure.text(`- ${text}\n`);
    return measure.text(`${text}, `) + (groups.has(group ?? "") ? 1 : measure.text(`- ${group}: \n`));
  };
  return {
    wants: (topic) =>
      (drafts.get(topic) ?? []).reduce(
        (sum, item) => sum + costOf(topic, item),
        (drafts.get(topic) ?? []).length === 0 ? 0 : overhead(topic),
      ),
    fill: (topic, allowed, purse) => {
      const own = chosen.get(topic) ?? [];
      let left = allowed;
      for (const item of drafts.get(topic) ?? []) {
        const cost = costOf(topic, item) + (own.length === 0 ? overhead(topic) : 0);
        if (own.includes(item) || cost > left || !purse.pay(cost, matches?.(item.text) ?? true)) continue;
        left -= cost;
        own.push(item);
        if (item.group !== undefined) groups.add(item.group);
      }
      if (own.length > 0) chosen.set(topic, own);
    },
    text: () =>
      [...chosen.values()]
        .flat()
        .map(({ text }) => text)
        .join("\n"),
    filled: () =>
      new Map(
        [...drafts].map(([topic, items]) => [
          topic,
          { items: chosen.get(topic) ?? [], leftOut: items.length - (chosen.get(topic)?.length ?? 0) },
        ]),
      ),
  };
}

interface Room {
  readonly purse: Purse;
  /** What the handoff says already. */
  readonly present: string;
}

function chooseExcerpts(
  { excerpts, carried, matches }: Candidates,
  { measure }: FitOptions,
  { purse, present }: Room,
): readonly Excerpt[] {
  const room = purse.left();
  const kept: Excerpt[] = [];
  const sources = new Set<string>();
  const take = (one: Excerpt, limit: number): number => {
    const cost = one.tokens + (sources.has(one.source) ? 0 : measure.text(`${SOURCE_LEAD}${one.source}\n`));
    if (cost > limit || !purse.pay(cost, matches?.(one.text) ?? true)) return 0;
    sources.add(one.source);
    kept.push(one);
    return cost;
  };
  let old = carried.length === 0 ? 0 : room * CARRIED_EXCERPTS_SHARE_MAX;
  for (const one of carried.toReversed()) if (!present.includes(one.text)) old -= take(one, old);
  const known = kept.map(({ text }) => text).join("\n");
  // With a focus more is asked for than fits: what matches is taken from the whole.
  const asked = purse.left() * (matches === undefined ? 1 : 2);
  const fresh = excerpts(Math.max(0, Math.floor(asked)), known === "" ? present : `${present}\n${known}`);
  const ranked =
    matches === undefined ? fresh : [...fresh].toSorted((a, b) => Number(matches(b.text)) - Number(matches(a.text)));
  for (const one of ranked) take(one, purse.left());
  return kept;
}
