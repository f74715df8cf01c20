/** Drafts the sections that the work itself filled: actions, state, progress, blockers, files, what remains, values. */
import type { ActionEntry, CommandEntry, ErrorEntry, FileEntry, Ledger } from "../evidence/ledger.ts";
import { familyOf, purposeOf } from "../evidence/facts/commands.ts";
import { sentencesOf } from "../evidence/facts/sentences.ts";
import { contentText } from "../transcript/message.ts";
import { leaves, type Material } from "./draft-dialogue.ts";
import { clipped, DASH, itemOf, recency, type Item } from "./items.ts";

const TARGET_CHARS_MAX = 140;
const OUTCOME_CHARS_MAX = 160;
const INTENTION_CHARS_MAX = 280;
const ERROR_CHARS_MAX = 320;
const PLAN_ITEM_CHARS_MAX = 240;
const FAILING_NAMES_MAX = 4;
/** After so many more calls the agent has moved on from what failed, unless it was a check. */
const MOVED_ON_ACTIONS = 12;

/** What changes the world beyond the files: the most costly to do twice. */
const LASTING =
  /\b(?:push|merge|rebase|commit|tag|deploy|publish|release|install|migrate|checkout -b|switch -c|create|delete|rm|mv)\b/;
const READ_ONLY_VERB = /^(?:get|list|search|find|read|fetch|view|show|check|calculate|think|lookup|query)_?/i;

export function actionItems(material: Material): readonly Item[] {
  const merged = new Map<string, { readonly action: ActionEntry; readonly times: number }>();
  for (const action of material.ledger.actions) {
    if (!leaves(material, action.message) || action.ok === false || !isDeed(action)) continue;
    const key = deedKey(action);
    const times = (merged.get(key)?.times ?? 0) + 1;
    merged.delete(key);
    merged.set(key, { action, times });
  }
  const { length } = material.messages;
  return [...merged.values()].map(({ action, times }) => {
    const place = { rank: deedRank(action) + recency(action.message, length), order: action.message };
    return itemOf("actions", actionText(material, action, times), place);
  });
}

/** Done, and worth knowing: what only looked around is not. */
function isDeed({ action, tool, text }: ActionEntry): boolean {
  switch (action) {
    case "run":
      return purposeOf(text) !== "show";
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

function deedKey({ action, text, target, tool }: ActionEntry): string {
  if (action === "run") return purposeOf(text) === "check" ? `check ${familyOf(text)}` : `run ${text}`;
  return action === "edit" || action === "write" ? `edit ${target}` : `${tool} ${target}`;
}

function deedRank({ action, text }: ActionEntry): number {
  if (action === "run") return purposeOf(text) === "commit" || LASTING.test(text) ? 2 : 1.2;
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
  const purpose = action.action === "run" ? purposeOf(action.text) : "other";
  if (purpose === "commit") return `COMMIT ${commitText(action, redact)} [tool: ${action.tool}]`;
  const check = purpose === "check";
  const verb = check ? "CHECK" : VERBS[action.action as keyof typeof VERBS];
  const target = clipped(redact(relative(action.target, ledger.cwd)), TARGET_CHARS_MAX);
  const command = check ? ledger.commands.find(({ message }) => message === action.message) : undefined;
  const outcome = command === undefined ? oneLine(redact(action.outcome ?? "")) : checkOutcome(command, redact);
  return `${verb} ${target}${times > 1 ? ` ×${times}` : ""}${outcome === "" ? "" : `${DASH}${outcome}`} [tool: ${action.tool}]`;
}

const COMMIT_LINE = /^\[[^\]]+ ([0-9a-f]{7,40})\] (.*)$/;
/** The first line of a message given with `-m`, plain or as a here-document. */
const COMMIT_SUBJECT = /\s-[a-z]*m\s+(?:"\$\(cat <<-?\s*['"]?\w+['"]?\s*\n\s*([^\n]+)|"([^"\n]+)|'([^'\n]+))/;

const COMMIT_CHARS_READ_MAX = 2_000;

/** Git's own line holds hash and subject; the command has the subject where git printed nothing. */
function commitText({ outcome, text, target }: ActionEntry, redact: (text: string) => string): string {
  const line = COMMIT_LINE.exec(outcome ?? "");
  if (line !== null) return oneLine(redact(`${line[1]} ${line[2]}`));
  const subject = COMMIT_SUBJECT.exec(text.slice(0, COMMIT_CHARS_READ_MAX));
  return oneLine(redact(subject === null ? target : (subject[1] ?? subject[2] ?? subject[3] ?? target)));
}

function oneLine(text: string): string {
  return clipped(text.replace(/\s+/g, " "), OUTCOME_CHARS_MAX);
}

function checkOutcome(
  { ok, passed, failed, failing, outcome }: CommandEntry,
  redact: (text: string) => string,
): string {
  if (failing.length > 0) {
    const more = failing.length - FAILING_NAMES_MAX;
    const counts = `${failed ?? failing.length} failed${passed === undefined ? "" : `, ${passed} passed`}`;
    return redact(`${counts}: ${failing.slice(0, FAILING_NAMES_MAX).join(", ")}${more > 0 ? ` and ${more} more` : ""}`);
  }
  const counted = passed !== undefined && (failed ?? 0) === 0 && passed > 1 ? `${passed} passed` : undefined;
  return counted ?? oneLine(redact(outcome ?? (ok === true ? "ok" : ok === false ? "failed" : "")));
}

/** The working folder goes without saying. */
export function relative(text: string, cwd: string | undefined): string {
  return cwd === undefined || cwd === "/" ? text : text.replaceAll(`${cwd}/`, "");
}

export function stateItems(material: Material): readonly Item[] {
  const { ledger, redact, tailText } = material;
  const items: Item[] = [];
  if (ledger.cwd !== undefined) items.push(itemOf("state", `Folder: ${ledger.cwd}`, { rank: 3, order: 0 }));
  if (ledger.branch !== undefined) items.push(itemOf("state", `Branch: ${ledger.branch}`, { rank: 3, order: 1 }));
  const check = ledger.commands.findLast(({ text }) => purposeOf(text) === "check");
  if (check !== undefined && leaves(material, check.message) && !tailText.includes(check.text)) {
    const run = ledger.actions.find(({ message, text: words }) => message === check.message && words === check.text);
    const text = `Last check: ${clipped(redact(relative(run?.target ?? check.text, ledger.cwd)), TARGET_CHARS_MAX)}${DASH}${checkOutcome(check, redact)}`;
    items.push(itemOf("state", text, { rank: 2, order: 2 }));
  }
  const changed = uncommitted(ledger).length;
  if (changed > 0)
    items.push(
      itemOf("state", `Changed since the last commit: ${changed} file${changed === 1 ? "" : "s"}`, {
        rank: 1,
        order: 3,
      }),
    );
  return items;
}

function uncommitted({ files, committed }: Ledger): readonly FileEntry[] {
  return committed === undefined ? [] : files.filter(({ changed }) => changed !== undefined && changed > committed);
}

/** The step the plan says is under way, and the last thing the assistant said it was about to do. */
export function progressItems(material: Material): readonly Item[] {
  const { ledger, messages, until, live, redact, tailText } = material;
  const doing = (ledger.plan?.items ?? []).filter(({ state, text }) => state === "doing" && !tailText.includes(text));
  const items = doing.map(({ text }, at) =>
    itemOf("progress", clipped(redact(text), PLAN_ITEM_CHARS_MAX), { rank: 2, order: at }),
  );
  const said = messages.findLastIndex(
    ({ role, parts }, at) => at < until && role === "assistant" && contentText(parts) !== "",
  );
  const open = ledger.requests.some(({ settled }) => settled === undefined || settled >= until);
  if (said < live || said < 0 || !leaves(material, said) || !open) return items;
  const words = sentencesOf(contentText(messages[said]!.parts)).slice(-2).join(" ");
  if (words === "") return items;
  return [
    ...items,
    itemOf("progress", `The assistant, just before the cut: ${clipped(redact(words), INTENTION_CHARS_MAX)}`, {
      rank: 1,
      order: items.length,
    }),
  ];
}

/** Errors of the work still under way: those of requests long settled block nothing. */
export function blockedItems(material: Material): readonly Item[] {
  const { ledger, messages } = material;
  const since =
    ledger.requests.findLast(({ settled, message }) => settled !== undefined && message < material.until)?.message ?? 0;
  const lately = ledger.actions.filter(({ message }) => message < material.until).at(-MOVED_ON_ACTIONS)?.message ?? 0;
  return ledger.errors.flatMap((error) => {
    if (error.resolved !== undefined || error.message < since || !leaves(material, error.message)) return [];
    if (error.message < lately && purposeOf(error.source) !== "check") return [];
    if (material.tailText.includes(error.text)) return [];
    const rank = 1 + recency(error.message, messages.length) + (error.changedSince === undefined ? 1 : 0);
    return [itemOf("blocked", errorText(material, error), { rank, order: error.message })];
  });
}

function errorText({ ledger, redact }: Material, { text, source, changedSince, tool }: ErrorEntry): string {
  const after = changedSince === undefined ? "" : " (files changed since, not run again)";
  const tried = clipped(redact(relative(source, ledger.cwd)), TARGET_CHARS_MAX);
  return `${clipped(redact(text), ERROR_CHARS_MAX)}${DASH}${tried}${after} [tool: ${tool}]`;
}

const STATE_RANK = { created: 3, edited: 3, deleted: 2, read: 1.5, listed: 0.5 } as const;

/** Files with the tool that touched them; those that the chronicle of actions names are left to it. */
export function fileItems(material: Material, named: ReadonlySet<string>): readonly Item[] {
  const { ledger, messages, until, redact, tailText } = material;
  const fresh = new Set(uncommitted(ledger).map(({ path }) => path));
  const byPath = new Map<string, Item>();
  for (const file of ledger.files) {
    const path = relative(file.path, ledger.cwd);
    if (file.last >= until || file.message < material.from || named.has(path) || path === "." || path === "") continue;
    if (STATE_RANK[file.state] < 2 && tailText.includes(path)) continue;
    if ((file.state === "listed" && !/\.\w+$/.test(path)) || path.includes(", ")) continue;
    const rank =
      STATE_RANK[file.state] + recency(file.last, messages.length) + Math.min(1, (file.reads + file.edits) / 10);
    const known = byPath.get(path);
    if (known !== undefined && known.rank >= rank) continue;
    byPath.set(path, {
      key: path,
      text: redact(path),
      rank,
      order: file.last,
      group: groupOf(file, fresh.has(file.path)),
    });
  }
  return [...byPath.values()];
}

/** `Edit`, `Edit, uncommitted`, `Bash, deleted`: the tool's name is what a path is tied to. */
function groupOf({ tool, state }: FileEntry, fresh: boolean): string {
  if (state === "deleted") return `${tool}, deleted`;
  return fresh ? `${tool}, uncommitted` : tool;
}

export function remainingItems({ ledger, redact, tailText, messages }: Material): readonly Item[] {
  const open = (ledger.plan?.items ?? []).filter(({ state }) => state === "open");
  const place = (at: number): { readonly rank: number; readonly order: number } => ({
    rank: 2 - at / messages.length,
    order: at,
  });
  return open.flatMap(({ text }, at) =>
    tailText.includes(text) ? [] : [itemOf("remaining", clipped(redact(text), PLAN_ITEM_CHARS_MAX), place(at))],
  );
}

export function valueItems(material: Material): readonly Item[] {
  const { ledger, messages, redact, tailText } = material;
  return ledger.values.flatMap(({ text, message }) => {
    if (!leaves(material, message) || tailText.includes(text)) return [];
    return [
      itemOf("context", redact(text.replace(/^[-*+•]\s+/, "")), {
        rank: recency(message, messages.length),
        order: message,
      }),
    ];
  });
}
