/** The step that the plan says is under way, and the last thing that the assistant said it was about to do and has not done. */
import { keyOf, sentencesOf } from "../../ledger/readers/sentences.ts";
import { contentText } from "../../transcript/message.ts";
import { clipped, type ItemDraft } from "../items.ts";
import { lastWords, leaves, type HandoffMaterial } from "../material.ts";
import { callsDone } from "../record/episodes.ts";
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
  if (said < live || said < 0 || !leaves(material, said) || !open || isDone(material, said)) return drafts;
  const words = sentencesOf(contentText(messages[said]!.parts)).slice(-2).join(" ");
  if (words.length < INTENTION_CHARS_MIN) return drafts;
  const write = (): string => `The assistant, just before the cut: ${clipped(redact(words), INTENTION_CHARS_MAX)}`;
  return [...drafts, { rank: 1, order: drafts.length, write }];
}

/** Whether what the assistant announced in a message is over: its calls all worked, or the plan that it keeps since has nothing open. */
function isDone({ messages, ledger, until }: HandoffMaterial, said: number): boolean {
  const { plan } = ledger;
  if (plan?.source === "tool" && plan.message >= said && plan.items.every(({ state }) => state === "done")) return true;
  // A plan that was written down is not carried out.
  const calls = callsDone({ messages, ledger, from: said, until: said + 1 }).filter(
    ({ action }) => action.action !== "plan",
  );
  return (
    calls.length > 0 && calls.every(({ action, answered }) => answered >= 0 && answered < until && action.ok !== false)
  );
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
