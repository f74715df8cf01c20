/** What was asked last and what of it is open: the live request pointed to, what a short one replies to, requests that nobody settled. */
import type { RequestEntry } from "../../ledger/ledger.ts";
import { contentText } from "../../transcript/message.ts";
import { clipped, CUT_MARK, type ItemDraft } from "../items.ts";
import {
  fitted,
  FOREMOST,
  lastWords,
  leaves,
  liveText,
  requestDraft,
  type HandoffMaterial,
  type ItemLimits,
} from "../material.ts";
import { noTurnEnded, requestKey } from "./keys.ts";
import type { TopicDefinition } from "./topic.ts";

/** A reply this short means nothing without what it replies to. */
const SHORT_REPLY_CHARS_MAX = 60;
const LIVE_QUOTE_CHARS_MAX = 80;
/** Longer words are cut: the most characters, and the share of the budget that they may take before that. */
const REPLIED_TO: ItemLimits = { charsMax: 700, share: 0.04 };
const OPEN_REQUEST: ItemLimits = { charsMax: 1_200, share: 0.05 };
/** How the lines about the live request open; they are of this handoff alone and never carried into the next. */
const LIVE_LEAD = "The newest user message: ";
const REPLY_LEAD = "It replies to: ";

function taskDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const text = liveText(material);
  const substance = substanceOf(material);
  return [
    ...(text === undefined || material.budget < POINTER_BUDGET_MIN ? [] : [pointerTo(material, text)]),
    ...(material.recorded || text === undefined || text.length > SHORT_REPLY_CHARS_MAX ? [] : repliedTo(material)),
    ...(material.recorded || substance === undefined
      ? []
      : [requestDraft(material, substance, FOREMOST - 1, OPEN_REQUEST)]),
    ...openRequests(material).map((request) => requestDraft(material, request, FOREMOST, OPEN_REQUEST)),
  ];
}

/** A smaller handoff comes directly before the newest message, and needs its words for something else. */
const POINTER_BUDGET_MIN = 1_000;

function pointerTo({ redact }: HandoffMaterial, text: string): ItemDraft {
  const quote = (): string => JSON.stringify(clipped(redact(text).replace(/\s+/g, " "), LIVE_QUOTE_CHARS_MAX));
  return { rank: FOREMOST * 2, order: 0, write: () => `${LIVE_LEAD}${quote()}` };
}

/** Asked and not yet settled, beside the live request. */
function openRequests(material: HandoffMaterial): readonly RequestEntry[] {
  const { ledger } = material;
  return ledger.requests.filter(({ settled, message }) => settled === undefined && leaves(material, message));
}

/** The last request that said more, where the live one is only a nod to it. */
function substanceOf(material: HandoffMaterial): RequestEntry | undefined {
  const { ledger, live } = material;
  const text = liveText(material);
  if (text === undefined || text.length > SHORT_REPLY_CHARS_MAX) return undefined;
  const asked = ledger.requests.findLast(
    (request) => request.message < live && request.text.length > SHORT_REPLY_CHARS_MAX,
  );
  return asked !== undefined && asked.settled !== undefined && leaves(material, asked.message) ? asked : undefined;
}

/** What a short live request answers: the end of what the assistant said before it. */
function repliedTo(material: HandoffMaterial): readonly ItemDraft[] {
  const { messages, live, redact } = material;
  const said = lastWords(messages, live);
  if (said < 0 || !leaves(material, said)) return [];
  const words = (): string => {
    const text = redact(contentText(messages[said]!.parts)).trimEnd();
    return ending(text, Math.min(REPLIED_TO.charsMax, fitted(material, text, REPLIED_TO).length));
  };
  return [{ rank: FOREMOST, order: 1, write: () => `${REPLY_LEAD}${words()}` }];
}

/** The last characters of a text, from the beginning of a line or a word. */
function ending(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const start = text.length - chars;
  const line = text.indexOf("\n", start);
  const from = line >= 0 && line < start + chars / 2 ? line : text.indexOf(" ", start);
  return `${CUT_MARK.trim()} ${text.slice(Math.max(start, from)).trimStart()}`;
}

export const task: TopicDefinition = {
  drafts: taskDrafts,
  share: 0.12,
  least: { tokens: 160, shareMax: 0.3 },
  need: 1,
  keepsShare: true,
  wordForWord: true,
  keyOf: requestKey,
  carried: {
    rank: 0.5,
    holds: (text, ledger, since) =>
      !text.startsWith(LIVE_LEAD) && !text.startsWith(REPLY_LEAD) && noTurnEnded(ledger, since),
  },
  model: { place: 2 },
};
