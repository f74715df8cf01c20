/** What is left of the plan, and of a list that is worked through thing by thing, as statements. */
import { keyOf } from "../../ledger/readers/sentences.ts";
import { batchKey, batchText, batchTexts, openBatch } from "../batch.ts";
import { clipped, type ItemDraft } from "../items.ts";
import { FOREMOST, type HandoffMaterial } from "../material.ts";
import type { TopicDefinition } from "./topic.ts";

export const PLAN_ITEM_CHARS_MAX = 240;

function remainingDrafts({ ledger, redact, beside, messages }: HandoffMaterial): readonly ItemDraft[] {
  const open = (ledger.plan?.items ?? []).filter(({ state }) => state === "open");
  const batch = openBatch(messages, ledger);
  const fromList = (batch === undefined ? [] : batchTexts(batch)).map((text, at, all) => ({
    rank: FOREMOST - at,
    order: at - all.length,
    write: () => clipped(redact(text), PLAN_ITEM_CHARS_MAX),
  }));
  const fromPlan = open.map(({ text }, order) => ({
    rank: 2 - order / messages.length,
    order,
    write: () => (beside.includes(text) ? undefined : clipped(redact(text), PLAN_ITEM_CHARS_MAX)),
  }));
  return [...fromList, ...fromPlan];
}

export const remaining: TopicDefinition = {
  drafts: remainingDrafts,
  share: 0.08,
  least: { tokens: 240, shareMax: 0.5 },
  need: 5,
  keepsShare: true,
  keyOf: (text) => batchKey(text) ?? keyOf(text),
  carried: {
    rank: 1,
    holds: (text, { plan }, since) => plan === undefined || plan.message < since || batchKey(text) !== undefined,
    again: (text, ledger) => ({ write: () => batchText(text, ledger) }),
  },
  model: { place: 8, wishOf: "session", failsNow: true },
};
