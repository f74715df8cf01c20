/**
 * What the sections say beside the record of turns, from events alone: what is plain is stated, and what is not is left to the
 * record, where every word has its speaker and its message.
 */
import { oneLine } from "../../digest/cut.ts";
import type { CallEvent, Events, RequestEvent, SessionEvent } from "../../events/events.ts";
import { changesSomething, openFailures, repairedFailures } from "../../events/failures.ts";
import { pathFrom, type FileEntry } from "../../events/files.ts";
import { personText } from "../../events/person.ts";
import { repeatedCalls } from "../../events/repeats.ts";
import { stillRunning } from "../../events/running.ts";
import { answersOf } from "../../events/questions.ts";
import { saysLittle } from "../../events/text.ts";
import { contentText, type Message } from "../../transcript/message.ts";
import { clipped, DASH, recency, type AlreadyVisible, type ItemDraft } from "../items.ts";
import { endingText, targetText } from "../turns/deeds.ts";
import { sentencesWithin } from "../turns/shape.ts";
import { isQuestion, mediaText, PASTE_CHARS_MIN } from "../turns/words.ts";
import type { Words } from "../translations.ts";
import { REPEATED_LEAD, SINCE_COMMIT } from "./topics.ts";
import type { Topic } from "./topic.ts";

export interface HandoffMaterial {
  readonly messages: readonly Message[];
  readonly events: Events;
  /** The messages that the handoff replaces. */
  readonly from: number;
  readonly until: number;
  /** Index of the live request; -1 where there is none. */
  readonly live: number;
  /** What is kept verbatim beside the handoff. */
  readonly beside: AlreadyVisible;
  /** What a model wrote. */
  readonly told: string;
  readonly budget: number;
  readonly redact: (text: string) => string;
  /** A path or text as it is written in the handoff: below the session's folder. */
  readonly shortened: (text: string) => string;
  /** In the language of the handoff. */
  readonly words: Words;
}

type Draft = (material: HandoffMaterial) => readonly ItemDraft[];

/** What the events say of each topic; the highest rank is most worth saying. Topics that are not here are a model's, or the record's. */
export const DRAFTS: Readonly<Partial<Record<Topic, Draft>>> = {
  task: taskDrafts,
  goal: goalDrafts,
  constraints: ruleDrafts,
  state: stateDrafts,
  progress: progressDrafts,
  blocked: blockedDrafts,
  decisions: answerDrafts,
  pending: pendingDrafts,
  files: fileDrafts,
  remaining: remainingDrafts,
  messages: messageDrafts,
  fixed: fixedDrafts,
};

/** Above what recency can add: comes first whatever its age. */
const FOREMOST = 10;
const QUOTE_CHARS_MAX = 80;
const GOAL_CHARS_MAX = 1_600;
/** For each token of the handoff: what the share of the section holds. */
const GOAL_CHARS_A_TOKEN = 0.2;
const ITEM_CHARS_MAX = 600;
/** A smaller handoff comes directly before the newest message, and needs its words for something else. */
const POINTER_BUDGET_MIN = 1_000;
const FAILING_NAMES_MAX = 24;
const RUNNING_CHARS_MAX = 120;

/** Whether the words of a message leave the conversation with the replaced messages; those of the live request never do. */
function leaves({ from, until, live }: HandoffMaterial, message: number): boolean {
  return message >= from && message < until && message !== live;
}

function liveText({ messages, live, redact }: HandoffMaterial): string {
  return live < 0 ? "" : redact(personText(messages[live]!) || contentText(messages[live]!.parts)).trim();
}

function taskDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const text = liveText(material);
  if (text === "" || material.budget < POINTER_BUDGET_MIN) return [];
  const quote = (): string => JSON.stringify(clipped(text.replace(/\s+/g, " "), QUOTE_CHARS_MAX));
  return [{ rank: FOREMOST * 2, order: 0, write: () => `${material.words.newest}: ${quote()}` }];
}

/** The last request that said something, unless it was answered, where the newest message means nothing without what it is about. */
function goalDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { events, live, redact } = material;
  if (!saysLittle(liveText(material))) return [];
  const before = events.requests.filter(({ message }) => message < live || live < 0);
  const goal = before.findLast(({ text }) => !saysLittle(text));
  if (goal === undefined || !leaves(material, goal.message) || isAnswered(events, goal, live)) return [];
  const charsMax = Math.min(GOAL_CHARS_MAX, material.budget * GOAL_CHARS_A_TOKEN);
  const write = (): string => `[${goal.message + 1}] ${sentencesWithin(redact(goal.text), charsMax)}`;
  return [{ rank: FOREMOST, order: goal.message, write }];
}

/** Whether the agent ended a turn for it, neither with a question that waits for its answer nor with steps of its plan open. */
function isAnswered({ all, requests, plan }: Events, { message }: RequestEvent, live: number): boolean {
  if (plan.some(({ state }) => state !== "done")) return false;
  const next = requests.find((request) => request.message > message && request.message !== live)?.message ?? Infinity;
  const last = all.findLast((event) => event.kind === "said" && event.ends && event.message > message);
  // A question that got its answer is none any more.
  return last?.kind === "said" && (last.message > next || !isQuestion(last.text));
}

/** What the project's own instructions say, with the file that says it. What a person ruled is in their own words in the record. */
function ruleDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { events, redact, beside, shortened } = material;
  return events.rules.flatMap(({ text, message, file, lead }, at) => {
    if (!leaves(material, message)) return [];
    const from = lead === undefined ? file : `${file}, ${lead}`;
    const write = (): string | undefined => (beside.includes(text) ? undefined : redact(`${shortened(from)}: ${text}`));
    return [{ rank: 1 - at / events.rules.length, order: message + at / events.rules.length, write }];
  });
}

function stateDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { events, redact, shortened, told } = material;
  const { folder, root, branch, calls } = events;
  const isNews = (value: string | undefined): value is string => value !== undefined && !told.includes(value);
  const check = calls.findLast(({ facts, ending }) => facts?.purpose === "check" && ending.status !== "running");
  const done = events.plan.filter(({ state }) => state === "done").map(({ text }) => redact(text));
  const fact = (rank: number, order: number, text: string): ItemDraft => ({ rank, order, write: () => redact(text) });
  return [
    // Where a single call went, the next need not be.
    ...(!isNews(folder) || folder !== (root ?? folder) ? [] : [fact(3, 0, `Folder: ${folder}`)]),
    ...(folder === root || root === undefined || shortened(`${root}/`) !== ""
      ? []
      : [fact(3, 0, `Paths in this folder are written without its name: ${root}/`)]),
    ...(!isNews(branch?.name) ? [] : [fact(3, 1, `Branch: ${branch!.name} [${branch!.message + 1}]`)]),
    ...(check === undefined || !leaves(material, check.message) ? [] : [fact(2, 2, checkText(material, check))]),
    ...repeatText(material).map((text, at) => fact(REPEATS_RANK, 3 + (at + 1) / 10, text)),
    ...(done.length === 0 ? [] : [fact(1.5, 4, clipped(`Done of the plan: ${done.join("; ")}`, ITEM_CHARS_MAX))]),
  ];
}

/** Above what was changed: an agent that does not know that it has done something does it again. */
const REPEATS_RANK = 1.8;
const REPEATS_SHOWN_MAX = 4;

function repeatText({ events, redact, shortened }: HandoffMaterial): readonly string[] {
  const calls = repeatedCalls(events).slice(0, REPEATS_SHOWN_MAX);
  const target = ({ summary, ...event }: CallEvent): string => {
    const what = targetText({ summary, ...event }, redact);
    return oneLine(shortened(summary.command === undefined ? `${summary.tool} ${what}` : what), QUOTE_CHARS_MAX);
  };
  if (calls.length === 0) return [];
  return [`${REPEATED_LEAD} ${calls.map(({ event, times }) => `${target(event)} (${times} times)`).join("; ")}`];
}

function checkText({ shortened, events, redact }: HandoffMaterial, event: CallEvent): string {
  const { message, ending } = event;
  const { passed, failed, failing, status } = ending;
  const line = ending.line === undefined ? undefined : endingText(ending, redact);
  const counts = [
    ...(failed === undefined || failed === 0 ? [] : [`${failed} failed`]),
    ...(passed === undefined ? [] : [`${passed} passed`]),
  ].join(", ");
  const cutOff = status === "interrupted" ? `interrupted: ${line ?? ""}` : "";
  const said =
    cutOff === ""
      ? counts === ""
        ? status === "failed"
          ? `failed: ${line ?? ""}`
          : (line ?? status)
        : counts
      : `${cutOff}${counts === "" ? "" : ` (${counts} so far)`}`;
  const names = failing.length === 0 ? "" : ` (failing: ${failing.slice(0, FAILING_NAMES_MAX).join(", ")})`;
  const isOld = events.files.some(({ changed = -1 }) => changed > message);
  const target = oneLine(shortened(targetText(event, redact)), QUOTE_CHARS_MAX * 2);
  return `Last check: ${target}${DASH}${said}${names}${isOld ? " (files were changed after it)" : ""} [${message + 1}]`;
}

/** Files that changed after the last commit that the session made; all that changed where it made none. */
function changedLately({ files, committed = -1 }: Events): readonly FileEntry[] {
  return files.filter(({ changed = -1 }) => changed > committed);
}

/** As it was named in the session's folder; in full where it was named in another. */
function namedBelow({ path, folder }: FileEntry, root: string | undefined): string {
  return folder === root ? path : pathFrom(path, folder);
}

/** What still runs, and the step of the plan that is under way. */
function progressDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { events, redact, shortened } = material;
  const running = stillRunning(events).map((event) => ({
    rank: FOREMOST,
    order: event.message,
    write: () =>
      redact(
        `Started in message ${event.message + 1}, no end seen: ${oneLine(shortened(`${event.summary.tool} ${targetText(event, redact)}`), QUOTE_CHARS_MAX * 2)}${DASH}${clipped(redact(event.ending.line ?? ""), RUNNING_CHARS_MAX)}`,
      ),
  }));
  const doing = events.plan.filter(({ state }) => state === "doing");
  return [
    ...running,
    ...doing.map(({ text }, at) => ({ rank: 1, order: events.all.length + at, write: () => redact(text) })),
  ];
}

/** Failures of the turn under way that nothing after them put right. */
function blockedDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { events, messages, redact, shortened, beside } = material;
  return openFailures(events).flatMap(({ failure, like }) => {
    if (!leaves(material, failure.message)) return [];
    const { message, summary, ending } = failure;
    const target = targetText(failure, redact);
    const what = oneLine(
      shortened(summary.command === undefined ? `${summary.tool} ${target}` : target),
      QUOTE_CHARS_MAX * 2,
    );
    const line = ending.line ?? "";
    const since = like === undefined ? "" : `; a call like it worked in message ${like.message + 1}`;
    const write = (): string | undefined =>
      line !== "" && beside.includes(line)
        ? undefined
        : redact(`${what}${DASH}${line === "" ? "failed" : line}${since}`);
    const rank = (like === undefined ? 1 : 0) + recency(message, messages.length);
    return [{ rank, order: message, write }];
  });
}

/** What a person chose when the agent asked through a tool for it: the question with the option's own text, dated: later words may overrule it. */
function answerDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { events, messages, redact } = material;
  return answersOf(events).flatMap(({ message, question, answer }) => {
    if (!leaves(material, message)) return [];
    const write = (): string =>
      `[${message + 1}] ${clipped(redact(question), ITEM_CHARS_MAX / 2)}${DASH}user: ${clipped(redact(answer), ITEM_CHARS_MAX)}`;
    return [{ rank: 1 + recency(message, messages.length), order: message, write }];
  });
}

function isAnswer(event: SessionEvent): boolean {
  return event.kind === "said" ? event.ends : event.kind === "call" && event.summary.action === "ask";
}

/** What was asked beside the live request and has no answer of the agent behind it yet, nor a question of it. */
function pendingDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { events, redact, messages } = material;
  const answered = events.all.findLast(isAnswer)?.message ?? -1;
  return events.requests.flatMap(({ message, text, media }) => {
    if (message < answered || !leaves(material, message)) return [];
    const write = (): string =>
      sentencesWithin(
        [redact(text), ...media.map((part) => mediaText(part, message))].filter((part) => part !== "").join(" "),
        ITEM_CHARS_MAX,
      );
    return [{ rank: 1 + recency(message, messages.length), order: message, write }];
  });
}

const STATE_RANK = { created: 5, edited: 5, deleted: 4, read: 1.5 } as const;

/** Changed files, by the tool that changed them; of files that were only read, those that were read last. */
function fileDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { events, messages, until, from, redact, shortened, beside } = material;
  const fresh = new Set(events.committed === undefined ? [] : changedLately(events));
  return events.files.flatMap((file) => {
    const showsItself = file.last >= until && !(file.firstChanged !== undefined && file.firstChanged < until);
    if (showsItself || file.last < from) return [];
    const rank = STATE_RANK[file.state] + recency(file.last, messages.length);
    const group =
      file.state === "deleted" ? `${file.tool}, deleted` : fresh.has(file) ? `${file.tool}${SINCE_COMMIT}` : file.tool;
    const write = (): string | undefined => {
      const path = redact(shortened(namedBelow(file, events.root)));
      return path === "." || (file.state === "read" && beside.includes(path)) ? undefined : path;
    };
    return [{ rank, order: file.last, group, write }];
  });
}

function remainingDrafts({ events, redact }: HandoffMaterial): readonly ItemDraft[] {
  const open = events.plan.filter(({ state }) => state === "open");
  return open.map(({ text }, at) => ({ rank: 2 - at / open.length, order: at, write: () => redact(text) }));
}

/** Everything that a person wrote, for a template that lists it apart. */
function messageDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { events, redact, messages } = material;
  return events.requests.flatMap(({ message, text, media }) => {
    if (!leaves(material, message)) return [];
    const words = [redact(text), ...media.map((part) => mediaText(part, message))]
      .filter((part) => part !== "")
      .join("\n");
    return [
      {
        rank: 1 + recency(message, messages.length),
        order: message,
        write: () => sentencesWithin(words, PASTE_CHARS_MIN),
      },
    ];
  });
}

/** Failures that a later run of the same put right, with what was changed in between. */
function fixedDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { events, messages, redact, shortened } = material;
  return repairedFailures(events).flatMap(({ failure, by }) => {
    if (!leaves(material, failure.message) || failure.ending.line === undefined) return [];
    const changes = events.calls.filter(
      (call) => call.message > failure.message && call.message < by.message && changesSomething(call),
    );
    const files = [...new Set(changes.flatMap(({ summary }) => summary.paths.map(shortened)))];
    const write = (): string =>
      redact(`${failure.ending.line}${files.length === 0 ? "" : `${DASH}gone after changes of ${files.join(", ")}`}`);
    return [{ rank: 1 + recency(failure.message, messages.length), order: failure.message, write }];
  });
}
