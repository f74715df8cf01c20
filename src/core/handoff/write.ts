/**
 * The handoff: what replaces the messages that a compaction removes, written from the ledger and from
 * excerpts of the original by code alone. It says what Zhang 2026 asks of a summary in its thirteen sections, stays
 * within its budget, and can be read back, so that the next handoff continues this one.
 */
import type { Excerpt } from "../excerpts/excerpts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Measure } from "../transcript/measure.ts";
import { contentText, type Message } from "../transcript/message.ts";
import { carriedDrafts } from "./carry.ts";
import { fit, type RecordItem } from "./budget.ts";
import { focusMatcher } from "./focus.ts";
import { frameOf } from "./framing.ts";
import type { AlreadyVisible, Item, ItemDraft } from "./items.ts";
import { opensWithHandoff } from "./marks.ts";
import type { HandoffMaterial } from "./material.ts";
import { parseHandoff, type ParsedHandoff } from "./parse.ts";
import { sectionLines, type HandoffContents, type FilledSection } from "./render.ts";
import { recordOf, type RecordEpisode, type RecordRequest, type SessionRecord } from "./record/record.ts";
import type { Items } from "./model/asked.ts";
import { NEWER_ORDER, withProse } from "./model/drafts.ts";
import { THIRTEEN_SECTIONS, type Section } from "./templates.ts";
import { LASTING_RANK } from "./topics/actions.ts";
import { TOPICS, TOPICS_BY_NEED } from "./topics/index.ts";
import type { Topic } from "./topics/topic.ts";

export { parseHandoff, type ParsedHandoff } from "./parse.ts";

export interface HandoffRequest {
  /** The conversation as it is, before anything is removed or pruned. */
  readonly messages: readonly Message[];
  readonly ledger: Ledger;
  /** Messages of the conversation before the first of these; 0 where not given. */
  readonly before?: number;
  /** The messages that the handoff replaces: `messages[from .. until)`. */
  readonly from: number;
  readonly until: number;
  /** Tokens for the whole text, frame included; never exceeded from `HANDOFF_TOKENS_MIN` up. */
  readonly budget: number;
  readonly measure: Measure;
  /** A topic that gets 60 to 70 % of the budget. */
  readonly focus?: string;
  /** Recall id of the whole replaced span. */
  readonly spanRecall: string;
  /** The handoff that is among the messages, read back: merged into the new one. */
  readonly previous?: ParsedHandoff | undefined;
  /** Index of the live request, which is kept verbatim after the handoff; -1 where there is none. */
  readonly liveRequest?: number;
  /** Excerpts worth at most that many tokens that do not repeat what the handoff has already, nor what is next to it. */
  readonly excerpts: (budget: number, present: string) => readonly Excerpt[];
  /** Whether excerpts may have all that the facts leave, because nothing else can use it. */
  readonly quotesFillBudget?: boolean;
  /** What it takes to quote the errors that stand to this day; 0 where not given. */
  readonly errorTokens?: () => number;
  /** What is kept verbatim beside the handoff. */
  readonly beside: AlreadyVisible;
  /** Takes secrets out; everything that enters passes it. */
  readonly redact: (text: string) => string;
  /** The thirteen sections where it is not set. */
  readonly template?: readonly Section[];
  /** What a model wrote and the checks left of it: takes the place of the ledger's narrative. */
  readonly prose?: Items;
  /** The ledger tells what happened from this message on, where the model read no further. */
  readonly proseUntil?: number;
}

export interface SectionReport {
  readonly topic: Topic;
  readonly written: number;
  readonly leftOut: number;
}

export interface Handoff {
  readonly text: string;
  readonly tokens: number;
  readonly sections: readonly SectionReport[];
  /** What the sections say, without excerpts. */
  readonly said: string;
  readonly excerpts: readonly Excerpt[];
}

/** The least budget at which a handoff says anything. */
export const HANDOFF_TOKENS_MIN = 150;
const SHORT_FRAME_TOKENS_MAX = 600;
const EARLIER_SPANS_MAX = 2;
/** Estimates of parts do not add up to the estimate of the whole. */
const MARGIN_SHARE = 0.01;

export function writeHandoff(request: HandoffRequest): Handoff {
  const { measure, budget, previous, spanRecall, before = 0 } = request;
  const template = request.template ?? THIRTEEN_SECTIONS;
  const earlier = (previous?.spans ?? []).slice(0, EARLIER_SPANS_MAX);
  const replaced = { recall: spanRecall, earlier, first: before + request.from + 1, last: before + request.until };
  const frame = frameOf(replaced, budget < SHORT_FRAME_TOKENS_MAX);
  const drafts = draftsOf(request);
  const fixed = measure.text(`${frame.opening}\n${frame.closing}\n`);
  const room = Math.floor((budget - fixed) * (1 - MARGIN_SHARE));
  const { redact, focus } = request;
  const matches = focus === undefined || focus.trim() === "" ? undefined : focusMatcher(focus);
  const record = recordFor(request, matches);
  const replacedTokens = measure.messages(request.messages.slice(request.from, request.until));
  const chosen = fit(
    {
      drafts,
      record:
        record &&
        ((recordRoom, present) =>
          record.within(recordRoom, present).map(writtenByModel(request) ? newerItem : recordItem)),
      recordShare: unreadShare(request),
      excerpts: (tokens, present) => request.excerpts(tokens, present).map((one) => redacted(one, redact)),
      errorTokens: request.errorTokens?.() ?? 0,
      carried: (previous?.excerpts ?? [])
        .filter(({ source }) => !writtenByModel(request) || !SPOKEN.has(source))
        .map((one, at) => ({
          ...one,
          message: at - CARRIED_BEFORE,
          tokens: measure.text(`${one.text}\n`),
        })),
      byModel: new Set([...(request.prose ?? NO_PROSE)].flatMap(([topic, texts]) => (texts.length > 0 ? [topic] : []))),
      matches,
    },
    {
      template,
      budget,
      room,
      measure,
      recall: spanRecall,
      replacedTokens,
      quotesFillBudget: request.quotesFillBudget ?? false,
    },
  );
  const write = (contents: Omit<HandoffContents, "firstNumber">): string => {
    const numbered = { ...contents, firstNumber: firstNumberOf(contents.filled, previous) };
    const lines = withoutEmptyParents(template, (section) =>
      sectionLines(section, numbered, { template, recall: spanRecall }),
    );
    return [frame.opening, ...lines, frame.closing].join("\n");
  };
  return withinBudget(chosen, write, request);
}

/** A section that only holds others is written where one of them is. */
function withoutEmptyParents(
  template: readonly Section[],
  linesOf: (section: Section) => readonly string[],
): readonly string[] {
  const written = template.map(linesOf);
  return template.flatMap(({ topics, level }, at) => {
    if (topics.length > 0) return written[at]!;
    const next = template.findIndex((other, place) => place > at && other.level <= level);
    const within = written.slice(at + 1, next < 0 ? undefined : next);
    return within.some((lines) => lines.length > 0) ? written[at]! : [];
  });
}

const NO_PROSE: Items = new Map();

function writtenByModel({ prose = NO_PROSE }: HandoffRequest): boolean {
  return (prose.get("actions") ?? []).length > 0;
}

/** The record of all episodes, of those that a model has not read, or of none. */
function recordFor(
  { proseUntil, ...request }: HandoffRequest,
  matches: RecordRequest["matches"],
): SessionRecord | undefined {
  const { template = THIRTEEN_SECTIONS, previous, liveRequest: live = -1 } = request;
  if (writtenByModel(request) && proseUntil === undefined) return undefined;
  const listsMessages = template.some(({ topics }) => topics.includes("messages"));
  const carried = previous?.sections.get("actions") ?? [];
  return recordOf(
    writtenByModel(request) && proseUntil !== undefined
      ? { ...request, from: proseUntil, carried: [], live, listsMessages, matches }
      : { ...request, carried, live, listsMessages, matches },
  );
}

/** Of the messages, those that a model has not read. */
function unreadShare(request: HandoffRequest): number {
  const { from, until, proseUntil = until } = request;
  return writtenByModel(request) ? (until - proseUntil) / Math.max(1, until - from) : 0;
}

/** An episode after what the model wrote. */
function newerItem(episode: RecordEpisode): RecordItem {
  const item = recordItem(episode);
  return { ...item, order: NEWER_ORDER + item.order };
}

const recordItems = new WeakMap<RecordEpisode, RecordItem>();

/** The same object for the same episode: what is remembered of it holds. */
function recordItem(episode: RecordEpisode): RecordItem {
  let item = recordItems.get(episode);
  if (item === undefined) {
    const { order, text, lines } = episode;
    recordItems.set(episode, (item = { rank: 1, order, key: `episode ${order}`, text, lines }));
  }
  return item;
}

/** What an excerpt came to last: most are in one handoff after another. */
const safeForms = new WeakMap<Excerpt, { readonly redact: HandoffRequest["redact"]; readonly safe: Excerpt }>();

/** The same object where there is nothing to take out: what is remembered of it holds. */
function redacted(excerpt: Excerpt, redact: HandoffRequest["redact"]): Excerpt {
  const known = safeForms.get(excerpt);
  if (known?.redact === redact) return known.safe;
  const text = redact(excerpt.text);
  const source = redact(excerpt.source);
  const safe = text === excerpt.text && source === excerpt.source ? excerpt : { ...excerpt, text, source };
  safeForms.set(excerpt, { redact, safe });
  return safe;
}

/** Sources of excerpts that no tool returned. */
const SPOKEN: ReadonlySet<string> = new Set(["user", "assistant"]);

/** Carried excerpts come before those of any message. */
const CARRIED_BEFORE = 1_000_000;

/** What every section could say, best first; what an earlier handoff says among it. */
function draftsOf(request: HandoffRequest): ReadonlyMap<Topic, readonly ItemDraft[]> {
  const { ledger, previous } = request;
  const topics = (request.template ?? THIRTEEN_SECTIONS).flatMap((section) => section.topics);
  const material: HandoffMaterial = {
    ...request,
    live: request.liveRequest ?? -1,
    listsMessages: topics.includes("messages"),
    recorded: !writtenByModel(request),
    continues: previous !== undefined,
  };
  return new Map(
    topics.flatMap((topic) => {
      // The record of episodes says what was done and no model has read.
      if (topic === "actions" && !writtenByModel(request)) return [];
      const { proseUntil = Infinity } = request;
      const all = TOPICS[topic].drafts(material);
      const fresh =
        topic === "actions" ? all.filter(({ order, rank }) => order < proseUntil || rank >= LASTING_RANK) : all;
      const own = { fresh, carried: carriedDrafts(topic, previous, ledger) };
      const drafts = withProse(topic, own, request);
      return [[topic, drafts.toSorted((a, b) => b.rank - a.rank)] as const];
    }),
  );
}

/** Numbers go on from handoff to handoff: the carried actions keep the last numbers of the one before. */
function firstNumberOf(filled: ReadonlyMap<Topic, FilledSection>, previous: ParsedHandoff | undefined): number {
  const carried = (filled.get("actions")?.items ?? []).filter(({ order }) => order < 0).length;
  return Math.max(1, (previous?.lastNumber ?? 0) - carried + 1);
}

/** Takes the least important away until the text as a whole is within the budget. */
function withinBudget(
  chosen: Omit<HandoffContents, "firstNumber">,
  write: (contents: Omit<HandoffContents, "firstNumber">) => string,
  { budget, measure }: HandoffRequest,
): Handoff {
  let contents = chosen;
  let text = write(contents);
  let tokens = measure.text(text);
  while (
    tokens > budget &&
    (contents.excerpts.length > 0 || [...contents.filled.values()].some(({ items }) => items.length > 0))
  ) {
    contents = withoutLeast(contents, Math.ceil((tokens - budget) / 20));
    text = write(contents);
    tokens = measure.text(text);
  }
  const sections = [...contents.filled].map(([topic, { items, leftOut }]) => ({
    topic,
    written: items.length,
    leftOut,
  }));
  const said = [...contents.filled.values()].flatMap(({ items }) => items.map((item) => item.text)).join("\n");
  return { text, tokens, sections, said, excerpts: contents.excerpts };
}

function withoutLeast(
  { filled, excerpts }: Omit<HandoffContents, "firstNumber">,
  count: number,
): Omit<HandoffContents, "firstNumber"> {
  if (excerpts.length > 0) return { filled, excerpts: excerpts.slice(0, -count) };
  const itemCount = (topic: Topic): number => filled.get(topic)?.items.length ?? 0;
  // The last episode of the record is most of what a small handoff says: it stays as long as there is anything else.
  const topic = TOPICS_BY_NEED.findLast((one) => itemCount(one) > (one === "actions" ? 1 : 0)) ?? "actions";
  const { items, leftOut } = filled.get(topic)!;
  const least = leastOf(topic, items);
  const kept = items.filter((item) => item !== least);
  return { excerpts, filled: new Map([...filled, [topic, { items: kept, leftOut: leftOut + 1 }]]) };
}

/** The last chosen; of what was done, the oldest of what ranks lowest. */
function leastOf(topic: Topic, items: readonly Item[]): Item {
  if (topic !== "actions") return items.at(-1)!;
  return items.reduce((least, item) =>
    item.rank < least.rank || (item.rank === least.rank && item.order < least.order) ? item : least,
  );
}

/** Whether a message is a handoff of ours, of this version. */
export function isHandoff(message: Message): boolean {
  if (message.role === "tool") return false;
  for (const part of message.parts) if (part.kind === "text" && opensWithHandoff(part.text)) return true;
  return false;
}

/** Lists that nobody changes any more: a compaction asks half a dozen times for the handoff in one list. */
const handoffs = new WeakMap<readonly Message[], number>();

/** Where the newest handoff among the messages is; -1 where none is. */
export function lastHandoffAt(messages: readonly Message[]): number {
  const at = handoffs.get(messages) ?? messages.findLastIndex(isHandoff);
  if (Object.isFrozen(messages)) handoffs.set(messages, at);
  return at;
}

/** The newest handoff among the messages, read back. */
export function latestHandoff(messages: readonly Message[]): ParsedHandoff | undefined {
  const message = messages[lastHandoffAt(messages)];
  const part = message?.parts.find((one) => one.kind === "text" && opensWithHandoff(one.text));
  return part?.kind === "text"
    ? parseHandoff(part.text)
    : parseHandoff(message === undefined ? "" : contentText(message.parts));
}
