/** What is left of the plan, as statements. */
import { keyOf } from "../../ledger/readers/sentences.ts";
import { clipped, type Draft } from "../items.ts";
import type { Material } from "../material.ts";
import type { TopicDefinition } from "./topic.ts";

export const PLAN_ITEM_CHARS_MAX = 240;

function remainingDrafts({ ledger, redact, beside, messages }: Material): readonly Draft[] {
  const open = (ledger.plan?.items ?? []).filter(({ state }) => state === "open");
  return open.map(({ text }, order) => ({
    rank: 2 - order / messages.length,
    order,
    write: () => (beside.includes(text) ? undefined : clipped(redact(text), PLAN_ITEM_CHARS_MAX)),
  }));
}

export const remaining: TopicDefinition = {
  drafts: remainingDrafts,
  share: 0.08,
  need: 5,
  keyOf,
  carried: { rank: 1, holds: (_, ledger) => ledger.plan === undefined },
  model: { place: 8, wishOf: "session", failsNow: true },
};
