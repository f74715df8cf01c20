/**
 * The handoff: what replaces the messages that a compaction removes, written by code alone from events, or around what a
 * model wrote. It says what Zhang 2026 asks of a summary in its thirteen sections, stays within its budget, and can be read back, so
 * that the next handoff continues this one.
 */
import { eventsOf, type Events } from "../events/events.ts";
import { stillRunning } from "../events/running.ts";
import { saysLittle } from "../events/text.ts";
import { keptByText } from "../kept.ts";
import type { Measure } from "../transcript/measure.ts";
import { contentText, type Message } from "../transcript/message.ts";
import { fit, isProse, type Candidates } from "./fit.ts";
import { focusMatcher } from "./focus.ts";
import { frameOf } from "./framing.ts";
import type { AlreadyVisible, Item, ItemDraft } from "./items.ts";
import { languageOfPeople } from "./language.ts";
import { opensWithHandoff } from "./marks.ts";
import type { Items } from "./model/asked.ts";
import { parseHandoff, withoutNumbers, type ParsedHandoff } from "./parse.ts";
import { sectionLines, type FilledSection } from "./render.ts";
import { DRAFTS, type HandoffMaterial } from "./sections/drafts.ts";
import { TOPICS, TOPICS_BY_NEED, SINCE_COMMIT } from "./sections/topics.ts";
import type { Topic } from "./sections/topic.ts";
import { THIRTEEN_SECTIONS, type Section } from "./templates.ts";
import { wordsIn } from "./translations.ts";
import { recordOf, type SessionRecord, type ToldTurn } from "./turns/record.ts";

export { parseHandoff, type ParsedHandoff } from "./parse.ts";

export interface HandoffRequest {
  /** The conversation as it is, before anything is removed or pruned. */
  readonly messages: readonly Message[];
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
  /** What is kept verbatim beside the handoff. */
  readonly beside: AlreadyVisible;
  /** Takes secrets out; everything that enters passes it. */
  readonly redact: (text: string) => string;
  /** The thirteen sections where it is not set. */
  readonly template?: readonly Section[];
  /** What a model wrote: it stands, and code tells beside it what the model has not read. */
  readonly prose?: Items;
  /** Whether what the model's words leave of the budget is for the record. */
  readonly fillsRoom?: boolean;
  /** Code tells what happened from this message on, where the model read no further. */
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
  readonly said: string;
  /** Whether the record of turns tells every word and deed in full. */
  readonly tellsAll: boolean;
  /** How many items of a model did not fit. */
  readonly unsaid: number;
}

/** The least budget at which a handoff says anything. */
export const HANDOFF_TOKENS_MIN = 150;
const SHORT_FRAME_TOKENS_MAX = 600;
const EARLIER_SPANS_MAX = 2;
/** Estimates of parts do not add up to the estimate of the whole: what is too long is fitted again, that often. */
const FITS_MAX = 3;
const MARGIN_SHARE = 0.01;
/** Carried items come before all new ones. */
const ORDER_BEFORE = -1_000_000;
/** Characters of the folders of sessions that are remembered. */
const ROOTS_CHARS_MAX = 10_000;
/** Turns are written after all else that a section holds beside a model's words. */
const NEWER_ORDER = 200_000;

type Filled = ReadonlyMap<Topic, FilledSection>;

export function writeHandoff(request: HandoffRequest): Handoff {
  const { measure, budget, previous, spanRecall, before = 0 } = request;
  const template = request.template ?? THIRTEEN_SECTIONS;
  const earlier = (previous?.spans ?? []).slice(0, EARLIER_SPANS_MAX);
  const replaced = { recall: spanRecall, earlier, first: before + request.from + 1, last: before + request.until };
  const frame = frameOf(replaced, wordsIn(languageOfPeople(request.messages)), budget < SHORT_FRAME_TOKENS_MAX);
  const write = (filled: Filled): string => {
    const contents = { filled, numbers: previous?.numbers ?? [] };
    const lines = withoutEmptyParents(template, (section) => sectionLines(section, contents, spanRecall));
    return [frame.opening, ...lines, frame.closing].join("\n");
  };
  const candidates = candidatesOf(request, template);
  let room = Math.floor((budget - measure.text(`${frame.opening}\n${frame.closing}\n`)) * (1 - MARGIN_SHARE));
  let filled = fit(candidates, { template, measure, recall: spanRecall, budget, room });
  let text = write(filled);
  let tokens = measure.text(text);
  for (let fits = 1; fits < FITS_MAX && tokens > budget; fits++) {
    // A little less room often comes to the same text: each time it is less by more.
    room -= tokens - budget + Math.ceil((fits - 1) * budget * MARGIN_SHARE);
    filled = fit(candidates, { template, measure, recall: spanRecall, budget, room });
    text = write(filled);
    tokens = measure.text(text);
  }
  if (tokens > budget) {
    filled = withinBudget(filled, write, request);
    text = write(filled);
    tokens = measure.text(text);
  }
  return { text, tokens, ...whatIsSaid(filled, request) };
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

function candidatesOf(request: HandoffRequest, template: readonly Section[]): Candidates {
  const { messages, focus, prose, proseUntil, from, until, previous, measure } = request;
  const events = eventsOf(messages);
  const topics = new Set(template.flatMap((section) => section.topics));
  const hasProse = isWritten(prose);
  // A model writes paths as it read them.
  const shortened = belowRoot((hasProse ? undefined : events.root) ?? "");
  const material: HandoffMaterial = {
    ...request,
    events,
    shortened,
    words: wordsIn(languageOfPeople(messages)),
    live: request.liveRequest ?? -1,
    told: [...(prose?.values() ?? [])].flat().join("\n"),
  };
  const matches = focus === undefined || focus.trim() === "" ? undefined : focusMatcher(focus);
  // Asked for at each try to fit, or not at all.
  let made: SessionRecord | undefined;
  const record = (): SessionRecord =>
    (made ??= recordOf({
      ...material,
      measure,
      from: hasProse && proseUntil !== undefined ? proseUntil : from,
      carried: hasProse ? [] : (previous?.sections.get("actions") ?? []),
      carriedAt: lastHandoffAt(messages),
      // Few words may be in other words, and answer something else there.
      isBeside: (text) => !saysLittle(text) && request.beside.includes(text),
      tellsRequests: !topics.has("messages"),
      running: new Set(stillRunning(events)),
      matches,
    }));
  return {
    drafts: new Map([...topics].map((topic) => [topic, draftsOf(topic, { request, material, events })])),
    prose: prose ?? new Map(),
    record: (...room) =>
      record()
        .within(...room)
        .map((turn) => turnItem(turn, hasProse)),
    unreadShare: hasProse ? (until - (proseUntil ?? until)) / Math.max(1, until - from) : 0,
    fillsRoom: request.fillsRoom ?? false,
    matches,
  };
}

function isWritten(prose: Items | undefined): boolean {
  return prose !== undefined && [...prose.values()].some((texts) => texts.length > 0);
}

function turnItem({ order, texts, cut }: ToldTurn, afterProse: boolean): Item {
  const place = afterProse ? NEWER_ORDER + order : order;
  return { rank: 1, order: place, key: `turn ${order}`, text: texts.join("\n"), isCut: cut > 0 };
}

interface Drafting {
  readonly request: HandoffRequest;
  readonly material: HandoffMaterial;
  readonly events: Events;
}

/** What a section could say beside a model's items, best first: what the events say, and what an earlier handoff says among it. */
function draftsOf(topic: Topic, { request, material, events }: Drafting): readonly ItemDraft[] {
  const { prose, proseUntil = Infinity, previous } = request;
  const isTold = (prose?.get(topic) ?? []).length > 0 || (topic === "task" && isWritten(prose));
  // Where a model wrote a section, code adds only what changed since, and the state as it is.
  const isWanted = ({ order }: ItemDraft): boolean => !isTold || topic === "state" || order >= proseUntil;
  const own = DRAFTS[topic]?.(material) ?? [];
  const told = own.filter(isWanted);
  const isRenewed = TOPICS[topic].carried.isReplaced === true && own.length > 0;
  const carried = topic === "actions" || isRenewed || isWritten(prose) ? [] : carriedDrafts(topic, previous, events);
  return [...told, ...carried].toSorted((a, b) => b.rank - a.rank);
}

/** Items of an earlier handoff that still hold: merged by key, never summarised again; the oldest give way first. */
function carriedDrafts(topic: Topic, previous: ParsedHandoff | undefined, events: Events): readonly ItemDraft[] {
  const { carried, layout } = TOPICS[topic];
  // What was changed since the last commit then may be part of a newer one.
  const groupOf = (lead: string): string => (events.committed === undefined ? lead : lead.replace(SINCE_COMMIT, ""));
  const texts = (previous?.sections.get(topic) ?? []).filter((text) => carried.holds?.(text, events, 0) ?? true);
  return texts.map((text, at) => {
    const colon = layout === "grouped" ? text.indexOf(": ") : -1;
    const words =
      colon < 0 ? { write: () => text } : { group: groupOf(text.slice(0, colon)), write: () => text.slice(colon + 2) };
    return { rank: carried.rank + at / texts.length / 2, order: ORDER_BEFORE + at, ...words };
  });
}

/** Paths are written relative to the folder that the session works in, which is named once. */
const belowRoot = keptByText((root) => {
  const lead = `${root}/`;
  return (text: string): string => (root === "" ? text : text.replaceAll(lead, ""));
}, ROOTS_CHARS_MAX);

/** Takes the least important away until the text as a whole is within the budget. */
function withinBudget(chosen: Filled, write: (filled: Filled) => string, { budget, measure }: HandoffRequest): Filled {
  const order = leastFirst(chosen);
  const fits = (count: number): boolean => measure.text(write(without(chosen, order.slice(0, count)))) <= budget;
  // Twice as many each time and then half of what is between: to write it anew for each of thousands would take their square.
  let [tooFew, enough] = [-1, 0];
  while (enough < order.length && !fits(enough)) [tooFew, enough] = [enough, Math.min(order.length, enough * 2 || 1)];
  while (enough - tooFew > 1) {
    const middle = Math.floor((tooFew + enough) / 2);
    if (fits(middle)) enough = middle;
    else tooFew = middle;
  }
  return without(chosen, order.slice(0, enough));
}

function whatIsSaid(filled: Filled, { prose }: HandoffRequest): Omit<Handoff, "text" | "tokens"> {
  const sections = [...filled].map(([topic, { items, leftOut }]) => ({ topic, written: items.length, leftOut }));
  const all = [...filled.values()].flatMap(({ items }) => items);
  const said = all.map((item) => item.text).join("\n");
  const tellsAll = !all.some(({ isCut }) => isCut);
  const unsaid = [...(prose?.values() ?? [])].flat().length - all.filter(isProse).length;
  return { sections, said, tellsAll, unsaid };
}

/**
 * The items in the order in which they give way: first code's own, but for the last turn of the record, which is most of what a
 * small handoff says; then each time one of the longest section.
 */
function leastFirst(filled: Filled): readonly Item[] {
  const ranked = new Map(
    Array.from(filled, ([topic, { items }]) => [topic, items.toSorted((a, b) => a.rank - b.rank || a.order - b.order)]),
  );
  const own = TOPICS_BY_NEED.toReversed().flatMap((topic) => {
    const items = (ranked.get(topic) ?? []).filter((item) => !isProse(item));
    return topic === "actions" ? items.slice(0, -1) : items;
  });
  const before = new Set(own);
  const others = [...ranked.values()].map((items) => items.filter((item) => !before.has(item)));
  const order = [...own];
  for (let left = others.flat().length; left > 0; left--)
    order.push(others.reduce((longest, items) => (items.length > longest.length ? items : longest)).shift()!);
  return order;
}

function without(filled: Filled, removed: readonly Item[]): Filled {
  const gone = new Set(removed);
  return new Map(
    Array.from(filled, ([topic, { items, leftOut }]) => {
      const left = items.filter((item) => !gone.has(item));
      const more = items.filter((item) => gone.has(item) && !isProse(item)).length;
      return [topic, { items: left, leftOut: leftOut + more }];
    }),
  );
}

/** Whether a message is a handoff of ours, of this version: they are all the user's. What an agent repeats is its own words. */
export function isHandoff(message: Message): boolean {
  if (message.role !== "user") return false;
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
  const parts = messages[lastHandoffAt(messages)]?.parts ?? [];
  const part = parts.find((one) => one.kind === "text" && opensWithHandoff(one.text));
  const parsed = parseHandoff(part?.kind === "text" ? part.text : contentText(parts));
  return parsed === undefined ? undefined : withoutNumbers(parsed);
}
