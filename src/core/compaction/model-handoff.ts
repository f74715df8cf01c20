/**
 * Asks the models of a request for the handoff of a draft whose shape is fixed: what they read, what they may spend, and
 * from where on. A span whose beginning a model has recorded already is only read on.
 */
import { type Items, askedOf } from "../handoff/model/asked.ts";
import { tell, type ModelHandoff } from "../handoff/model/model-handoff.ts";
import type { Writers } from "../handoff/model/writer.ts";
import { draftResult, type CompactionDraft, type WrittenDraft } from "./apply.ts";
import type { CompactionRun } from "./plan.ts";
import { isHandoff, lastHandoffAt, latestHandoff, parseHandoff, type ParsedHandoff } from "../handoff/write.ts";
import type { Section } from "../handoff/templates.ts";
import { TOPICS } from "../handoff/sections/topics.ts";
import type { Topic } from "../handoff/sections/topic.ts";
import { eventsOf } from "../events/events.ts";
import { contentText, type Message } from "../transcript/message.ts";

/** A smaller handoff has no room for sentences: code puts more names and values into it than a model does. */
const HANDOFF_TOKENS_ASKED_MIN = 500;
/** A model has all of the handoff but its frame, and what its own estimate of a length is off by. */
const FRAME_TOKENS = 120;
const PROSE_SHARE = 0.95;

interface HandoffRequest {
  readonly tokens: number;
  readonly last: LastModelHandoff | undefined;
}

/** The draft with what a model wrote in place of what code tells, where one is asked and its answer says enough. */
export async function writtenByModel(
  run: CompactionRun,
  draft: CompactionDraft,
  asking: HandoffRequest,
): Promise<WrittenDraft> {
  const before = recordBefore(run, asking.last, draft.shape.tailStart);
  const answer = await answerFor(run, draft, { ...asking, before });
  if (answer?.prose === undefined) {
    const hasHandoff = draft.assembled.placed.some(({ message }) => message.origin === "summary");
    const summary = answer?.account ?? (hasHandoff ? { by: "ledger" as const, steps: [] } : undefined);
    const remarks = answer?.degraded ?? [];
    if (before === undefined || !hasHandoff || !isWorthCarrying(before, draft.shape))
      return { draft, summary, remarks };
    const prose = stillTrue(before, run);
    const carried = draftResult(run, { ...draft, prose, proseUntil: before.until });
    return { draft: carried, summary, remarks, readUntil: before.until };
  }
  return {
    draft: draftResult(run, { ...draft, prose: answer.prose, budget: budgetFor(run, draft) }),
    summary: answer.account,
    remarks: answer.degraded,
    readUntil: draft.shape.tailStart,
  };
}

/** An explicit budget is there to be used: a model may write more than code had to tell. */
function budgetFor({ request }: CompactionRun, { budget, roomTokens = 0 }: CompactionDraft): number {
  return request.budget === undefined ? budget : Math.max(budget, roomTokens);
}

/** Nothing where there is no handoff to write, or nobody to ask. */
async function answerFor(
  run: CompactionRun,
  draft: CompactionDraft,
  { before, ...asking }: HandoffRequest & { readonly before: ModelRecord | undefined },
): Promise<ModelHandoff | undefined> {
  const { template } = run;
  const { writers, signal, focus, measure } = run.request;
  const { shape } = draft;
  const budget = budgetFor(run, draft);
  if (writers === undefined || isIdle(writers) || shape.headEnd === shape.tailStart) return undefined;
  const { messages } = run.original;
  const tokens = Math.min(budget, asking.tokens);
  if (tokens < HANDOFF_TOKENS_ASKED_MIN) return tooSmall(budget);
  return tell({
    writers,
    ...(signal === undefined ? {} : { signal }),
    ...(focus === undefined ? {} : { focus }),
    span: {
      messages,
      from: before?.until ?? shape.headEnd,
      until: shape.tailStart,
      focus: run.focus,
      recall: draft.evicted[0]?.id ?? "",
      measure,
      redact: run.redact,
    },
    record: before === undefined ? NO_ITEMS : itemsToUpdate(before, template),
    template,
    budget: tokens,
    targetTokens: Math.floor((tokens - FRAME_TOKENS) * PROSE_SHARE),
    conversation: run.request.standing ?? run.original,
    live: run.live,
    visible: messages.length - shape.tailStart,
  });
}

function isIdle({ auxiliary, main, resting, withheld }: Writers): boolean {
  return auxiliary === undefined && main === undefined && resting.length === 0 && withheld === undefined;
}

const NO_ITEMS: Items = new Map();

function tooSmall(budget: number): ModelHandoff {
  const because = `a handoff of ${budget} tokens is too small for a model to write`;
  return { account: { by: "ledger", because, steps: [] }, degraded: [] };
}

/** The last handoff, where a model wrote it: the next one is read on from there. */
export interface LastModelHandoff {
  /** Id of the span that it stands for. */
  readonly recall: string;
  /** Index after the last message of that span. */
  readonly until: number;
  /** Short hashes of the items in it that a model wrote; code writes its own anew. Absent in states of before. */
  readonly items?: readonly string[];
}

interface ModelRecord {
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
function recordBefore(
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
function itemsToUpdate({ handoff, isAmong }: ModelRecord, template: readonly Section[]): Items {
  const left = isAmong ? [...OF_THE_MOMENT, ...COPIED_BY_CODE] : OF_THE_MOMENT;
  const topics = askedOf(template).flatMap(({ topic }) => (left.includes(topic) ? [] : [topic]));
  return new Map(topics.map((topic) => [topic, handoff.sections.get(topic) ?? []]));
}

/**
 * Of the messages that the handoff stands for. Where a model read fewer, most of the session is newer than its record, and what
 * code records of the whole says more than that and a list of what was done since.
 */
const READ_SHARE_MIN = 0.5;

function isWorthCarrying({ until, isAmong }: ModelRecord, { headEnd, tailStart }: CompactionDraft["shape"]): boolean {
  return !isAmong && until - headEnd >= (tailStart - headEnd) * READ_SHARE_MIN;
}

/** What code tells better, from all of the session. */
const TOLD_BY_CODE: readonly Topic[] = [...OF_THE_MOMENT, "files"];
/** Work that went on may have changed these: they say when they were written. */
const OF_THEIR_TIME: readonly Topic[] = ["constraints", "state", "blocked", "pending", "remaining"];

/** What a model recorded before and nothing since has settled, for a handoff that no model writes; what may have changed is dated. */
function stillTrue({ handoff, until }: ModelRecord, { template, original }: CompactionRun): Items {
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
  const byModel = new Set([...(draft.prose?.values() ?? [])].flat().map((text) => run.hideSecrets(text).trim()));
  const summary = draft.assembled.placed.find(({ message }) => message.origin === "summary")?.message;
  const handoff = summary === undefined ? undefined : parseHandoff(contentText(summary.parts));
  const items = [...(handoff?.sections.values() ?? [])].flat().filter((text) => byModel.has(text.trim()));
  return { recall: draft.evicted[0]!.id, until: readUntil, items: items.map((text) => itemHash(run, text)) };
}

const ITEM_HASH_CHARS = 12;

function itemHash({ request }: CompactionRun, text: string): string {
  return request.chain.hash(text.trim()).slice(0, ITEM_HASH_CHARS);
}
