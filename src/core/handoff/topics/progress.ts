/** The step that the plan says is under way, and the last thing that the assistant said it was about to do. */
import { keyOf, sentencesOf } from "../../ledger/readers/sentences.ts";
import { contentText } from "../../transcript/message.ts";
import { clipped, type ItemDraft } from "../items.ts";
import { lastWords, leaves, type HandoffMaterial } from "../material.ts";
import { PLAN_ITEM_CHARS_MAX } from "./remaining.ts";
import type { TopicDefinition } from "./topic.ts";

const INTENTION_CHARS_MIN = 20;
const INTENTION_CHARS_MAX = 280;

function progressDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { ledger, messages, until, live, redact, beside } = material;
  const doing = (ledger.plan?.items ?? []).filter(({ state, text }) => state === "doing" && !beside.includes(text));
  const drafts = doing.map(({ text }, order): ItemDraft => ({
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

export const progress: TopicDefinition = {
  drafts: progressDrafts,
  share: 0.04,
  need: 6,
  keepsShare: true,
  keyOf,
  carried: { rank: 0, holds: () => false },
  model: { place: 5, replaces: {}, wishOf: "session", tellsDeeds: true, failsNow: true },
};
