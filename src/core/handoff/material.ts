/** What the drafts of a handoff are made from, and what drafts of several topics share. */
import type { Ledger, QuestionEntry, RequestEntry } from "../ledger/ledger.ts";
import type { Measure } from "../transcript/measure.ts";
import { contentText, type Message, type Part } from "../transcript/message.ts";
import { clipped, DASH, recency, type AlreadyVisible, type ItemDraft } from "./items.ts";

/** What the drafts of one handoff are made from. */
export interface HandoffMaterial {
  readonly messages: readonly Message[];
  readonly ledger: Ledger;
  /** The messages that the handoff replaces. */
  readonly from: number;
  readonly until: number;
  /** Index of the live request; -1 where there is none. */
  readonly live: number;
  /** What is kept verbatim beside the handoff. */
  readonly beside: AlreadyVisible;
  /** Set where a section of its own lists what the user wrote. */
  readonly listsMessages: boolean;
  /** Set where the record of episodes is written, which says what the newest message answers. */
  readonly recorded: boolean;
  /** Set when an earlier handoff holds what came first. */
  readonly continues: boolean;
  /** Tokens for the handoff, and what weighs them. */
  readonly budget: number;
  readonly measure: Measure;
  readonly redact: (text: string) => string;
}

/** Whether the words of an entry leave the conversation with the replaced messages; the live request never does. */
export function leaves({ from, until, live }: HandoffMaterial, message: number): boolean {
  return message >= from && message < until && message !== live;
}

export interface ItemLimits {
  readonly charsMax: number;
  readonly share: number;
}

/** Redacted, and cut to its room; a token is a character in some scripts and four in others, so it is weighed. */
export function fitted(
  { redact, measure, budget }: HandoffMaterial,
  text: string,
  { charsMax, share }: ItemLimits,
): string {
  const words = clipped(redact(text), charsMax);
  const tokens = measure.text(words);
  const tokensMax = Math.max(CUT_TOKENS_MIN, budget * share);
  return tokens <= tokensMax ? words : clipped(words, Math.floor((words.length * tokensMax) / tokens));
}

const CUT_TOKENS_MIN = 30;

export function liveText({ messages, live }: HandoffMaterial): string | undefined {
  const message = messages[live];
  const text = message === undefined ? "" : contentText(message.parts).trim();
  return text === "" ? undefined : text;
}

/** The last message before `end` in which the assistant says something; -1 where there is none. */
export function lastWords(messages: readonly Message[], end: number): number {
  let at = end - 1;
  while (at >= 0 && !(messages[at]!.role === "assistant" && messages[at]!.parts.some(speaks))) at--;
  return at;
}

function speaks(part: Part): boolean {
  return part.kind === "text" && part.text !== "";
}

export function requestDraft(
  material: HandoffMaterial,
  { message, text }: RequestEntry,
  rank: number,
  room: ItemLimits,
): ItemDraft {
  const write = (): string => fitted(material, text, room);
  return { rank: rank + recency(message, material.messages.length), order: 2 + message, write };
}

const QUESTION_CHARS_MAX = 200;
const ANSWER_CHARS_MAX = 320;

export function exchangeDraft(
  { redact }: HandoffMaterial,
  question: QuestionEntry,
  answerer: "user" | "answered",
  rank: number,
): ItemDraft {
  const write = (): string => {
    const asked = clipped(redact(question.text), QUESTION_CHARS_MAX);
    return `${asked}${DASH}${answerer}: ${clipped(redact(question.answer?.text ?? ""), ANSWER_CHARS_MAX)}`;
  };
  return { rank, order: question.message, write };
}

/** Above what recency can add: comes first whatever its age. */
export const FOREMOST = 10;
