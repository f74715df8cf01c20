/**
 * The receipt of a compaction: for everything that the work may still need, whether the result holds it word for word, where it can
 * be recalled, what replaced it, or that it is lost. Computed from the original and the compaction alone, whoever made it.
 */
import {
  RECEIPT_FATES,
  RECEIPT_KINDS,
  type Compaction,
  type Evicted,
  type Receipt,
  type ReceiptKind,
  type ReceiptLine,
  type UnchangedFile,
} from "../compaction/compaction.ts";
import type { Pins } from "../compaction/keep-messages.ts";
import { described, labelOf } from "../digest/call.ts";
import { oneLine } from "../digest/cut.ts";
import { withoutGutter } from "../digest/numbered-lines.ts";
import { eventsOf, type CallEvent, type Events, type RequestEvent, type SessionEvent } from "../events/events.ts";
import { openFailures } from "../events/failures.ts";
import { changedAfter } from "../events/files.ts";
import { answersOf } from "../events/questions.ts";
import { readsOneFile } from "../events/repeats.ts";
import { runningIds, stillRunning } from "../events/running.ts";
import { saysLittle } from "../events/text.ts";
import { callsOf, contentText, type Message } from "../transcript/message.ts";
import { type Hash, RECALL_IDS } from "../transcript/links.ts";

/** Lines that a receipt lists; where there are more, those that are kept are left out first. The counts are of all. */
const LINES_MAX = 300;
const TEXT_CHARS_MAX = 100;
/** What of a text is redacted to be shown: far more than that, so that no secret is cut in two there. */
const READ_CHARS_MAX = 1_000;
const VALUES_MAX = 40;
const UNCHANGED_MAX = 100;
const HASH_DIGITS = 8;

export interface ReceiptOptions {
  readonly pins: Pins;
  readonly redact: (text: string) => string;
  readonly hash: Hash;
  /** Index of the live request; -1 where no user has spoken. */
  readonly live: number;
}

/** Something that the work may still need. */
interface Item {
  readonly kind: ReceiptKind;
  readonly text: string;
  /** What has to be in the result, where that is not the text. */
  readonly needs?: readonly string[];
  /** The messages that hold it. */
  readonly messages: readonly number[];
  /** A later message that says the same or takes its place. */
  readonly successor?: number;
}

/** What the result holds of the original. */
interface Result {
  readonly stands: (message: number) => boolean;
  readonly holds: (text: string) => boolean;
  /** The same of what a person said: few words have to be a line of their own. */
  readonly quotes: (text: string) => boolean;
  readonly idFor: (message: number) => string | undefined;
}

export function receiptOf(
  messages: readonly Message[],
  compaction: Pick<Compaction, "after" | "covered" | "map" | "evicted">,
  { pins, redact, hash, live }: ReceiptOptions,
): Receipt {
  const events = eventsOf(messages);
  const items = [
    ...requestItems(events),
    ...ruleItems(events),
    ...pinItems(messages, pins),
    ...openFailures(events).flatMap(({ failure }) => failureItem(failure)),
    ...stillRunning(events).map(runningItem),
    ...valueItems(events, live),
    ...fileItems(events),
  ];
  const result = readResult(compaction, redact);
  const lines = items.map((item) => lineFor(item, result, redact));
  const kept = lines.filter(({ fate }) => fate === "kept");
  const leftOut = new Set(kept.slice(0, Math.max(0, lines.length - LINES_MAX)));
  const shown = lines.filter((line) => !leftOut.has(line)).slice(0, LINES_MAX);
  return { counts: countsOf(lines), lines: shown, unchanged: unchangedFiles(events, { redact, hash }) };
}

function countsOf(lines: readonly ReceiptLine[]): Receipt["counts"] {
  return Object.fromEntries(
    RECEIPT_KINDS.map((kind) => {
      const own = lines.filter((line) => line.kind === kind);
      return [
        kind,
        Object.fromEntries(RECEIPT_FATES.map((fate) => [fate, own.filter((one) => one.fate === fate).length])),
      ];
    }),
  ) as Receipt["counts"];
}

function lineFor(
  { kind, text, needs = [text], messages, successor }: Item,
  result: Result,
  redact: (text: string) => string,
): ReceiptLine {
  const at = messages[0];
  const shown = oneLine(redact(text.slice(0, READ_CHARS_MAX)), TEXT_CHARS_MAX);
  const line = { kind, text: shown, ...(at === undefined ? {} : { message: at + 1 }) };
  const isHeld = kind === "request" ? result.quotes : result.holds;
  if (messages.some(result.stands) || needs.every(isHeld)) return { ...line, fate: "kept" };
  if (successor !== undefined && result.stands(successor)) return { ...line, fate: "replaced", by: successor + 1 };
  const id = messages.map(result.idFor).find((one) => one !== undefined);
  return id === undefined ? { ...line, fate: "lost" } : { ...line, fate: "recallable", id };
}

function readResult(
  { after, covered, map, evicted }: Pick<Compaction, "after" | "covered" | "map" | "evicted">,
  redact: (text: string) => string,
): Result {
  const own = new Set(map.flatMap((one) => (one.kind === "kept" ? [one.at] : [])));
  const written = after.filter((_, at) => !own.has(at)).map(readable);
  const text = inWords(written.join("\n"));
  const shown = new Set(written.flatMap((one) => one.match(RECALL_IDS) ?? []));
  const reached = evicted.filter(({ id }) => shown.has(id)).toSorted((a, b) => lengthOf(a) - lengthOf(b));
  const holds = (wanted: string): boolean =>
    includesWords(text, inWords(wanted)) || includesWords(text, inWords(redact(wanted)));
  const lines = new Set(written.flatMap((one) => one.split("\n").flatMap(saidIn)));
  return {
    stands: (at) => at >= covered || map[at]?.kind === "kept",
    holds,
    quotes: (wanted) =>
      saysLittle(wanted) ? lines.has(inWords(wanted)) || lines.has(inWords(redact(wanted))) : holds(wanted),
    idFor: (at) => reached.find(({ message, end = message + 1 }) => at >= message && at < end)?.id,
  };
}

function lengthOf({ message, end = message + 1 }: Evicted): number {
  return end - message;
}

function readable(message: Message): string {
  return [contentText(message.parts), ...callsOf(message).flatMap((call) => described(call).values)].join("\n");
}

/** Lines are joined and indented where a text is quoted: the words in their order are what counts. */
function inWords(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

const IN_WORD = /[\p{L}\p{N}]/u;

/** How a handoff names a person's words, in the record and beside a question with options. */
const SPOKEN = /(?:^|\s)[Uu]ser: (.*)$/;

/** A line, and the words of a person in it. */
function saidIn(line: string): readonly string[] {
  const text = inWords(line);
  return [text, SPOKEN.exec(text)?.[1] ?? text];
}

/** As whole words: `46` is not in `1460`. */
function includesWords(text: string, wanted: string): boolean {
  if (wanted === "") return true;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const [before, after] = [text.slice(at - 1, at), text.slice(at + wanted.length, at + wanted.length + 1)];
    if (!joins(before, wanted[0]!) && !joins(wanted.at(-1)!, after)) return true;
  }
  return false;
}

function joins(one: string, next: string): boolean {
  return IN_WORD.test(one) && IN_WORD.test(next);
}

/**
 * What a person wrote, gave to a command and chose. A later message with the same words takes the place of an earlier one, and is kept
 * where that is; a few words do not, because each may answer something else.
 */
function requestItems(events: Events): readonly Item[] {
  const wrote = [...events.requests, ...events.all.flatMap(commandWithWords)].toSorted((a, b) => a.message - b.message);
  const alike = Map.groupBy(wrote, ({ text }) => inWords(text));
  const asked = wrote.flatMap(({ text, message }): readonly Item[] => {
    if (text.trim() === "") return [];
    const twins = saysLittle(text) ? [message] : alike.get(inWords(text))!.map((one) => one.message);
    const later = twins.at(-1)!;
    const messages = [message, ...twins.filter((one) => one < message)];
    return [{ kind: "request", text, messages, ...(later > message ? { successor: later } : {}) }];
  });
  const chosen = answersOf(events).map(({ answer, message }): Item => {
    return { kind: "request", text: answer, messages: [message] };
  });
  return [...asked, ...chosen];
}

/** A command alone says nothing of the work; what a person typed behind it does. */
function commandWithWords(event: SessionEvent): readonly Pick<RequestEvent, "message" | "text">[] {
  if (event.kind !== "heard" || event.speaker.by !== "command" || !/\s/.test(event.speaker.text)) return [];
  return [{ message: event.message, text: event.speaker.text }];
}

/** A file that was written anew without a rule has taken its place. */
function ruleItems({ rules, calls }: Events): readonly Item[] {
  return rules.map(({ text, file, message }) => {
    const rewritten = calls.find(
      (event) =>
        event.message > message && writesWhole(event, file) && !described(event.call).values.join("\n").includes(text),
    );
    const successor = rewritten === undefined ? {} : { successor: rewritten.message };
    return { kind: "rule", text, messages: [message], ...successor };
  });
}

function writesWhole({ summary, ending }: CallEvent, file: string): boolean {
  return (
    summary.action === "write" && ending.status === "done" && summary.paths.length === 1 && summary.paths[0] === file
  );
}

function pinItems(messages: readonly Message[], pins: Pins): readonly Item[] {
  const pinned = pins.messages.map((at): Item => {
    const message = messages[at];
    return { kind: "pin", text: message === undefined ? "" : readable(message), messages: [at] };
  });
  return [...pins.facts.map((fact): Item => ({ kind: "pin", text: fact, messages: [] })), ...pinned];
}

function failureItem({ ending, message, result = message }: CallEvent): readonly Item[] {
  const { line = "" } = ending;
  return line === "" ? [] : [{ kind: "failure", text: line, messages: [result] }];
}

/** By the ids that reach it; by the line of its result that says that it runs, where it has none. */
function runningItem(event: CallEvent): Item {
  const { summary, ending, message, result = message } = event;
  const ids = runningIds(event);
  const label = labelOf(summary);
  if (ids.length === 0) return { kind: "running", text: ending.line ?? label, messages: [result] };
  return { kind: "running", text: `${label} (${ids.join(", ")})`, needs: ids, messages: [result] };
}

const WORD = /[\p{L}\p{N}_./:@#$%+-]+/gu;
const VALUE_CHARS_MIN = 2;

/** Numbers, versions, dates, paths and names with a digit that the live request states. */
function valueItems({ requests }: Events, live: number): readonly Item[] {
  const text = requests.find(({ message }) => message === live)?.text ?? "";
  const words = (text.match(WORD) ?? []).filter((word) => /\p{N}/u.test(word));
  const values = words.map((word) => word.replace(/(?<![.:-])[.:-]+$/, ""));
  const distinct = [...new Set(values)].filter((value) => value.length >= VALUE_CHARS_MIN);
  return distinct.slice(0, VALUES_MAX).map((value) => ({ kind: "value", text: value, messages: [live] }));
}

/** By what stands in a handoff, which names files below the session's folder. */
function fileItems({ files, root }: Events): readonly Item[] {
  return files.flatMap(({ path, changed }): readonly Item[] =>
    changed === undefined ? [] : [{ kind: "file", text: belowRoot(path, root), messages: [changed] }],
  );
}

function belowRoot(path: string, root: string | undefined): string {
  return root !== undefined && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

/** By what each showed last. */
function unchangedFiles(
  events: Events,
  { redact, hash }: Pick<ReceiptOptions, "redact" | "hash">,
): readonly UnchangedFile[] {
  const { calls, root } = events;
  const isOld = changedAfter(events);
  const unchanged = new Map<string, UnchangedFile>();
  for (const event of calls.toReversed()) {
    const [path = ""] = event.summary.paths;
    if (unchanged.size === UNCHANGED_MAX) break;
    if (event.result === undefined || !readsOneFile(event) || unchanged.has(path) || isOld(event)) continue;
    const digest = hash(withoutGutter(event.text)).slice(0, HASH_DIGITS);
    unchanged.set(path, { path: redact(belowRoot(path, root)), message: event.result + 1, hash: digest });
  }
  return [...unchanged.values()];
}
