/** Drafts the sections that people and assistant spoke: task, goal, constraints, decisions, questions. Verbatim words. */
import type { DecisionEntry, Ledger, QuestionEntry, RequestEntry } from "../evidence/ledger.ts";
import { keyOf } from "../evidence/facts/sentences.ts";
import { closingQuestionIn } from "../evidence/facts/questions.ts";
import { contentText, type Message } from "../transcript/message.ts";
import { clipped, DASH, itemOf, recency, type Item } from "./items.ts";

/** What the drafts of one handoff are made from. */
export interface Material {
  readonly messages: readonly Message[];
  readonly ledger: Ledger;
  /** The messages that the handoff replaces. */
  readonly from: number;
  readonly until: number;
  /** Index of the live request; -1 where there is none. */
  readonly live: number;
  /** What stands verbatim beside the handoff. */
  readonly tailText: string;
  /** Set when an earlier handoff holds what came first. */
  readonly continues: boolean;
  readonly redact: (text: string) => string;
}

/** A reply this short means nothing without what it replies to. */
const SHORT_REPLY_CHARS_MAX = 60;
const LIVE_QUOTE_CHARS_MAX = 100;
const REPLIED_TO_CHARS_MAX = 400;
const OPEN_REQUEST_CHARS_MAX = 1_200;
const FIRST_REQUEST_CHARS_MAX = 1_600;
const LATER_REQUEST_CHARS_MAX = 280;
const QUESTION_CHARS_MAX = 200;
const ANSWER_CHARS_MAX = 320;
/** How the lines about the live request open; they are of this handoff alone and never carried into the next. */
export const LIVE_LEAD = "The newest user message, which stands below in full: ";
export const REPLY_LEAD = "It replies to: ";
/** Above what recency can add: comes first whatever its age. */
const FOREMOST = 10;

/** Whether the words of an entry leave the conversation with the replaced messages. */
export function leaves({ from, until }: Material, message: number): boolean {
  return message >= from && message < until;
}

export function taskItems(material: Material): readonly Item[] {
  const items: Item[] = [];
  const text = liveText(material);
  if (text !== undefined) {
    const quote = JSON.stringify(clipped(material.redact(text).replace(/\s+/g, " "), LIVE_QUOTE_CHARS_MAX));
    items.push(itemOf("task", `${LIVE_LEAD}${quote}`, { rank: FOREMOST * 2, order: 0 }));
    if (text.length <= SHORT_REPLY_CHARS_MAX) items.push(...repliedTo(material));
  }
  const substance = substanceOf(material);
  if (substance !== undefined)
    items.push(requestItem(material, substance, "task", { rank: FOREMOST - 1, charsMax: OPEN_REQUEST_CHARS_MAX }));
  for (const request of openRequests(material))
    items.push(requestItem(material, request, "task", { rank: FOREMOST, charsMax: OPEN_REQUEST_CHARS_MAX }));
  return items;
}

/** Asked and not yet settled, beside the live request. */
function openRequests(material: Material): readonly RequestEntry[] {
  const { ledger, live } = material;
  return ledger.requests.filter(
    ({ settled, message }) => settled === undefined && message !== live && leaves(material, message),
  );
}

/** The last request that said more, where the live one is only a nod to it. */
function substanceOf(material: Material): RequestEntry | undefined {
  const { ledger, live } = material;
  const text = liveText(material);
  if (text === undefined || text.length > SHORT_REPLY_CHARS_MAX) return undefined;
  const asked = ledger.requests.findLast(
    (request) => request.message < live && request.text.length > SHORT_REPLY_CHARS_MAX,
  );
  return asked !== undefined && asked.settled !== undefined && leaves(material, asked.message) ? asked : undefined;
}

function liveText({ messages, live }: Material): string | undefined {
  const message = messages[live];
  const text = message === undefined ? "" : contentText(message.parts).trim();
  return text === "" ? undefined : text;
}

/** What a short live request answers: the assistant's question or last words. */
function repliedTo(material: Material): readonly Item[] {
  const { messages, live, redact } = material;
  const items: Item[] = [];
  const said = messages.findLastIndex(
    ({ role, parts }, at) => at < live && role === "assistant" && contentText(parts) !== "",
  );
  if (said >= 0 && leaves(material, said)) {
    const text = contentText(messages[said]!.parts);
    const words = closingQuestionIn(text) ?? text.slice(text.lastIndexOf("\n\n") + 1);
    items.push(
      itemOf("task", `${REPLY_LEAD}${clipped(redact(words), REPLIED_TO_CHARS_MAX)}`, { rank: FOREMOST, order: 1 }),
    );
  }
  return items;
}

interface Weight {
  readonly rank: number;
  readonly charsMax: number;
}

function requestItem(
  { messages, redact }: Material,
  request: RequestEntry,
  topic: "task" | "goal",
  { rank, charsMax }: Weight,
): Item {
  const place = { rank: rank + recency(request.message, messages.length), order: 2 + request.message };
  return itemOf(topic, clipped(redact(request.text), charsMax), place);
}

/** The first request, then what was asked on the way, without what is nothing but a question or a nod. */
export function goalItems(material: Material): readonly Item[] {
  const { ledger, live } = material;
  const questions = new Set(ledger.questions.filter(({ by }) => by === "person").map(({ text }) => keyOf(text)));
  const substance = substanceOf(material);
  const first = ledger.requests.find(({ command, text }) => command !== text);
  return ledger.requests.flatMap((request) => {
    if (!leaves(material, request.message) || request.message === live) return [];
    if (request === first && !material.continues)
      return [requestItem(material, request, "goal", { rank: FOREMOST, charsMax: FIRST_REQUEST_CHARS_MAX })];
    if (request.settled === undefined || request === substance || request.text.length <= SHORT_REPLY_CHARS_MAX)
      return [];
    if (questions.has(keyOf(request.text))) return [];
    return [requestItem(material, request, "goal", { rank: 1, charsMax: LATER_REQUEST_CHARS_MAX })];
  });
}

/** Newest and most repeated first. */
export function constraintItems(material: Material): readonly Item[] {
  const { ledger, messages, redact } = material;
  return ledger.constraints.flatMap(({ text, message, last, times }) => {
    if (!leaves(material, message)) return [];
    const rank = 1 + recency(last, messages.length) + Math.log2(times);
    return [itemOf("constraints", redact(text), { rank, order: message })];
  });
}

export function decisionItems(material: Material): readonly Item[] {
  const { ledger, messages } = material;
  const stated = ledger.decisions.filter(
    ({ message, text }) => leaves(material, message) && !material.tailText.includes(text),
  );
  const chosen = ledger.questions.filter(
    (question) =>
      question.by === "assistant" && question.answer !== undefined && leaves(material, question.answer.message),
  );
  return [
    ...stated.map((decision) => decisionItem(material, decision)),
    ...chosen.map((question) => {
      const rank = 1 + recency(question.message, messages.length);
      return exchangeItem(material, question, "decisions", rank);
    }),
  ];
}

function decisionItem({ messages, redact }: Material, { text, weight, message }: DecisionEntry): Item {
  return itemOf("decisions", redact(text), { rank: weight / 3 + recency(message, messages.length), order: message });
}

/** Questions of a person with what the assistant told them. */
export function resolvedItems(material: Material): readonly Item[] {
  const { ledger, messages } = material;
  return ledger.questions.flatMap((question) => {
    if (question.by !== "person" || question.answer === undefined || !leaves(material, question.message)) return [];
    const wanting = /^(?:can|could|would|will) (?:you|we|i)\b/i.test(question.text) ? 0 : 1;
    return [exchangeItem(material, question, "resolved", wanting + recency(question.message, messages.length))];
  });
}

function exchangeItem(
  { redact }: Material,
  question: QuestionEntry,
  topic: "decisions" | "resolved",
  rank: number,
): Item {
  const asked = clipped(redact(question.text), QUESTION_CHARS_MAX);
  const answer = clipped(redact(question.answer?.text ?? ""), ANSWER_CHARS_MAX);
  return itemOf(topic, `${asked}${DASH}${topic === "decisions" ? "user" : "answered"}: ${answer}`, {
    rank,
    order: question.message,
  });
}

/** Questions that no turn has taken up, of a person or, at the very end, of the assistant. */
export function pendingItems(material: Material): readonly Item[] {
  const { ledger, messages, live, redact } = material;
  return ledger.questions.flatMap(({ text, message, settled, by }) => {
    if (settled !== undefined || message === live || !leaves(material, message)) return [];
    const asker = by === "assistant" ? "The assistant asked: " : "";
    return [
      itemOf("pending", `${asker}${redact(text)}`, { rank: 1 + recency(message, messages.length), order: message }),
    ];
  });
}
