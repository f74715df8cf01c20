/** Drafts the sections that people and assistant spoke: task, goal, constraints, decisions, questions. Verbatim words. */
import { PLAIN_WEIGHT } from "../ledger/readers/decisions.ts";
import type { DecisionEntry, Ledger, QuestionEntry, RequestEntry } from "../ledger/ledger.ts";
import type { Measure } from "../transcript/measure.ts";
import { contentText, type Message, type Part } from "../transcript/message.ts";
import { clipped, CUT_MARK, DASH, recency, type Beside, type Draft } from "./items.ts";

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
  readonly beside: Beside;
  /** Set where a section of its own lists what the user wrote. */
  readonly listsMessages: boolean;
  /** Set where the record of episodes is written, which tells what the newest message answers. */
  readonly recorded: boolean;
  /** Set when an earlier handoff holds what came first. */
  readonly continues: boolean;
  /** Tokens for the handoff, and what weighs them. */
  readonly budget: number;
  readonly measure: Measure;
  readonly redact: (text: string) => string;
}

/** A reply this short means nothing without what it replies to. */
const SHORT_REPLY_CHARS_MAX = 60;
const LIVE_QUOTE_CHARS_MAX = 80;
/** Longer words are cut: the most characters, and the share of the budget that they may take before that. */
const REPLIED_TO: Room = { charsMax: 700, share: 0.04 };
const OPEN_REQUEST: Room = { charsMax: 1_200, share: 0.05 };
const FIRST_REQUEST: Room = { charsMax: 1_600, share: 0.04 };
const LATER_REQUEST: Room = { charsMax: 280, share: 0.04 };
const QUESTION_CHARS_MAX = 200;
const ANSWER_CHARS_MAX = 320;
/** How the lines about the live request open; they are of this handoff alone and never carried into the next. */
export const LIVE_LEAD = "The newest user message: ";
export const REPLY_LEAD = "It replies to: ";
/** What one plain word of settling adds to a decision's weight. */
/** Above what recency can add: comes first whatever its age. */
const FOREMOST = 10;

/** Whether the words of an entry leave the conversation with the replaced messages; the live request never does. */
export function leaves({ from, until, live }: Material, message: number): boolean {
  return message >= from && message < until && message !== live;
}

interface Room {
  readonly charsMax: number;
  readonly share: number;
}

/** Redacted, and cut to its room; a token is a character in some scripts and four in others, so it is weighed. */
function fitted({ redact, measure, budget }: Material, text: string, { charsMax, share }: Room): string {
  const words = clipped(redact(text), charsMax);
  const tokens = measure.text(words);
  const tokensMax = Math.max(CUT_TOKENS_MIN, budget * share);
  return tokens <= tokensMax ? words : clipped(words, Math.floor((words.length * tokensMax) / tokens));
}

const CUT_TOKENS_MIN = 30;

export function taskDrafts(material: Material): readonly Draft[] {
  const text = liveText(material);
  const substance = substanceOf(material);
  return [
    ...(text === undefined || material.budget < POINTER_BUDGET_MIN ? [] : [pointerTo(material, text)]),
    ...(material.recorded || text === undefined || text.length > SHORT_REPLY_CHARS_MAX ? [] : repliedTo(material)),
    ...(material.recorded || substance === undefined
      ? []
      : [requestDraft(material, substance, FOREMOST - 1, OPEN_REQUEST)]),
    ...openRequests(material).map((request) => requestDraft(material, request, FOREMOST, OPEN_REQUEST)),
  ];
}

/** A smaller handoff stands directly before the newest message, and needs its words for something else. */
const POINTER_BUDGET_MIN = 1_000;

function pointerTo({ redact }: Material, text: string): Draft {
  const quote = (): string => JSON.stringify(clipped(redact(text).replace(/\s+/g, " "), LIVE_QUOTE_CHARS_MAX));
  return { rank: FOREMOST * 2, order: 0, write: () => `${LIVE_LEAD}${quote()}` };
}

/** Asked and not yet settled, beside the live request. */
function openRequests(material: Material): readonly RequestEntry[] {
  const { ledger } = material;
  return ledger.requests.filter(({ settled, message }) => settled === undefined && leaves(material, message));
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

/** The last message before `end` in which the assistant says something; -1 where there is none. */
export function lastWords(messages: readonly Message[], end: number): number {
  let at = end - 1;
  while (at >= 0 && !(messages[at]!.role === "assistant" && messages[at]!.parts.some(speaks))) at--;
  return at;
}

function speaks(part: Part): boolean {
  return part.kind === "text" && part.text !== "";
}

/** What a short live request answers: the end of what the assistant said before it. */
function repliedTo(material: Material): readonly Draft[] {
  const { messages, live, redact } = material;
  const said = lastWords(messages, live);
  if (said < 0 || !leaves(material, said)) return [];
  const words = (): string => {
    const text = redact(contentText(messages[said]!.parts)).trimEnd();
    return ending(text, Math.min(REPLIED_TO.charsMax, fitted(material, text, REPLIED_TO).length));
  };
  return [{ rank: FOREMOST, order: 1, write: () => `${REPLY_LEAD}${words()}` }];
}

/** The last characters of a text, from the beginning of a line or a word. */
function ending(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const start = text.length - chars;
  const line = text.indexOf("\n", start);
  const from = line >= 0 && line < start + chars / 2 ? line : text.indexOf(" ", start);
  return `${CUT_MARK.trim()} ${text.slice(Math.max(start, from)).trimStart()}`;
}

function requestDraft(material: Material, { message, text }: RequestEntry, rank: number, room: Room): Draft {
  const write = (): string => fitted(material, text, room);
  return { rank: rank + recency(message, material.messages.length), order: 2 + message, write };
}

/** The first request: what was asked on the way stands in the record of episodes. */
export function goalDrafts(material: Material): readonly Draft[] {
  const { ledger, continues } = material;
  const first = continues
    ? undefined
    : ledger.requests.find(({ command, text }) => command !== text && /\s/.test(text.trim()));
  if (first === undefined || !leaves(material, first.message)) return [];
  return [requestDraft(material, first, FOREMOST, FIRST_REQUEST)];
}

/** Everything that a person wrote; what stands in the goal or the task already is not said again. */
export function messageDrafts(material: Material): readonly Draft[] {
  return material.ledger.requests.flatMap((request) =>
    leaves(material, request.message) ? [requestDraft(material, request, 1, LATER_REQUEST)] : [],
  );
}

/** Newest and most repeated first. */
export function constraintDrafts(material: Material): readonly Draft[] {
  const { ledger, messages, redact } = material;
  return ledger.constraints.flatMap(({ text, message, last, times }) => {
    if (!leaves(material, message)) return [];
    return [{ rank: 1 + recency(last, messages.length) + Math.log2(times), order: message, write: () => redact(text) }];
  });
}

/** What the assistant settled, and what a person chose when asked. */
export function decisionDrafts(material: Material): readonly Draft[] {
  const { ledger, messages, recorded } = material;
  // The record tells observations where they were made; here they would look like what holds.
  const least = recorded ? PLAIN_WEIGHT : 0;
  const stated = ledger.decisions.filter(({ message, weight }) => weight >= least && leaves(material, message));
  const chosen = ledger.questions.filter(
    ({ by, text, answer }) =>
      !recorded && by === "assistant" && answer !== undefined && OFFERS.test(text) && leaves(material, answer.message),
  );
  return [
    ...stated.map((decision) => decisionDraft(material, decision)),
    ...chosen.map((question) =>
      exchangeDraft(material, question, "user", 1 + recency(question.message, messages.length)),
    ),
  ];
}

/** A question that offers a choice; other questions ask for a fact. */
const OFFERS =
  /\bor\b|\b(?:should|shall) (?:i|we)\b|\b(?:want|like|prefer) me to\b|\bprefer\b|\bwhich (?:one|option|approach|way)\b|还是|或者|それとも|아니면|\bo (?:bien|prefieres)\b|\boder\b/i;

function decisionDraft({ messages, redact, beside }: Material, { text, weight, message }: DecisionEntry): Draft {
  const rank = weight / PLAIN_WEIGHT + recency(message, messages.length);
  return { rank, order: message, write: () => (beside.includes(text) ? undefined : redact(text)) };
}

/** Questions of a person with what the assistant told them; a wish in the form of a question comes after. */
export function resolvedDrafts(material: Material): readonly Draft[] {
  const { ledger, messages } = material;
  const answered = new Set<string>();
  return ledger.questions.flatMap((question) => {
    if (question.by !== "person" || question.answer === undefined || !leaves(material, question.message)) return [];
    if (answered.has(question.answer.text)) return [];
    answered.add(question.answer.text);
    const asks = WISH.test(question.text) ? 0 : 1;
    return [exchangeDraft(material, question, "answered", asks + recency(question.message, messages.length))];
  });
}

const WISH = /^(?:can|could|would|will) (?:you|we|i)\b/i;

function exchangeDraft(
  { redact }: Material,
  question: QuestionEntry,
  answerer: "user" | "answered",
  rank: number,
): Draft {
  const write = (): string => {
    const asked = clipped(redact(question.text), QUESTION_CHARS_MAX);
    return `${asked}${DASH}${answerer}: ${clipped(redact(question.answer?.text ?? ""), ANSWER_CHARS_MAX)}`;
  };
  return { rank, order: question.message, write };
}

/** Questions that no turn has taken up, of a person or, at the very end, of the assistant. */
export function pendingDrafts(material: Material): readonly Draft[] {
  const { ledger, messages, redact } = material;
  return ledger.questions.flatMap(({ text, message, settled, by }) => {
    if (settled !== undefined || !leaves(material, message)) return [];
    const asker = by === "assistant" ? "The assistant asked: " : "";
    return [{ rank: 1 + recency(message, messages.length), order: message, write: () => `${asker}${redact(text)}` }];
  });
}
