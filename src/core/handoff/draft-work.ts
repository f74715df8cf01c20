/** Drafts the sections that the work itself filled: actions, state, progress, blockers, files, what remains, values. */
import type { ActionEntry, CommandEntry, ErrorEntry, FileEntry, Ledger } from "../ledger/ledger.ts";
import { sentencesOf } from "../ledger/readers/sentences.ts";
import { contentText } from "../transcript/message.ts";
import { belowRoot, rootOf } from "./root.ts";
import { lastWords, leaves, type Material } from "./draft-dialogue.ts";
import { clipped, DASH, LIST_SEPARATOR, recency, type Draft } from "./items.ts";

const TARGET_CHARS_MAX = 140;
const OUTCOME_CHARS_MAX = 160;
const INTENTION_CHARS_MIN = 20;
const INTENTION_CHARS_MAX = 280;
const ERROR_CHARS_MAX = 320;
const PLAN_ITEM_CHARS_MAX = 240;
/** Far more than is shown, so that nothing is cut before it was redacted. */
const COMMAND_CHARS_READ_MAX = 2_000;
/** Names of failing tests that one check lists: more where the handoff is larger. */
const FAILING_NAMES_MIN = 4;
const FAILING_NAMES_MAX = 24;
const HANDOFF_TOKENS_PER_NAME = 100;
/** After so many more calls the agent has moved on from what failed, unless it was a check. */
const MOVED_ON_ACTIONS = 12;

/** What changes the world beyond the files: the most costly to do twice. */
const LASTING =
  /\b(?:push|merge|rebase|commit|tag|deploy|publish|release|install|migrate|checkout -b|switch -c|create|delete|rm|mv)\b/;
const LASTING_WITHIN_CHARS = 400;
const READ_ONLY_VERB = /^(?:get|list|search|find|read|fetch|view|show|check|calculate|think|lookup|query)_?/i;

export function actionDrafts(material: Material): readonly Draft[] {
  const merged = new Map<string, { readonly action: ActionEntry; readonly times: number }>();
  for (const action of material.ledger.actions) {
    if (!leaves(material, action.message) || action.ok === false || !isDeed(action)) continue;
    const key = deedKey(action);
    const times = (merged.get(key)?.times ?? 0) + 1;
    merged.delete(key);
    merged.set(key, { action, times });
  }
  const { length } = material.messages;
  return Array.from(merged.values(), ({ action, times }) => ({
    rank: deedRank(action) + recency(action.message, length),
    order: action.message,
    write: () => actionText(material, action, times),
  }));
}

/** Done, and worth knowing: what only looked around is not. */
function isDeed({ action, tool, purpose }: ActionEntry): boolean {
  switch (action) {
    case "run":
      return purpose !== "show";
    case "edit":
    case "write":
    case "delegate":
      return true;
    case "fetch":
    case "other":
      return !READ_ONLY_VERB.test(tool);
    default:
      return false;
  }
}

/** One check replaces the like check before it; other runs are told apart by their words, changes by their file. */
function deedKey({ action, text, target, tool, purpose, family }: ActionEntry): string {
  if (action === "run") return purpose === "check" ? `check ${family}` : `run ${text}`;
  return action === "edit" || action === "write" ? `edit ${target}` : `${tool} ${target}`;
}

function deedRank({ action, text, purpose }: ActionEntry): number {
  if (action === "run" && /^sed\s/.test(text)) return 0.8;
  if (action === "run") return purpose === "commit" || LASTING.test(text.slice(0, LASTING_WITHIN_CHARS)) ? 2 : 1.2;
  return action === "other" || action === "delegate" ? 2 : 1;
}

const VERBS = {
  run: "RUN",
  edit: "EDIT",
  write: "WRITE",
  delegate: "DELEGATE",
  fetch: "FETCH",
  other: "CALL",
} as const;

function actionText({ ledger, redact }: Material, action: ActionEntry, times: number): string {
  const { purpose } = action;
  if (purpose === "commit") return `COMMIT ${commitText(action, redact)} [tool: ${action.tool}]`;
  const check = purpose === "check";
  const verb = check ? "CHECK" : VERBS[action.action as keyof typeof VERBS];
  const target = clipped(belowRoot(targetOf(action, redact), ledger), TARGET_CHARS_MAX);
  const command = check ? ledger.commands.find(({ message }) => message === action.message) : undefined;
  const outcome =
    command === undefined ? oneLine(redact(action.outcome ?? "")) : checkOutcome(command, FAILING_NAMES_MIN, redact);
  return `${verb} ${target}${times > 1 ? ` ×${times}` : ""}${outcome === "" ? "" : `${DASH}${outcome}`} [tool: ${action.tool}]`;
}

/** What was acted on, redacted before anything is cut from it. A target that was cut already loses its torn last word. */
function targetOf({ action, text, target, purpose }: ActionEntry, redact: (text: string) => string): string {
  if (action !== "run") return redact(withoutTornWord(target));
  const command = redact(text.slice(0, COMMAND_CHARS_READ_MAX)).replace(CHANGES_FOLDER, "");
  return (purpose === "check" ? withoutPaging(command) : command).replace(/\s+/g, " ");
}

function withoutTornWord(text: string): string {
  return text.endsWith("…") ? text.replace(/\S*…$/, "…") : text;
}

const CHANGES_FOLDER = /^\s*cd\s+[^\s;&|]+\s*(?:&&|;|\n)\s*(?=\S)/;

/** How much of a check's output was looked at is of no interest afterwards. */
function withoutPaging(command: string): string {
  return command.replace(/\s*\|\s*(?:tail|head)\s+(?:-n\s*)?-?\d+\s*$/, "").replace(/\s*2>&1\s*$/, "");
}

const COMMIT_LINE = /^\[[^\]]+ ([0-9a-f]{7,40})\] (.*)$/;
/** The first line of a message given with `-m`, plain or as a here-document. */
const COMMIT_SUBJECT = /\s-[a-z]*m\s+(?:"\$\(cat <<-?\s*['"]?\w+['"]?\s*\n\s*([^\n]+)|"([^"\n]+)|'([^'\n]+))/;

/** Git's own line holds hash and subject; the command has the subject where git printed nothing. */
function commitText({ outcome, text, target }: ActionEntry, redact: (text: string) => string): string {
  const line = COMMIT_LINE.exec(outcome ?? "");
  if (line !== null) return oneLine(redact(`${line[1]} ${line[2]}`));
  const subject = COMMIT_SUBJECT.exec(text.slice(0, COMMAND_CHARS_READ_MAX));
  return oneLine(redact(subject === null ? target : (subject[1] ?? subject[2] ?? subject[3] ?? target)));
}

function oneLine(text: string): string {
  return clipped(text.replace(/\s+/g, " "), OUTCOME_CHARS_MAX);
}

function checkOutcome(
  { ok, passed, failed, failing, outcome }: CommandEntry,
  namesMax: number,
  redact: (text: string) => string,
): string {
  if (failing.length > 0) {
    const more = failing.length - namesMax;
    const counts = `${failed ?? failing.length} failed${passed === undefined ? "" : `, ${passed} passed`}`;
    return `${counts}: ${redact(namesOf(failing.slice(0, namesMax)).join(", "))}${more > 0 ? ` and ${more} more` : ""}`;
  }
  const counted = passed !== undefined && (failed ?? 0) === 0 && passed > 1 ? `${passed} passed` : undefined;
  return counted ?? oneLine(redact(outcome ?? (ok === true ? "ok" : ok === false ? "failed" : "")));
}

/** The first name in full; what the others share with it, up to the last separator, goes without saying. */
function namesOf(names: readonly string[]): readonly string[] {
  const file = /^.*(?:::|[/>])/.exec(names[0] ?? "")?.[0] ?? "";
  return names.map((name, at) => (at > 0 && name.startsWith(file) ? name.slice(file.length) : name));
}

export function stateDrafts(material: Material): readonly Draft[] {
  const { ledger, redact } = material;
  const { cwd, branch } = ledger;
  const root = cwd === undefined ? rootOf(ledger) : undefined;
  const changed = uncommitted(ledger).length;
  const check = ledger.commands.findLast(({ purpose }) => purpose === "check");
  const done = (ledger.plan?.items ?? []).filter(({ state }) => state === "done").map(({ text }) => text);
  return [
    ...(done.length === 0
      ? []
      : [
          { rank: 1.5, order: 4, write: () => clipped(redact(`Done of the plan: ${done.join("; ")}`), PLAN_CHARS_MAX) },
        ]),
    ...(cwd === undefined ? [] : [{ rank: 3, order: 0, write: () => redact(`Folder: ${cwd}`) }]),
    ...(root === undefined ? [] : [{ rank: 3, order: 0, write: () => redact(`Paths are below: ${root}`) }]),
    ...(branch === undefined ? [] : [{ rank: 3, order: 1, write: () => redact(`Branch: ${branch}`) }]),
    ...(check === undefined || !leaves(material, check.message)
      ? []
      : [{ rank: 2, order: 2, write: () => checkText(material, check) }]),
    ...(changed === 0
      ? []
      : [
          {
            rank: 1,
            order: 3,
            write: () => `Changed since the last commit: ${changed} file${changed === 1 ? "" : "s"}`,
          },
        ]),
  ];
}

const PLAN_CHARS_MAX = 500;

function checkText({ ledger, redact, budget }: Material, check: CommandEntry): string {
  const run = ledger.actions.find(({ message, text }) => message === check.message && text === check.text);
  const target = run === undefined ? "" : clipped(belowRoot(targetOf(run, redact), ledger), TARGET_CHARS_MAX);
  const names = Math.min(FAILING_NAMES_MAX, Math.max(FAILING_NAMES_MIN, Math.floor(budget / HANDOFF_TOKENS_PER_NAME)));
  return `Last check: ${target}${DASH}${checkOutcome(check, names, redact)}`;
}

function uncommitted({ files, committed }: Ledger): readonly FileEntry[] {
  return committed === undefined ? [] : files.filter(({ changed }) => changed !== undefined && changed > committed);
}

/** The step the plan says is under way, and the last thing the assistant said it was about to do. */
export function progressDrafts(material: Material): readonly Draft[] {
  const { ledger, messages, until, live, redact, beside } = material;
  const doing = (ledger.plan?.items ?? []).filter(({ state, text }) => state === "doing" && !beside.includes(text));
  const drafts = doing.map(({ text }, order): Draft => ({
    rank: 2,
    order,
    write: () => clipped(redact(text), PLAN_ITEM_CHARS_MAX),
  }));
  const said = lastWords(messages, until);
  const open = ledger.requests.some(({ settled }) => settled === undefined || settled >= until);
  if (said < live || said < 0 || !leaves(material, said) || !open) return drafts;
  const words = sentencesOf(contentText(messages[said]!.parts)).slice(-2).join(" ");
  if (words.length < INTENTION_CHARS_MIN) return drafts;
  const write = (): string => `The assistant, just before the cut: ${clipped(redact(words), INTENTION_CHARS_MAX)}`;
  return [...drafts, { rank: 1, order: drafts.length, write }];
}

/** Errors of the work still under way: those of requests long settled block nothing. */
export function blockedDrafts(material: Material): readonly Draft[] {
  const { ledger, messages, until, beside } = material;
  const since =
    ledger.requests.findLast(({ settled, message }) => settled !== undefined && message < until)?.message ?? 0;
  const lately =
    ledger.actions.findLast(({ message }, at) => message < until && at < ledger.actions.length - MOVED_ON_ACTIONS)
      ?.message ?? 0;
  return ledger.errors.flatMap((error) => {
    if (error.resolved !== undefined || error.message < since || !leaves(material, error.message)) return [];
    if (error.message < lately && error.purpose !== "check") return [];
    const rank = 1 + recency(error.message, messages.length) + (error.changedSince === undefined ? 1 : 0);
    const write = (): string | undefined => (beside.includes(error.text) ? undefined : errorText(material, error));
    return [{ rank, order: error.message, write }];
  });
}

function errorText({ ledger, redact }: Material, { text, source, changedSince, tool }: ErrorEntry): string {
  const after = changedSince === undefined ? "" : " (files changed since, not run again)";
  const tried = clipped(redact(belowRoot(withoutTornWord(source), ledger)), TARGET_CHARS_MAX);
  return `${clipped(redact(text), ERROR_CHARS_MAX)}${DASH}${tried}${after} [tool: ${tool}]`;
}

const MENDING_CHANGES_MAX = 3;

/** Errors that no longer stand, with what was changed until they were gone. */
export function fixedDrafts(material: Material): readonly Draft[] {
  const { ledger, messages, redact } = material;
  const changes = ledger.actions.filter(({ action, ok }) => (action === "edit" || action === "write") && ok !== false);
  return ledger.errors.flatMap((error) => {
    const { resolved, message, changedSince: _, ...met } = error;
    if (resolved === undefined || !leaves(material, message)) return [];
    const write = (): string => {
      const between = changes.filter((change) => change.message > message && change.message < resolved.message);
      const targets = new Set(between.toReversed().map(({ target }) => redact(belowRoot(target, ledger))));
      const mended = [...targets].slice(0, MENDING_CHANGES_MAX).join(", ");
      return `${errorText(material, { ...met, message })} ${mended === "" ? "gone later" : `gone after changes to ${mended}`}`;
    };
    const rank = 1 + recency(message, messages.length) + (error.purpose === "check" ? 1 : 0);
    return [{ rank, order: message, write }];
  });
}

const STATE_RANK = { created: 3, edited: 3, deleted: 2, read: 1.5, listed: 0.5 } as const;

/** Files with the tool that touched them. Those the tail works on show themselves there. */
export function fileDrafts(material: Material): readonly Draft[] {
  const { ledger, messages, until, from } = material;
  const fresh = new Set(uncommitted(ledger));
  return ledger.files.flatMap((file) => {
    if (file.last >= until || file.message < from || (file.state === "listed" && !HAS_EXTENSION.test(file.path)))
      return [];
    const rank =
      STATE_RANK[file.state] + recency(file.last, messages.length) + Math.min(1, (file.reads + file.edits) / 10);
    return [{ rank, order: file.last, group: groupOf(file, fresh.has(file)), write: () => fileText(material, file) }];
  });
}

const HAS_EXTENSION = /\.\w+$/;

function fileText({ ledger, redact, beside }: Material, file: FileEntry): string | undefined {
  const path = belowRoot(file.path, ledger);
  const standing = STATE_RANK[file.state] < STATE_RANK.deleted && beside.includes(path);
  return standing || path === "." || path.includes(LIST_SEPARATOR) ? undefined : redact(path);
}

/** `Edit`, `Edit, uncommitted`, `Bash, deleted`: the tool's name is what a path is tied to. */
function groupOf({ tool, state }: FileEntry, fresh: boolean): string {
  if (state === "deleted") return `${tool}, deleted`;
  return fresh ? `${tool}, uncommitted` : tool;
}

export function remainingDrafts({ ledger, redact, beside, messages }: Material): readonly Draft[] {
  const open = (ledger.plan?.items ?? []).filter(({ state }) => state === "open");
  return open.map(({ text }, order) => ({
    rank: 2 - order / messages.length,
    order,
    write: () => (beside.includes(text) ? undefined : clipped(redact(text), PLAN_ITEM_CHARS_MAX)),
  }));
}

export function valueDrafts(material: Material): readonly Draft[] {
  const { ledger, messages, redact, beside } = material;
  const leaving = ledger.values.filter(({ message }) => leaves(material, message));
  return leaving.map(({ text, message }) => ({
    rank: recency(message, messages.length),
    order: message,
    write: () => (beside.includes(text) ? undefined : redact(text.replace(/^[-*+•]\s+/, ""))),
  }));
}
