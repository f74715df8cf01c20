/** What a section is written from: items that each stand or fall whole, with their rank and their place. */
import { familyOf } from "../evidence/facts/commands.ts";
import { keyOf } from "../evidence/facts/sentences.ts";
import type { Topic } from "./sections.ts";

export interface Item {
  /** Two items with one key say the same: only one is written. */
  readonly key: string;
  /** What is written, without bullet or number; lines after the first belong to it. */
  readonly text: string;
  /** Which of a section's items are written first when not all fit; higher goes first. */
  readonly rank: number;
  /** Where it is written among the others; ascending. */
  readonly order: number;
  /** The tool under which a file is listed. */
  readonly group?: string;
}

/** Verbatim words of the original that nothing else holds. */
export interface Excerpt {
  readonly message: number;
  /** Where they come from, for a reader: `Read src/a.ts`, `user`. */
  readonly source: string;
  readonly text: string;
  readonly tokens: number;
}

export interface ItemPlace {
  readonly rank: number;
  readonly order: number;
}

/** An item of a section. Its key comes from the written words alone, so that one read back from a handoff has the same. */
export function itemOf(topic: Topic, text: string, { rank, order }: ItemPlace): Item {
  return { key: writtenKey(topic, text), text, rank, order };
}

const REQUEST_KEY_CHARS = 100;
/** Stands between a question and what was said to it, and between an action and its outcome. */
export const DASH = " — ";

function writtenKey(topic: Topic, text: string): string {
  switch (topic) {
    case "state":
      return beforeFirst(text, ":");
    case "actions":
      return actionKey(beforeFirst(beforeFirst(text, DASH), " [tool:").replace(/ ×\d+$/, ""));
    case "decisions":
    case "resolved":
      return keyOf(beforeFirst(beforeFirst(text, `${DASH}user:`), `${DASH}answered:`));
    case "context":
      return keyOf(/^[^=:：]{1,60}(?=[=:：])/.exec(text)?.[0] ?? text);
    case "files":
      return text;
    case "task":
    case "goal":
      // One handoff may cut a request where another did not.
      return keyOf(text.slice(0, REQUEST_KEY_CHARS));
    default:
      return keyOf(text);
  }
}

/** One check of a family replaces the one before it, and a file is edited by whatever writes it. */
function actionKey(deed: string): string {
  const [verb = "", ...words] = deed.split(" ");
  const target = words.join(" ");
  if (verb === "COMMIT") return deed;
  if (verb === "CHECK") return `CHECK ${familyOf(target)}`;
  return `${verb === "WRITE" ? "EDIT" : verb} ${target}`;
}

function beforeFirst(text: string, mark: string): string {
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(0, at);
}

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
