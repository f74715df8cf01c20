/** The checks that were run, by their command, with how each ended last. */
import { clipped, DASH, type ItemDraft } from "../items.ts";
import { leaves, type HandoffMaterial } from "../material.ts";
import { checkOutcome, FAILING_NAMES_MIN, TARGET_CHARS_MAX } from "../work-texts.ts";
import { beforeFirst } from "./keys.ts";
import type { TopicDefinition } from "./topic.ts";

function checkDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { ledger, redact } = material;
  const last = new Map(ledger.commands.filter(({ purpose }) => purpose === "check").map((run) => [run.text, run]));
  return [...last.values()]
    .filter(({ message }) => leaves(material, message))
    .map((run, at) => ({
      rank: 1,
      order: at,
      write: () =>
        `${clipped(redact(run.text), TARGET_CHARS_MAX)}${DASH}${checkOutcome(run, FAILING_NAMES_MIN, redact)}`,
    }));
}

export const checks: TopicDefinition = {
  drafts: checkDrafts,
  share: 0.04,
  need: 9,
  keyOf: (text) => `check ${beforeFirst(text, DASH)}`,
  carried: { rank: 0.5 },
  model: { place: 16, failsNow: true },
};
