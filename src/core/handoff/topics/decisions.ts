/** What the assistant settled and what a person chose when asked, with the reason where one was given. */
import { PLAIN_WEIGHT } from "../../ledger/readers/decisions.ts";
import type { DecisionEntry } from "../../ledger/ledger.ts";
import { exchangeDraft, leaves, type HandoffMaterial } from "../material.ts";
import { clipped, DASH, recency, type ItemDraft } from "../items.ts";
import { questionKey } from "./keys.ts";
import type { TopicDefinition } from "./topic.ts";

/** What the assistant settled, and what a person chose when asked. */
function decisionDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { ledger, messages, recorded } = material;
  // The record states observations where they were made; here they would look like what holds.
  const least = recorded ? PLAIN_WEIGHT : 0;
  const stated = ledger.decisions.filter(({ message, weight }) => weight >= least && leaves(material, message));
  const chosen = ledger.questions.filter(
    ({ by, text, answer }) =>
      !recorded && by === "assistant" && answer !== undefined && OFFERS.test(text) && leaves(material, answer.message),
  );
  return [
    ...stated.map((decision) => decisionDraft(material, decision)),
    ...chosen.map((question) =>
      exchangeDraft(material, question, "user", 1 + recency(question.message, messages.length)),
    ),
  ];
}

/** A question that offers a choice; other questions ask for a fact. */
const OFFERS =
  /\bor\b|\b(?:should|shall) (?:i|we)\b|\b(?:want|like|prefer) me to\b|\bprefer\b|\bwhich (?:one|option|approach|way)\b|还是|或者|それとも|아니면|\bo (?:bien|prefieres)\b|\boder\b/i;

const CHOICE_CHARS_MAX = 80;

function decisionDraft(
  { messages, redact, beside }: HandoffMaterial,
  { text, weight, message, choice }: DecisionEntry,
): ItemDraft {
  const rank = weight / PLAIN_WEIGHT + recency(message, messages.length);
  // An option is quoted from its label on: the marks that open before it are missing.
  const words =
    choice === undefined ? text : `${text.replaceAll("**", "")}${DASH}user: ${clipped(choice, CHOICE_CHARS_MAX)}`;
  return { rank, order: message, write: () => (beside.includes(text) ? undefined : redact(words)) };
}

export const decisions: TopicDefinition = {
  drafts: decisionDrafts,
  share: 0.14,
  need: 12,
  keepsShare: true,
  afterRecord: true,
  keyOf: questionKey,
  carried: { rank: 0.5 },
  model: { place: 7, replaces: {}, wishOf: "person" },
};
