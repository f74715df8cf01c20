/** What a section is written from: drafts, worked out only while there is room, and the items that come of them. */
import { familyOf } from "../ledger/readers/commands.ts";
import { keyOf } from "../ledger/readers/sentences.ts";
import { citedIn } from "./model/citations.ts";
import type { Topic } from "./templates.ts";

interface Place {
  /** Which of a section's items are written first when not all fit; higher goes first. */
  readonly rank: number;
  /** Where it is written among the others; ascending. */
  readonly order: number;
  /** The tool under which a file is listed. */
  readonly group?: string;
}

/** What stands verbatim beside a handoff, and need not be said in it; a string is one. */
export interface Beside {
  readonly includes: (text: string) => boolean;
}

/** Something a section may say. */
export interface Draft extends Place {
  /** Its words, redacted; nothing where they stand verbatim beside the handoff. */
  readonly write: () => string | undefined;
}

export interface Item extends Place {
  /** Two items with one key say the same: only one is written. */
  readonly key: string;
  /** What is written, without bullet or number; lines after the first belong to it. */
  readonly text: string;
}

/** The item a draft comes to. Its key comes from the written words alone, so that one read back from a handoff has the same. */
export function itemOf(topic: Topic, draft: Draft): Item | undefined {
  const text = draft.write()?.trim();
  if (text === undefined || text === "") return undefined;
  const { rank, order, group } = draft;
  return { key: writtenKey(topic, citedIn(text).claim), text, rank, order, ...(group === undefined ? {} : { group }) };
}

const REQUEST_KEY_CHARS = 100;
/** Stands between a question and what was said to it, and between an action and its outcome. */
export const DASH = " — ";

function writtenKey(topic: Topic, text: string): string {
  switch (topic) {
    case "state":
      return `state ${beforeFirst(text, ":")}`;
    case "actions":
      return actionKey(withoutTimes(beforeFirst(beforeFirst(text, DASH), " [tool:")));
    case "decisions":
    case "resolved":
      return keyOf(beforeFirst(beforeFirst(text, `${DASH}user:`), `${DASH}answered:`));
    case "context":
      return keyOf(/^[^=:：]{1,60}(?=[=:：])/.exec(text)?.[0] ?? text);
    case "files":
      return fileKey(text);
    case "task":
    case "goal":
    case "messages":
      // One handoff may cut a request where another did not.
      return keyOf(text.slice(0, REQUEST_KEY_CHARS));
    default:
      return keyOf(text);
  }
}

/** One check of a family replaces the one before it; a change of a file says what the list of files would. */
function actionKey(deed: string): string {
  const space = deed.indexOf(" ");
  const [verb, target] = space < 0 ? [deed, ""] : [deed.slice(0, space), deed.slice(space + 1)];
  if (verb === "EDIT" || verb === "WRITE") return fileKey(target);
  return verb === "CHECK" ? `CHECK ${familyOf(target)}` : deed;
}

function withoutTimes(deed: string): string {
  return deed.includes(" ×") ? deed.replace(/ ×\d+$/, "") : deed;
}

function fileKey(path: string): string {
  return `file ${path}`;
}

function beforeFirst(text: string, mark: string): string {
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(0, at);
}

/** Stands between the paths of one line. */
export const LIST_SEPARATOR = ", ";

/** How recent a message is within a conversation, 0 to 1. */
export function recency(message: number, length: number): number {
  return length <= 1 ? 1 : message / (length - 1);
}

/** Text of at most so many characters: cut after a word, and visibly. Leading and trailing space goes. */
export function clipped(text: string, charsMax: number): string {
  const whole = text.trim();
  if (whole.length <= charsMax) return whole;
  const kept = whole.slice(0, Math.max(0, charsMax - CUT_MARK.length));
  const word = Math.max(kept.lastIndexOf(" "), kept.lastIndexOf("\n"));
  return `${(word > charsMax / 2 ? kept.slice(0, word) : withoutTornPair(kept)).trimEnd()}${CUT_MARK}`;
}

/** Stands where text was left out. */
export const CUT_MARK = " […]";

function withoutTornPair(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
