/** The workspace as it is: folder, branch, changes that are not committed, how the last check ended, what of the plan is done. */
import type { CommandEntry, FileEntry } from "../../ledger/ledger.ts";
import { clipped, DASH, type ItemDraft } from "../items.ts";
import { leaves, type HandoffMaterial } from "../material.ts";
import { belowRoot, rootOf } from "../root.ts";
import { checkOutcome, FAILING_NAMES_MIN, TARGET_CHARS_MAX, targetOf, uncommitted } from "../work-texts.ts";
import { beforeFirst } from "./keys.ts";
import type { TopicDefinition } from "./topic.ts";

const FAILING_NAMES_MAX = 24;
const HANDOFF_TOKENS_PER_NAME = 100;

function stateDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { ledger, redact } = material;
  const { cwd, branch } = ledger;
  const root = cwd === undefined ? rootOf(ledger) : undefined;
  const changed = uncommitted(ledger);
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
    ...(changed.length === 0 ? [] : [{ rank: 1, order: 3, write: () => changedText(material, changed) }]),
  ];
}

const PLAN_CHARS_MAX = 500;

const CHANGED_LEAD = "Changed since the last commit:";

/**
 * How many there are, and how many of them no list of what came before can have. Of one that was changed before that commit as
 * well, it is not known when it was changed first since.
 */
function changedText({ until, ledger }: HandoffMaterial, changed: readonly FileEntry[]): string {
  const since = ledger.committed ?? -1;
  const isKnown = changed.every(({ firstChanged = -1 }) => firstChanged > since);
  const below = isKnown ? changed.filter(({ firstChanged = 0 }) => firstChanged >= until).length : 0;
  const where = below === 0 ? "" : ` (${below} only in the messages below)`;
  return `${CHANGED_LEAD} ${changed.length} file${changed.length === 1 ? "" : "s"}${where}`;
}

function checkText({ ledger, redact, budget }: HandoffMaterial, check: CommandEntry): string {
  const run = ledger.actions.find(({ message, text }) => message === check.message && text === check.text);
  const target = run === undefined ? "" : clipped(belowRoot(targetOf(run, redact), ledger), TARGET_CHARS_MAX);
  const names = Math.min(FAILING_NAMES_MAX, Math.max(FAILING_NAMES_MIN, Math.floor(budget / HANDOFF_TOKENS_PER_NAME)));
  const isOld = ledger.files.some(({ changed }) => changed !== undefined && changed > check.message);
  const age = isOld ? " (files were changed after it)" : "";
  return `Last check: ${target}${DASH}${checkOutcome(check, names, redact)}${age}`;
}

export const state: TopicDefinition = {
  drafts: stateDrafts,
  share: 0.08,
  need: 2,
  keepsShare: true,
  wordForWord: true,
  keyOf: (text) => `state ${beforeFirst(text, ":")}`,
  carried: {
    rank: 1,
    holds: (text, { committed }) => !text.startsWith(CHANGED_LEAD) || committed === undefined,
  },
  model: { place: 9, tellsDeeds: true, failsNow: true },
};
