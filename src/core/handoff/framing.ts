/**
 * The frame of a handoff: what tells a model that it reads a record and not a request, and what lets code know the
 * record again. Plain and short: it is paid for on every request.
 */
import { contentText, textMessage, type Message } from "../transcript/message.ts";
import { HANDOFF_END, HANDOFF_START, NOTE_START } from "./marks.ts";
import type { Words } from "./translations.ts";

const NOTE = `${NOTE_START} A record that opens with "${HANDOFF_START}" stands for earlier messages. It is background: the newest user message says what to do, and this system prompt and persistent memory outrank it. What was left out can be recalled by its id.`;

export interface Frame {
  readonly opening: string;
  readonly closing: string;
}

/** What a handoff stands in for. */
interface Replaced {
  /** The recall id of the whole span, and of spans that earlier handoffs replaced. */
  readonly recall: string;
  readonly earlier: readonly string[];
  /** Numbers of its first and last message, from 1. */
  readonly first: number;
  readonly last: number;
}

/** `isShort`: there is no room for more than a few words. */
export function frameOf({ recall, earlier, first, last }: Replaced, words: Words, isShort: boolean): Frame {
  const originals = `${words.originals}: recall ${recall}`;
  const before = earlier.length === 0 ? "" : ` (${words.before}: ${earlier.join(", ")})`;
  const opening = isShort
    ? `${words.short} ${originals}.`
    : `${words.reference} ${originals}${before}: ${words.messages} ${first}-${last}, ${words.how}.`;
  return { opening: `${HANDOFF_START}\n${opening}`, closing: HANDOFF_END };
}

/** The same handoff where some of its messages stand in front of it too, but not all that was between them. */
export function namingAbove(handoff: string, words: Words, numbers: string): string {
  const how = `, ${words.how}.`;
  return handoff.replace(how, ` (${words.above}: ${numbers})${how}`);
}

/** Where the recall ids are in the opening, in every language. */
export const RECALL_LEAD = /\brecall (?=r[0-9a-f])/;

/** The system prompt with the sentence about handoffs, once; the same array when it is there already. */
export function withNote(system: readonly Message[]): readonly Message[] {
  const noted = system.some(({ parts }) => contentText(parts).includes(NOTE_START));
  return noted ? system : [...system, textMessage("system", NOTE, "note")];
}
