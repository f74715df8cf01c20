/** What was done, call by call. Without a model the record of episodes takes this place; beside a model, what lasts stays. */
import { familyOf } from "../../ledger/readers/commands.ts";
import { commitSubject } from "../../ledger/readers/commit-log.ts";
import type { ActionEntry } from "../../ledger/ledger.ts";
import { clipped, DASH, recency, type ItemDraft } from "../items.ts";
import { leaves, type HandoffMaterial } from "../material.ts";
import { belowRoot } from "../root.ts";
import { checkOutcome, FAILING_NAMES_MIN, oneLine, TARGET_CHARS_MAX, targetOf } from "../work-texts.ts";
import { beforeFirst, fileKey } from "./keys.ts";
import type { TopicDefinition } from "./topic.ts";

/** What changes the world beyond the files: the most costly to do twice. */
const LASTING =
  /\b(?:push|merge|rebase|commit|tag|deploy|publish|release|install|migrate|checkout -b|switch -c|create|delete|rm|mv)\b/;

const LASTING_WITHIN_CHARS = 400;
/** Above every other deed, however new. */
export const LASTING_RANK = 3;
const READ_ONLY_VERB = /^(?:get|list|search|find|read|fetch|view|show|check|calculate|think|lookup|query)_?/i;

function actionDrafts(material: HandoffMaterial): readonly ItemDraft[] {
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

/** One check replaces the like check before it; other runs are distinguished by their words, changes by their file. */
function deedKey({ action, text, target, tool, purpose, family }: ActionEntry): string {
  if (action === "run") return purpose === "check" ? `check ${family}` : `run ${text}`;
  return action === "edit" || action === "write" ? `edit ${target}` : `${tool} ${target}`;
}

function deedRank({ action, text, purpose }: ActionEntry): number {
  if (action === "run" && /^sed\s/.test(text)) return 0.8;
  if (action === "run")
    return purpose === "commit" || LASTING.test(text.slice(0, LASTING_WITHIN_CHARS)) ? LASTING_RANK : 1.2;
  return action === "other" || action === "delegate" ? LASTING_RANK : 1;
}

const VERBS = {
  run: "RUN",
  edit: "EDIT",
  write: "WRITE",
  delegate: "DELEGATE",
  fetch: "FETCH",
  other: "CALL",
} as const;

function actionText({ ledger, redact }: HandoffMaterial, action: ActionEntry, times: number): string {
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

const COMMIT_LINE = /^\[[^\]]+ ([0-9a-f]{7,40})\] (.*)$/;

/** Git's own line holds hash and subject; the command has the subject where git printed nothing. */
function commitText({ outcome, text, target }: ActionEntry, redact: (text: string) => string): string {
  const line = COMMIT_LINE.exec(outcome ?? "");
  if (line !== null) return oneLine(redact(`${line[1]} ${line[2]}`));
  return oneLine(redact(commitSubject(text) ?? target));
}

/** One check of a family replaces the one before it; a change of a file says what the list of files would. */
function actionKey(text: string): string {
  const deed = withoutTimes(beforeFirst(beforeFirst(text, DASH), " [tool:"));
  const space = deed.indexOf(" ");
  const [verb, target] = space < 0 ? [deed, ""] : [deed.slice(0, space), deed.slice(space + 1)];
  if (verb === "EDIT" || verb === "WRITE") return fileKey(target);
  return verb === "CHECK" ? `CHECK ${familyOf(target)}` : deed;
}

function withoutTimes(deed: string): string {
  return deed.includes(" ×") ? deed.replace(/ ×\d+$/, "") : deed;
}

export const actions: TopicDefinition = {
  drafts: actionDrafts,
  share: 0.05,
  need: 11,
  layout: "numbered",
  keyOf: actionKey,
  carried: { rank: 0.5 },
  model: { place: 4, replaces: { below: LASTING_RANK }, tellsDeeds: true },
};
