/** What a section is written from: drafts, worked out only while there is room, and the items that come of them. */
import { lastWordAt } from "../events/text.ts";

interface ItemPosition {
  /** Which of a section's items are written first when not all fit; higher goes first. */
  readonly rank: number;
  /** Where it is written among the others; ascending. */
  readonly order: number;
  /** The tool under which a file is listed. */
  readonly group?: string;
}

/** What is kept verbatim beside a handoff, and need not be said in it; a string is one. */
export interface AlreadyVisible {
  readonly includes: (text: string) => boolean;
}

/** Something a section may say. */
export interface ItemDraft extends ItemPosition {
  /** Its words, redacted; nothing where they are verbatim beside the handoff. */
  readonly write: () => string | undefined;
}

export interface Item extends ItemPosition {
  /** Whether some of a turn's words and deeds are told in part, or not at all. */
  readonly isCut?: boolean;
  /** Two items with one key say the same: only one is written. */
  readonly key: string;
  /** What is written, without bullet or number; lines after the first belong to it. */
  readonly text: string;
}

/** Separates a question from what was said to it, and an action from its outcome. */
export const DASH = " — ";

/** Separates the paths in one line. */
export const LIST_SEPARATOR = ", ";

export function recency(message: number, length: number): number {
  return length <= 1 ? 1 : message / (length - 1);
}

/** Text of at most that many characters: cut after a word, and visibly. Leading and trailing space goes. */
export function clipped(text: string, charsMax: number): string {
  const whole = text.trim();
  if (whole.length <= charsMax) return whole;
  const kept = whole.slice(0, Math.max(0, charsMax - CUT_MARK.length));
  const space = Math.max(kept.lastIndexOf(" "), kept.lastIndexOf("\n"));
  // Between words that no space separates, the last space is before a name in other letters, far back.
  const word = space > charsMax / 2 && !WITHOUT_SPACES.test(kept) ? space : lastWordAt(kept);
  return withCutMark((word > charsMax / 2 ? kept.slice(0, word) : withoutTornPair(kept)).trimEnd());
}

const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]$/u;

/** With a mark at its end: one is enough where something was left out there already. */
function withCutMark(text: string): string {
  return text.endsWith(CUT_MARK) ? text : `${text}${CUT_MARK}`;
}

/** Marks where text was left out. */
export const CUT_MARK = " […]";

function withoutTornPair(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
