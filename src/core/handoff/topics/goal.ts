/** What the person wants in the end: the first request. What was asked on the way is in the record of episodes. */
import { FOREMOST, leaves, requestDraft, type HandoffMaterial, type ItemLimits } from "../material.ts";
import type { ItemDraft } from "../items.ts";
import { requestKey } from "./keys.ts";
import type { TopicDefinition } from "./topic.ts";

const FIRST_REQUEST: ItemLimits = { charsMax: 1_600, share: 0.04 };

function goalDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { ledger, continues } = material;
  const first = continues
    ? undefined
    : ledger.requests.find(({ command, text }) => command !== text && /\s/.test(text.trim()));
  if (first === undefined || !leaves(material, first.message)) return [];
  return [requestDraft(material, first, FOREMOST, FIRST_REQUEST)];
}

export const goal: TopicDefinition = {
  drafts: goalDrafts,
  share: 0.08,
  need: 8,
  keepsShare: true,
  wordForWord: true,
  keyOf: requestKey,
  carried: { rank: 0.5, firstRank: 20 },
  model: { place: 1, replaces: { below: FOREMOST }, wishOf: "person" },
};
