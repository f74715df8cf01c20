/** Chooses what a handoff holds: within its budget, section by section, each section's best items first. */
import type { Excerpt } from "../evidence/excerpts.ts";
import type { Measure } from "../transcript/measure.ts";
import type { Draft } from "./items.ts";
import { SOURCE_LEAD } from "./parse.ts";
import type { Contents } from "./render.ts";
import type { Topic } from "./sections.ts";
import { createTable, type Pay, type Table, type TableOptions } from "./table.ts";

/**
 * All facts together; what is left goes to excerpts of the original, on which most of the recall rests. This and the
 * shares are set by bound recall over the corpus (docs/evaluation.md): only a list of files pays for itself there, so the
 * rest is as much as a reader needs to go on.
 */
const FACTS_SHARE_MAX = 0.3;
/** In a large handoff that a model wrote sentences for: they say what no line of the original does. */
const TOLD_FACTS_SHARE_MAX = 0.4;
const TOLD_STRETCH = 2;
/** Of the budget, at most. What asks for more than there is gets less in proportion, but for those of `UNSCALED`. */
const SHARE_MAX: Readonly<Record<Topic, number>> = {
  task: 0.12,
  constraints: 0.25,
  goal: 0.05,
  blocked: 0.05,
  progress: 0.03,
  remaining: 0.06,
  state: 0.08,
  pending: 0.05,
  files: 0.18,
  actions: 0.05,
  decisions: 0.05,
  resolved: 0.03,
  context: 0.03,
  messages: 0.12,
  fixed: 0.05,
};
/** What is filled first. A complete record, because a topic without a place would silently get nothing. */
const NEED_RANK: Readonly<Record<Topic, number>> = {
  task: 1,
  constraints: 2,
  state: 3,
  blocked: 4,
  remaining: 5,
  progress: 6,
  pending: 7,
  goal: 8,
  messages: 9,
  files: 10,
  actions: 11,
  decisions: 12,
  fixed: 13,
  resolved: 14,
  context: 15,
};
const TOPICS_BY_NEED = (Object.keys(NEED_RANK) as Topic[]).toSorted((a, b) => NEED_RANK[a] - NEED_RANK[b]);
/** A file that was changed stands among the files; where there is room for a narrative, among the actions. */
const NARRATIVE_TOKENS_MIN = 4_000;
/** There these sections may grow by this factor. */
const NARRATIVE_STRETCH = 1.6;
const NARRATIVE: readonly Topic[] = ["goal", "actions", "decisions", "resolved"];
const NARRATIVE_TOPICS_BY_NEED = TOPICS_BY_NEED.map((topic) =>
  topic === "files" ? "actions" : topic === "actions" ? "files" : topic,
);
const UNSCALED: readonly Topic[] = ["task", "constraints", "goal", "state", "blocked", "progress", "decisions"];
/** The task gets this much of a small budget, up to a share of it: nothing else helps without it. */
const TASK_TOKENS = 160;
const TASK_SHARE_MAX = 0.3;
/** Less than this is not worth a heading. */
const SECTION_TOKENS_MIN = 60;
/** Zhang 2026, section 12: what matches the focus gets 60 to 70 %. */
const FOCUS_SHARE = 0.66;
/** With a focus, a section that matches may grow by this factor. */
const FOCUS_STRETCH = 2;
/** Excerpts that an earlier handoff chose, of the room for excerpts: what is older gives way, round by round. */
const CARRIED_EXCERPTS_SHARE_MAX = 0.3;

export interface Candidates {
  /** What each section could say, best first. */
  readonly drafts: ReadonlyMap<Topic, readonly Draft[]>;
  /** Excerpts worth at most so many tokens that do not repeat what is present. */
  readonly excerpts: (budget: number, present: string) => readonly Excerpt[];
  /** Those of an earlier handoff, newest last. */
  readonly carried: readonly Excerpt[];
  /** The sections that a model wrote, where one did. */
  readonly told: ReadonlySet<Topic>;
  /** Whether a text is about the focus, where there is one. */
  readonly matches: ((text: string) => boolean) | undefined;
}

export interface FitOptions extends TableOptions {
  /** Tokens for the whole handoff, and for everything but its frame. */
  readonly budget: number;
  readonly room: number;
}

export function fit(candidates: Candidates, options: FitOptions): Omit<Contents, "firstNumber"> {
  const { matches } = candidates;
  const purse = createPurse(options, matches);
  const table = createTable(
    matches === undefined ? candidates.drafts : matchingFirst(candidates.drafts, matches),
    options,
  );
  const narrative = options.budget >= NARRATIVE_TOKENS_MIN;
  const topics = narrative ? NARRATIVE_TOPICS_BY_NEED : TOPICS_BY_NEED;
  const stretch = (topic: Topic): number =>
    (matches === undefined ? 1 : FOCUS_STRETCH) *
    (!narrative ? 1 : candidates.told.has(topic) ? TOLD_STRETCH : NARRATIVE.includes(topic) ? NARRATIVE_STRETCH : 1);
  const most = narrative && candidates.told.size > 0 ? TOLD_FACTS_SHARE_MAX : FACTS_SHARE_MAX;
  const share = (topic: Topic): number => SHARE_MAX[topic] * stretch(topic);
  const allowed = allowances(topics, table, { share, most }, options.room);
  for (const topic of topics) table.fill(topic, allowed.get(topic)!, purse.pay);
  const excerpts = chooseExcerpts(candidates, options.measure, { purse, present: table.text() });
  // What the excerpts leave is for the facts again, without caps; but rules have had their quarter, and one that comes in
  // with a few spare tokens now would go again in the next handoff.
  for (const topic of topics) if (topic !== "constraints") table.fill(topic, purse.left(), purse.payAny);
  return { filled: table.filled(), excerpts };
}

/** Tokens still to give out. With a focus, what matches it and what does not each have their part. */
interface Purse {
  readonly left: () => number;
  readonly pay: Pay;
  /** Pays whatever the text is about. */
  readonly payAny: Pay;
}

function createPurse({ room, budget }: FitOptions, matches: Candidates["matches"]): Purse {
  let left = room;
  let matching = matches === undefined ? room : Math.min(room, budget * FOCUS_SHARE);
  let other = room - matching;
  const payAny: Pay = (cost) => {
    if (cost > left) return false;
    left -= cost;
    return true;
  };
  return {
    left: () => left,
    payAny,
    pay: (cost, text) => {
      const about = matches?.(text) ?? true;
      if (cost > (about ? matching : other) || !payAny(cost, text)) return false;
      if (about) matching -= cost;
      else other -= cost;
      return true;
    },
  };
}

function matchingFirst(drafts: Candidates["drafts"], matches: (text: string) => boolean): Candidates["drafts"] {
  const weighed = (draft: Draft): Draft & { readonly about: number } => {
    const text = draft.write();
    return { ...draft, write: () => text, about: Number(text !== undefined && matches(text)) };
  };
  return new Map(Array.from(drafts, ([topic, own]) => [topic, own.map(weighed).toSorted((a, b) => b.about - a.about)]));
}

interface Shares {
  /** What one section may take at most, and what all of them together. */
  readonly share: (topic: Topic) => number;
  readonly most: number;
}

/** What each section may take: its share, and no more than it has to say, brought down to what the facts may take together. */
function allowances(topics: readonly Topic[], table: Table, shares: Shares, room: number): ReadonlyMap<Topic, number> {
  const most = (topic: Topic): number =>
    Math.max(room * shares.share(topic), topic === "task" ? Math.min(TASK_TOKENS, room * TASK_SHARE_MAX) : 0);
  const wanted = new Map(topics.map((topic) => [topic, table.wants(topic, most(topic))]));
  const total = (some: readonly Topic[]): number => some.reduce((sum, topic) => sum + wanted.get(topic)!, 0);
  const granted = new Map(UNSCALED.map((topic) => [topic, wanted.get(topic)!]));
  const scaled = topics.filter((topic) => !UNSCALED.includes(topic));
  let left = Math.max(0, room * shares.most - total(UNSCALED));
  const factor = Math.min(1, left / Math.max(1, total(scaled)));
  // Shares too small for a heading are put together again for those who need them most.
  for (const topic of scaled) {
    const tokens = wanted.get(topic)! * factor;
    granted.set(topic, tokens < Math.min(wanted.get(topic)!, SECTION_TOKENS_MIN) ? 0 : tokens);
    left -= granted.get(topic)!;
  }
  for (const topic of scaled) {
    const more = Math.min(left, wanted.get(topic)! - granted.get(topic)!);
    if (granted.get(topic)! + more < Math.min(wanted.get(topic)!, SECTION_TOKENS_MIN)) continue;
    granted.set(topic, granted.get(topic)! + more);
    left -= more;
  }
  return granted;
}

interface Room {
  readonly purse: Purse;
  /** What the handoff says already. */
  readonly present: string;
}

function chooseExcerpts(
  { excerpts, carried, matches }: Candidates,
  measure: Measure,
  { purse, present }: Room,
): readonly Excerpt[] {
  const kept: Excerpt[] = [];
  const sources = new Set<string>();
  const take = (one: Excerpt, limit: number): number => {
    const cost = one.tokens + (sources.has(one.source) ? 0 : measure.text(`${SOURCE_LEAD}${one.source}\n`));
    if (cost > limit || !purse.pay(cost, one.text)) return 0;
    sources.add(one.source);
    kept.push(one);
    return cost;
  };
  let old = carried.length === 0 ? 0 : purse.left() * CARRIED_EXCERPTS_SHARE_MAX;
  for (const one of carried.toReversed()) if (!present.includes(one.text)) old -= take(one, old);
  const known = kept.map(({ text }) => text).join("\n");
  // With a focus more is asked for than fits: what matches is taken from the whole.
  const asked = purse.left() * (matches === undefined ? 1 : FOCUS_STRETCH);
  const fresh = excerpts(Math.max(0, Math.floor(asked)), known === "" ? present : `${present}\n${known}`);
  const ranked =
    matches === undefined ? fresh : fresh.toSorted((a, b) => Number(matches(b.text)) - Number(matches(a.text)));
  for (const one of ranked) take(one, purse.left());
  return kept;
}
