/**
 * What a model wrote, as drafts beside the ledger's. Its items take the place of the ledger's narrative; what a person
 * asked, what is open and what the checks say stays the ledger's and comes first.
 */
import { identifiersIn } from "../../excerpts/mentions.ts";
import { DASH, type ItemDraft } from "../items.ts";
import { TOPICS } from "../topics/index.ts";
import type { Topic } from "../topics/topic.ts";
import type { Items } from "./asked.ts";
import { citedIn } from "./citations.ts";

/** Above every draft of the ledger's: what the model wrote is placed first. */
export const PROSE_RANK = 100;
/** Written after the ledger's items of the same section, and before those of what the model has not read. */
const PROSE_ORDER = 100_000;
export const NEWER_ORDER = 200_000;

export interface LedgerDrafts {
  /** The ledger's, and those that an earlier handoff carries on. */
  readonly fresh: readonly ItemDraft[];
  readonly carried: readonly ItemDraft[];
}

/** What a model wrote, and how far it had read; nothing where no model was asked. */
export interface Prose {
  readonly prose?: Items;
  /** Index after the last message that it read; all of the span where it is absent. */
  readonly proseUntil?: number;
}

/** All that a section may say. */
export function withProse(
  topic: Topic,
  { fresh, carried }: LedgerDrafts,
  { prose, proseUntil = Infinity }: Prose,
): readonly ItemDraft[] {
  const texts = prose?.get(topic) ?? [];
  if (prose === undefined || texts.length === 0) return [...fresh, ...carried];
  const said = textOf(prose);
  const cited = closelyCited(texts);
  const { replaces } = TOPICS[topic].model;
  const isNewer = ({ order }: ItemDraft): boolean => order >= proseUntil;
  const kept =
    replaces === undefined
      ? fresh
      : fresh.filter((draft) => isNewer(draft) || lasts(draft, { said, cited, ...replaces }));
  const shown = kept.map((draft) => (isNewer(draft) ? { ...draft, order: NEWER_ORDER + draft.order } : draft));
  const missed = carried.filter(({ write }) => !namesStandIn(said, write() ?? ""));
  // A person's own words come before a model's, and what has changed since before what the model read.
  const firsts = new Set(
    shown.flatMap((draft) => {
      const text = TOPICS[topic].wordForWord === true || draft.order >= NEWER_ORDER ? draft.write() : undefined;
      return text === undefined ? [] : [keyOf(topic, text)];
    }),
  );
  const byModel = texts.map((text, at) => draftOf(topic, text, at / texts.length));
  return [...shown, ...missed, ...byModel.filter((_, at) => !firsts.has(keyOf(topic, texts[at]!)))];
}

function keyOf(topic: Topic, text: string): string {
  return TOPICS[topic].keyOf(citedIn(text.trim()).claim);
}

/** What may not be lost although a model wrote the section: unless the model said it in the same words. */
function lasts({ rank, order, write }: ItemDraft, { said, cited, below = Infinity }: CitedText): boolean {
  if (rank < below) return false;
  const text = write() ?? "";
  return !said.includes(deedIn(text)) && (text.startsWith(COMMIT) || !cited.has(order + 1));
}

interface CitedText {
  readonly said: string;
  /** Numbers of messages that items rest on. */
  readonly cited: ReadonlySet<number>;
  /** What the ledger ranks lower gives way: the first request and deeds that outlast the session do not. */
  readonly below?: number;
}

const COMMIT = "COMMIT ";
/** An item that rests on more messages does not tell each of them. */
const CLOSE_MESSAGES_MAX = 8;

function closelyCited(texts: readonly string[]): ReadonlySet<number> {
  const cited = texts.map((text) => citedIn(text).messages);
  return new Set(cited.flatMap((messages) => (messages.length <= CLOSE_MESSAGES_MAX ? messages : [])));
}

/** The commit or the command, without verb, outcome and tool. */
function deedIn(text: string): string {
  const [deed = ""] = text.split(DASH)[0]!.split(" [tool:");
  return /^COMMIT ([0-9a-f]{7,40})\b/.exec(deed)?.[1] ?? deed.replace(/^[A-Z]+ /, "");
}

/** Of what was done the latest counts most, elsewhere what is said first. */
function draftOf(topic: Topic, text: string, place: number): ItemDraft {
  const rank = PROSE_RANK + (TOPICS[topic].layout === "numbered" ? place : 1 - place);
  return { rank, order: PROSE_ORDER + place, write: () => text };
}

function textOf(prose: Items): string {
  return [...prose.values()].flat().join("\n");
}

/** Whether what a text names was said; one without names is taken for said. */
function namesStandIn(said: string, text: string): boolean {
  const ids = identifiersIn(text);
  return ids.length === 0 || ids.some((id) => said.includes(id));
}
