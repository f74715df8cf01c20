/** Errors of the work still under way: those of requests long settled block nothing. */
import { keyOf } from "../../ledger/readers/sentences.ts";
import { recency, type ItemDraft } from "../items.ts";
import { leaves, type HandoffMaterial } from "../material.ts";
import { errorText } from "../work-texts.ts";
import type { TopicDefinition } from "./topic.ts";

/** After that many more calls the agent has moved on from what failed, unless it was a check. */
const MOVED_ON_ACTIONS = 12;

function blockedDrafts(material: HandoffMaterial): readonly ItemDraft[] {
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

export const blocked: TopicDefinition = {
  drafts: blockedDrafts,
  share: 0.06,
  least: { tokens: 40, shareMax: 0.15 },
  need: 4,
  keepsShare: true,
  keyOf,
  carried: {
    rank: 0.5,
    holds: (text, { commands }, since) =>
      !commands.some(({ ok, message, text: command }) => ok === true && message >= since && text.includes(command)),
  },
  model: { place: 6, failsNow: true },
};
