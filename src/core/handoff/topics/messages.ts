/** Everything that a person wrote, for templates that list it. What is in the goal or the task is not said again. */
import { leaves, requestDraft, type HandoffMaterial, type ItemLimits } from "../material.ts";
import type { ItemDraft } from "../items.ts";
import { requestKey } from "./keys.ts";
import type { TopicDefinition } from "./topic.ts";

const LATER_REQUEST: ItemLimits = { charsMax: 280, share: 0.04 };

function messageDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  return material.ledger.requests.flatMap((request) =>
    leaves(material, request.message) ? [requestDraft(material, request, 1, LATER_REQUEST)] : [],
  );
}

export const messages: TopicDefinition = {
  drafts: messageDrafts,
  share: 0.12,
  need: 9,
  keyOf: requestKey,
  carried: { rank: 0.5 },
  model: {},
};
