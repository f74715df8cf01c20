/** Errors that no longer stand, with what was changed until they were gone. */
import { keyOf } from "../../ledger/readers/sentences.ts";
import { recency, type ItemDraft } from "../items.ts";
import { leaves, type HandoffMaterial } from "../material.ts";
import { belowRoot } from "../root.ts";
import { errorText } from "../work-texts.ts";
import type { TopicDefinition } from "./topic.ts";

const MENDING_CHANGES_MAX = 3;

function fixedDrafts(material: HandoffMaterial): readonly ItemDraft[] {
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

export const fixed: TopicDefinition = {
  drafts: fixedDrafts,
  share: 0.05,
  need: 13,
  keyOf,
  carried: { rank: 0.2 },
  model: {},
};
