/**
 * The frame of a handoff: what tells a model that it reads a record and not a request, and what lets code know the
 * record again. Plain and short: it is paid for on every request.
 */
import { contentText, textMessage, type Message } from "../transcript/message.ts";
import { HANDOFF_END, HANDOFF_START, NOTE_START } from "./marks.ts";

/** For a budget that has no room for manners. */
const REFERENCE_SHORT = "Record of earlier messages: background. The newest user message outranks it.";

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

/** `reference`: that it is background, in the language of the record; nothing where there is no room for more than a few words. */
export function frameOf({ recall, earlier, first, last }: Replaced, reference: string | undefined): Frame {
  const short = reference === undefined;
  const before = short || earlier.length === 0 ? "" : ` (before them: ${earlier.join(", ")})`;
  const opening = `${HANDOFF_START}\n${reference ?? REFERENCE_SHORT} ${RECALL_LEAD}${recall}${before}${short ? "" : `: messages ${first}-${last}, ${RECALL_HOW}`}.`;
  return { opening, closing: HANDOFF_END };
}

/** What can be found there, and how. */
const RECALL_HOW = "word for word; search them for words, or read them by number";

/** What is in front of a span's recall id in the opening. */
export const RECALL_LEAD = "Originals: recall ";

/** The system prompt with the sentence about handoffs, once; the same array when it is there already. */
export function withNote(system: readonly Message[]): readonly Message[] {
  const noted = system.some(({ parts }) => contentText(parts).includes(NOTE_START));
  return noted ? system : [...system, textMessage("system", NOTE, "note")];
}
