/**
 * What a model recorded in the last handoff: which of its items are the model's, what of them the next model is given to
 * bring up to date, and what code carries on where no model is asked.
 */
import { isHandoff, lastHandoffAt, latestHandoff, parseHandoff, type ParsedHandoff } from "../../handoff/write.ts";
import { askedOf, type Items } from "../../handoff/model/asked.ts";
import type { Section } from "../../handoff/templates.ts";
import { TOPICS } from "../../handoff/sections/topics.ts";
import type { Topic } from "../../handoff/sections/topic.ts";
import { eventsOf } from "../../events/events.ts";
import { contentText, type Message } from "../../transcript/message.ts";
import type { CompactionDraft, CompactionRun } from "./draft.ts";

/** The last handoff, where a model wrote it: the next one is read on from there. */
export interface LastModelHandoff {
  /** Id of the span that it stands for. */
  readonly recall: string;
  /** Index after the last message of that span. */
  readonly until: number;
  /** Short hashes of the items in it that a model wrote; code writes its own anew. Absent in states of before. */
  readonly items?: readonly string[];
}

export interface ModelRecord {
  readonly handoff: ParsedHandoff;
  /** The messages before this one are in it. */
  readonly until: number;
  /** Code reads it back itself where it is one of the messages. */
  readonly isAmong: boolean;
}

/**
 * The handoff that is among the messages; or, where the client sends the whole history, the one that stands for its
 * beginning, if a model wrote it: one by code is not read on, because the originals say more.
 */
export function recordBefore(
  run: CompactionRun,
  written: LastModelHandoff | undefined,
  until: number,
): ModelRecord | undefined {
  const { messages } = run.original;
  const at = lastHandoffAt(messages);
  const own = at < 0 ? undefined : latestHandoff(messages);
  if (own !== undefined) return { handoff: own, until: at + 1, isAmong: true };
  const standing = latestText(run.request.standing?.messages ?? []);
  const handoff = standing === undefined ? undefined : parseHandoff(standing);
  if (handoff === undefined || written === undefined || handoff.spans[0] !== written.recall) return undefined;
  if (written.until > until) return undefined;
  return { handoff: ofModel(run, handoff, written.items), until: written.until, isAmong: false };
}

/** What of a handoff a model wrote. */
function ofModel(run: CompactionRun, handoff: ParsedHandoff, items: LastModelHandoff["items"]): ParsedHandoff {
  if (items === undefined) return handoff;
  const byModel = new Set(items);
  const sections = Array.from(
    handoff.sections,
    ([topic, texts]) => [topic, texts.filter((text) => byModel.has(itemHash(run, text)))] as const,
  );
  return { ...handoff, sections: new Map(sections) };
}

function latestText(messages: readonly Message[]): string | undefined {
  const message = messages.findLast(isHandoff);
  return message === undefined ? undefined : contentText(message.parts);
}

/** Of the newest messages, which a record never has. */
const OF_THE_MOMENT: readonly Topic[] = ["task"];
/** Copied word for word by code from a handoff that is among the messages: a model is not asked to do it. */
const COPIED_BY_CODE: readonly Topic[] = ["constraints", "files"];

/** The record as the model gets it, to bring it up to date. */
export function itemsToUpdate({ handoff, isAmong }: ModelRecord, template: readonly Section[]): Items {
  const left = isAmong ? [...OF_THE_MOMENT, ...COPIED_BY_CODE] : OF_THE_MOMENT;
  const topics = askedOf(template).flatMap(({ topic }) => (left.includes(topic) ? [] : [topic]));
  return new Map(topics.map((topic) => [topic, handoff.sections.get(topic) ?? []]));
}

/**
 * Of the messages that the handoff stands for. Where a model read fewer, most of the session is newer than its record, and what
 * code records of the whole says more than that and a list of what was done since.
 */
const READ_SHARE_MIN = 0.5;

export function isWorthCarrying(
  { until, isAmong }: ModelRecord,
  { headEnd, tailStart }: CompactionDraft["shape"],
): boolean {
  return !isAmong && until - headEnd >= (tailStart - headEnd) * READ_SHARE_MIN;
}

/** What code tells better, from all of the session. */
const TOLD_BY_CODE: readonly Topic[] = [...OF_THE_MOMENT, "files"];
/** Work that went on may have changed these: they say when they were written. */
const OF_THEIR_TIME: readonly Topic[] = ["constraints", "state", "blocked", "pending", "remaining"];

/** What a model recorded before and nothing since has settled, for a handoff that no model writes; what may have changed is dated. */
export function stillTrue({ handoff, until }: ModelRecord, { template, original }: CompactionRun): Items {
  const events = eventsOf(original.messages);
  const carried = (topic: Topic): readonly string[] => {
    const { holds = () => true } = TOPICS[topic].carried;
    const texts = (handoff.sections.get(topic) ?? []).filter((text) => holds(text, events, until));
    return OF_THEIR_TIME.includes(topic) ? texts.map((text) => dated(text, until)) : texts;
  };
  const topics = askedOf(template).flatMap(({ topic }) => (TOLD_BY_CODE.includes(topic) ? [] : [topic]));
  return new Map(topics.map((topic) => [topic, carried(topic)]));
}

const DATE_LEAD = "As of message ";

function dated(text: string, message: number): string {
  return text.startsWith(DATE_LEAD) ? text : `${DATE_LEAD}${message}: ${text}`;
}

/** What a settled handoff stands for, where there is a model's record in it. */
export function writtenIn(
  run: CompactionRun,
  { draft, readUntil }: { readonly draft: CompactionDraft; readonly readUntil?: number },
): LastModelHandoff | undefined {
  if (readUntil === undefined) return undefined;
  const { hide } = run.memory;
  const byModel = new Set([...(draft.prose?.values() ?? [])].flat().map((text) => hide(text).trim()));
  const summary = draft.assembled.placed.find(({ message }) => message.origin === "summary")?.message;
  const handoff = summary === undefined ? undefined : parseHandoff(contentText(summary.parts));
  const items = [...(handoff?.sections.values() ?? [])].flat().filter((text) => byModel.has(text.trim()));
  return { recall: draft.evicted[0]!.id, until: readUntil, items: items.map((text) => itemHash(run, text)) };
}

const ITEM_HASH_CHARS = 12;

function itemHash({ request }: CompactionRun, text: string): string {
  return request.chain.hash(text.trim()).slice(0, ITEM_HASH_CHARS);
}
