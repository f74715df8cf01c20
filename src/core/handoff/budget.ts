/** Chooses what a handoff holds: within its budget, section by section, each section's best items first. */
import { DASH, type ItemDraft, type Item } from "./items.ts";
import {
  chooseExcerpts,
  excerptsHeadingTokens,
  plannedExcerptsShare,
  excerptsShareMax,
  type ExcerptChoice,
  type QuotedRoom,
} from "./excerpt-fill.ts";
import { PROSE_RANK } from "./model/drafts.ts";
import type { HandoffContents } from "./render.ts";
import type { VisibleElsewhere } from "./record/context.ts";
import type { RecordRoom } from "./record/record.ts";
import { TOPICS, TOPICS_BY_NEED } from "./topics/index.ts";
import type { Topic } from "./topics/topic.ts";
import { createSectionFill, type SectionFill, type SectionFillOptions } from "./section-fill.ts";
import { createTokenBudget, FOCUS_STRETCH, spendOn, type TokenBudget, type WeighedLine } from "./token-budget.ts";

/** What the sections beside the record may take together; where a model wrote them, they are most of the handoff. */
const FACTS_SHARE_MAX = 0.45;
/** What a model wrote may take the first tokens whole and that much of the rest, and the ledger beside it that much. */
const PROSE_TOKENS_FIRST = 600;
const PROSE_SHARE_MAX = 0.9;
const BESIDE_PROSE_SHARE_MAX = 0.2;
/** So much is told first, before other sections and lines of the original get their part: a small handoff is all record. */
const RECORD_TOKENS_FIRST = 1_150;
/** Less than this is not worth a heading. */
const SECTION_TOKENS_MIN = 60;

/** An episode of the record. */
export interface RecordItem extends Item {
  readonly lines: readonly WeighedLine[];
}

export interface Candidates extends ExcerptChoice {
  /** What each section could say, best first. */
  readonly drafts: ReadonlyMap<Topic, readonly ItemDraft[]>;
  /** The record of episodes, in at most that much room; none where a model wrote all that was done. */
  readonly record: ((room: RecordRoom, present: VisibleElsewhere) => readonly RecordItem[]) | undefined;
  /** Beside a model's words, of the room: what the episodes that it has not read are of all. */
  readonly recordShare: number;
  /** What it takes to quote the errors that stand to this day. */
  readonly errorTokens: number;
  /** The sections that a model wrote, where one did. */
  readonly byModel: ReadonlySet<Topic>;
}

export interface FitOptions extends SectionFillOptions, QuotedRoom {
  /** Tokens for the whole handoff. */
  readonly budget: number;
  /** Whether excerpts may have all that the facts leave. */
  readonly quotesFillBudget: boolean;
}

export function fit(candidates: Candidates, options: FitOptions): Omit<HandoffContents, "firstNumber"> {
  const { matches } = candidates;
  const tokens = createTokenBudget(options, matches);
  const sections = createSectionFill(
    matches === undefined ? candidates.drafts : matchingFirst(candidates.drafts, matches),
    options,
  );
  const topics = TOPICS_BY_NEED;
  const stretch = matches === undefined ? 1 : FOCUS_STRETCH;
  const share = (topic: Topic): number => TOPICS[topic].share * stretch;
  const prose = candidates.byModel.size === 0 ? 0 : fillProse(candidates, options, { tokens, sections, share });
  const most = prose > 0 ? BESIDE_PROSE_SHARE_MAX : FACTS_SHARE_MAX;
  const allowed = allowances(topics, sections, { share, most }, options.room);
  const first = topics.filter((topic) => TOPICS[topic].afterRecord !== true);
  const later = topics.filter((topic) => TOPICS[topic].afterRecord === true);
  // The files are listed by one of the two.
  const isListedByModel = (topic: Topic): boolean => topic === "files" && candidates.byModel.has(topic);
  const isUnsaid = prose > 0 ? saysMoreThan(sections.text()) : () => true;
  for (const topic of first) {
    if (prose > 0 && TOPICS[topic].wordForWord === true) continue;
    if (isListedByModel(topic)) continue;
    sections.fill(topic, allowed.get(topic)!, tokens.spend, topic === "files" ? undefined : isUnsaid);
  }
  const forRecord = prose > 0 ? recordBesideProse(candidates, options) : 0;
  fillRestOfProse(candidates, { tokens, sections, forRecord });
  const { record, recordText, isInside } = fillRecord(candidates, options, {
    tokens,
    sections,
    later,
    allowed,
    isUnsaid,
    ...(prose > 0 ? { besideProse: forRecord } : {}),
  });
  const quoted = options.room * excerptsShareMax(options, { matches, hasProse: prose > 0 });
  // Rules have had their share, and one that comes in with a few spare tokens now would go again in the next handoff.
  const fillFacts = (reserved: number): void => {
    for (const topic of topics)
      if (topic !== "constraints" && !isListedByModel(topic))
        sections.fill(
          topic,
          tokens.left() - reserved,
          tokens.spendOnAnything,
          (item) => !isInside(item) && isUnsaid(item),
        );
  };
  if (options.quotesFillBudget) fillFacts(quoted);
  const excerpts = chooseExcerpts(candidates, options.measure, {
    tokens,
    tokensMax: options.quotesFillBudget ? tokens.left() : quoted,
    present: `${sections.text()}\n${recordText}`,
    headingTokens: excerptsHeadingTokens(sections, options),
  });
  // What the excerpts leave is for the facts again, without caps.
  fillFacts(0);
  const filled = new Map(sections.filled());
  if (record.length > 0) {
    const { items, leftOut } = filled.get("actions") ?? { items: [], leftOut: 0 };
    filled.set("actions", { items: [...items, ...record], leftOut });
  }
  return { filled, excerpts };
}

interface RecordPlan {
  readonly tokens: TokenBudget;
  readonly sections: SectionFill;
  /** The sections that are filled with what the record leaves out, and what each may take. */
  readonly later: readonly Topic[];
  readonly allowed: ReadonlyMap<Topic, number>;
  readonly isUnsaid: (item: Item) => boolean;
  /** What is kept for the record beside what a model wrote: it may have half of what is left as well. */
  readonly besideProse?: number;
}

interface FilledRecord {
  readonly record: readonly Item[];
  readonly recordText: string;
  /** Whether the record says what an item says. */
  readonly isInside: (item: Item) => boolean;
}

/** Writes the record, and the sections after it with what it leaves out; what those do not need is worth most in the record. */
function fillRecord(candidates: Candidates, options: FitOptions, plan: RecordPlan): FilledRecord {
  const { tokens, sections, later, allowed, isUnsaid, besideProse } = plan;
  const reserved = later.reduce((sum, topic) => sum + allowed.get(topic)!, 0);
  const others = { errors: candidates.errorTokens, quotedShare: plannedExcerptsShare(options) };
  const present = presentIn(sections);
  const recordIn = (tokensMax: number): readonly RecordItem[] =>
    candidates.record?.({ tokensMax, matchingMax: tokens.matchingLeft() }, present) ?? [];
  const roomBeside = (sectionsAfter: number): number =>
    besideProse === undefined
      ? recordRoom(tokens.left(), { ...others, reserved: sectionsAfter })
      : Math.min(Math.max(besideProse, tokens.left() / 2), tokens.left());
  const planned = roomBeside(reserved);
  let record = recordIn(planned);
  let recordText = textOf(record);
  const inside = new Map<Item, boolean>();
  const isInside = (item: Item): boolean => {
    let known = inside.get(item);
    if (known === undefined) inside.set(item, (known = recordText !== "" && isInRecord(item.text, recordText)));
    return known;
  };
  for (const topic of later)
    sections.fill(topic, allowed.get(topic)!, tokens.spend, (item) => !isInside(item) && isUnsaid(item));
  const tokensMax = roomBeside(0);
  if (tokensMax < planned || tokensMax > planned * ROOM_WORTH_REWRITING) {
    record = recordIn(tokensMax);
    recordText = textOf(record);
    inside.clear();
  }
  for (const { lines } of record) spendOn(lines, tokens);
  return { record, recordText, isInside };
}

interface Others {
  /** Tokens of the sections after the record, and of the errors that stand. */
  readonly reserved: number;
  readonly errors: number;
  readonly quotedShare: number;
}

/** The record comes first; beyond its first tokens, sections after it and lines of the original have their part. */
function recordRoom(left: number, { reserved, errors, quotedShare: share }: Others): number {
  const beyond = Math.max(0, left - RECORD_TOKENS_FIRST);
  const others = Math.min(reserved, beyond * AFTER_RECORD_SHARE_MAX);
  const quoted = Math.min(beyond - others, left * share);
  return left - others - Math.max(quoted, Math.min(errors, left * ERRORS_SHARE_MAX));
}

/** With so much more room than planned, the record is written again. */
const ROOM_WORTH_REWRITING = 1.25;

/** Errors that nothing made good are quoted before anything else gets more room, up to this share. */
const ERRORS_SHARE_MAX = 0.3;

function presentIn(sections: SectionFill): VisibleElsewhere {
  const textsOf = (topic: Topic): readonly string[] =>
    (sections.filled().get(topic)?.items ?? []).map(({ text }) => text);
  return { said: sections.text(), rules: textsOf("constraints"), goal: textsOf("goal") };
}

/** Of the room beyond the first tokens. */
const AFTER_RECORD_SHARE_MAX = 0.2;

/** What a model wrote beyond its share: it comes before any quote. */
function fillRestOfProse(
  { byModel }: Candidates,
  {
    tokens,
    sections,
    forRecord,
  }: { readonly tokens: TokenBudget; readonly sections: SectionFill; readonly forRecord: number },
): void {
  for (const topic of BY_MODEL_BY_NEED)
    if (topic !== "constraints" && byModel.has(topic))
      sections.fill(topic, tokens.left() - forRecord, tokens.spendOnAnything, ({ rank }) => rank >= PROSE_RANK);
}

/** Room for the episodes that a model has not read: their share of all, and enough for a few lines. */
function recordBesideProse({ record, recordShare }: Candidates, { room }: FitOptions): number {
  return record === undefined ? 0 : Math.max(room * recordShare, Math.min(UNREAD_TOKENS_MIN, room * UNREAD_SHARE_MIN));
}

const UNREAD_TOKENS_MIN = 300;
const UNREAD_SHARE_MIN = 0.2;

/** Of a model's answer that is too long the oldest steps give way: files and version control still show them. */
const BY_MODEL_BY_NEED = TOPICS_BY_NEED.toSorted((a, b) => Number(a === "actions") - Number(b === "actions"));

/** Places a person's own words and then what a model wrote; says how many tokens the latter took. */
function fillProse(
  candidates: Candidates,
  options: FitOptions,
  {
    tokens,
    sections,
    share,
  }: { readonly tokens: TokenBudget; readonly sections: SectionFill; readonly share: (topic: Topic) => number },
): number {
  const { byModel } = candidates;
  const { room } = options;
  const spare = new Map<Topic, number>();
  for (const topic of TOPICS_BY_NEED.filter((one) => TOPICS[one].wordForWord === true)) {
    const before = tokens.left();
    const most = room * share(topic) * (topic === "task" && byModel.has(topic) ? TASK_BESIDE_PROSE_SHARE : 1);
    sections.fill(topic, most, tokens.spend, ({ rank }) => rank < PROSE_RANK);
    spare.set(topic, most - (before - tokens.left()));
  }
  const before = tokens.left();
  for (const topic of BY_MODEL_BY_NEED) {
    if (!byModel.has(topic)) continue;
    const others =
      Math.max(0, room - PROSE_TOKENS_FIRST) * (1 - PROSE_SHARE_MAX) + recordBesideProse(candidates, options);
    const left = tokens.left() - others;
    const allowed = topic === "constraints" ? Math.min(left, spare.get(topic)!) : left;
    // A rule that only the task's words hold is gone with the task.
    const rules = sections.filled().get("constraints")?.items ?? [];
    const isNew = topic === "constraints" ? saysMoreThan(textOf(rules)) : () => true;
    sections.fill(topic, allowed, tokens.spendOnAnything, (item) => item.rank >= PROSE_RANK && isNew(item));
  }
  return before - tokens.left();
}

/** The newest request is in full below, and the model says what it rests on. */
const TASK_BESIDE_PROSE_SHARE = 0.3;

const WORD = /[\p{L}\p{N}_./-]{4,}/gu;
/** An item of whose words that many are in what a model wrote says nothing new. */
const SAID_SHARE_MIN = 0.7;

function saysMoreThan(prose: string): (item: Item) => boolean {
  const said = new Set(prose.toLowerCase().match(WORD) ?? []);
  return ({ text }) => {
    const words = text.toLowerCase().match(WORD) ?? [];
    return words.filter((word) => said.has(word)).length < words.length * SAID_SHARE_MIN;
  };
}

/** Of a question with its answer, the record says both where it tells the question. */
function isInRecord(text: string, recordText: string): boolean {
  const question = text.includes(DASH) ? /^([\s\S]+?) — (?:answered|user): /.exec(text)?.[1] : undefined;
  return recordText.includes(question === undefined ? text : question.slice(0, QUESTION_CHARS_COMPARED));
}

const QUESTION_CHARS_COMPARED = 60;

function textOf(items: readonly Item[]): string {
  return items.map(({ text }) => text).join("\n");
}

function matchingFirst(drafts: Candidates["drafts"], matches: (text: string) => boolean): Candidates["drafts"] {
  const weighed = (draft: ItemDraft): ItemDraft & { readonly about: number } => {
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
function allowances(
  topics: readonly Topic[],
  sections: SectionFill,
  shares: Shares,
  room: number,
): ReadonlyMap<Topic, number> {
  const most = (topic: Topic): number => {
    const { tokens, shareMax } = TOPICS[topic].least ?? { tokens: 0, shareMax: 0 };
    return Math.max(room * shares.share(topic), Math.min(tokens, room * shareMax));
  };
  const wanted = new Map(topics.map((topic) => [topic, sections.wants(topic, most(topic))]));
  const total = (some: readonly Topic[]): number => some.reduce((sum, topic) => sum + wanted.get(topic)!, 0);
  const keeping = topics.filter((topic) => TOPICS[topic].keepsShare === true);
  const granted = new Map(keeping.map((topic) => [topic, wanted.get(topic)!]));
  const scaled = topics.filter((topic) => TOPICS[topic].keepsShare !== true);
  let left = Math.max(0, room * shares.most - total(keeping));
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
