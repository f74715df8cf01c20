/**
 * Asks the models of a request for the handoff of a draft whose shape is fixed: what they read, what they may spend, and
 * from where on. A span whose beginning a model has recorded already is only read on.
 */
import { isHandoff, lastHandoffAt, latestHandoff, parseHandoff, type ParsedHandoff } from "../../handoff/write.ts";
import { askedOf, type Items } from "../../handoff/model/asked.ts";
import { tell, type ModelHandoff } from "../../handoff/model/model-handoff.ts";
import type { Section } from "../../handoff/templates.ts";
import { citedIn } from "../../handoff/model/citations.ts";
import { TOPICS } from "../../handoff/topics/index.ts";
import { comparable, overrules } from "../../ledger/readers/overruled.ts";
import type { Topic } from "../../handoff/topics/topic.ts";
import type { Writers } from "../../handoff/model/writer.ts";
import { contentText, type Message } from "../../transcript/message.ts";
import type { SummaryAccount } from "../compaction.ts";
import { draftOf, type CompactionRun, type CompactionDraft } from "./draft.ts";

/** A smaller handoff has no room for sentences: code puts more names and values into it than a model does. */
const HANDOFF_TOKENS_ASKED_MIN = 500;
/** Of the whole handoff; the rest is for a person's own words and for lines of the original that the model left out. */
const PROSE_SHARE = 0.7;
/** Excerpts that say which messages matter. */
const RANKING_TOKENS = 2_500;

/** A draft whose handoff is written for good. */
export interface WrittenDraft {
  readonly draft: CompactionDraft;
  /** How the handoff was written; absent where there is none. */
  readonly summary: SummaryAccount | undefined;
  /** Why the result is poorer than it should be. */
  readonly remarks: readonly string[];
  /** Index after the last message that a model's record in it has; absent where no model wrote any of it. */
  readonly readUntil?: number;
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

/** A handoff that a model is asked for. */
export interface HandoffRequest {
  /** The most that it is asked for. */
  readonly tokens: number;
  readonly last: LastModelHandoff | undefined;
}

/** The draft with what a model wrote in place of the ledger's narrative, where one is asked and its answer passes the checks. */
export async function withModelHandoff(
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
    const carried = draftOf(run, { ...draft, prose, proseUntil: before.until });
    return { draft: carried, summary, remarks, readUntil: before.until };
  }
  return {
    draft: draftOf(run, { ...draft, prose: answer.prose }),
    summary: answer.account,
    remarks: answer.degraded,
    readUntil: draft.shape.tailStart,
  };
}

/** The draft as the ledger wrote it. */
export function byLedger(draft: CompactionDraft): WrittenDraft {
  return { draft, summary: draft.handoff === undefined ? undefined : { by: "ledger", steps: [] }, remarks: [] };
}

/** What a settled handoff stands for, where there is a model's record in it. */
export function writtenIn(run: CompactionRun, { draft, readUntil }: WrittenDraft): LastModelHandoff | undefined {
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

/** Nothing where there is no handoff to write, or nobody to ask. */
async function answerFor(
  run: CompactionRun,
  draft: CompactionDraft,
  { before, ...asking }: HandoffRequest & { readonly before: Before | undefined },
): Promise<ModelHandoff | undefined> {
  const { memory, template } = run;
  const { writers, signal, focus, measure } = run.request;
  const { shape, budget } = draft;
  if (writers === undefined || isIdle(writers) || shape.headEnd === shape.tailStart) return undefined;
  const { messages, system } = run.original;
  const tokens = Math.min(budget, asking.tokens);
  if (tokens < HANDOFF_TOKENS_ASKED_MIN) return tooSmall(budget);
  const ranked = memory.evidence.excerpts(messages, {
    budget: RANKING_TOKENS,
    measure,
    focus: run.focus,
    from: before?.until ?? shape.headEnd,
    until: shape.tailStart,
    present: { standing: [], text: "" },
  });
  return tell({
    writers,
    ...(signal === undefined ? {} : { signal }),
    ...(focus === undefined ? {} : { focus }),
    span: {
      messages,
      from: before?.until ?? shape.headEnd,
      until: shape.tailStart,
      ranked: ranked.map(({ message }) => message),
      focus: run.focus,
      recall: draft.evicted[0]?.id ?? "",
      measure,
      redact: memory.redact,
    },
    ledger: memory.ledger.ledgerOf(messages),
    record: before === undefined ? NO_ITEMS : recordOf(before, template),
    template,
    budget: tokens,
    targetTokens: Math.min(tokens, Math.floor(budget * PROSE_SHARE)),
    conversation: run.request.standing ?? run.original,
    live: messages[run.live],
    beside: system.map(({ parts }) => contentText(parts)).join("\n"),
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

interface Before {
  readonly handoff: ParsedHandoff;
  /** The messages before this one are in it. */
  readonly until: number;
  /** Code reads it back itself where it is one of the messages. */
  readonly isAmong: boolean;
}

/**
 * The handoff that is among the messages; or, where the client sends the whole history, the one that stands for its
 * beginning, if a model wrote it: one by the ledger is not read on, because the originals say more.
 */
function recordBefore(run: CompactionRun, written: LastModelHandoff | undefined, until: number): Before | undefined {
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
function recordOf({ handoff, isAmong }: Before, template: readonly Section[]): Items {
  const left = isAmong ? [...OF_THE_MOMENT, ...COPIED_BY_CODE] : OF_THE_MOMENT;
  const topics = askedOf(template).flatMap(({ topic }) => (left.includes(topic) ? [] : [topic]));
  return new Map(topics.map((topic) => [topic, handoff.sections.get(topic) ?? []]));
}

/**
 * Of the messages that the handoff stands for. Where a model read fewer, most of the session is newer than its record, and what
 * code records of the whole says more than that and a list of what was done since.
 */
const READ_SHARE_MIN = 0.5;

function isWorthCarrying({ until, isAmong }: Before, { headEnd, tailStart }: CompactionDraft["shape"]): boolean {
  return !isAmong && until - headEnd >= (tailStart - headEnd) * READ_SHARE_MIN;
}

/** What code tells better, from all of the session. */
const TOLD_BY_CODE: readonly Topic[] = [...OF_THE_MOMENT, "files"];
/** Work that went on may have changed these: they say when they were written. */
const OF_THEIR_TIME: readonly Topic[] = ["constraints", "state", "blocked", "pending", "remaining"];

/** What a model recorded before and nothing since has settled or overruled, for a handoff that no model writes. */
function stillTrue({ handoff, until }: Before, { template, original, memory }: CompactionRun): Items {
  const ledger = memory.ledger.ledgerOf(original.messages);
  const newer = [...ledger.constraints, ...ledger.decisions].filter(({ message }) => message >= until);
  const said = newer.map(({ text }) => comparable(text));
  const isOverruled = (text: string): boolean => said.some((one) => overrules(one, comparable(citedIn(text).claim)));
  const carried = (topic: Topic): readonly string[] => {
    const { holds = () => true } = TOPICS[topic].carried;
    const texts = (handoff.sections.get(topic) ?? []).filter(
      (text) => holds(text, ledger, until) && !(WISHES.includes(topic) && isOverruled(text)),
    );
    return OF_THEIR_TIME.includes(topic) ? texts.map((text) => dated(text, until)) : texts;
  };
  const topics = askedOf(template).flatMap(({ topic }) => (TOLD_BY_CODE.includes(topic) ? [] : [topic]));
  return new Map(topics.map((topic) => [topic, carried(topic)]));
}

/** What a person may take back. */
const WISHES: readonly Topic[] = ["goal", "constraints", "decisions"];
const DATE_LEAD = "As of message ";

function dated(text: string, message: number): string {
  return text.startsWith(DATE_LEAD) ? text : `${DATE_LEAD}${message}: ${text}`;
}
