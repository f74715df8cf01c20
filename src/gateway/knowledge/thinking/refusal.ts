/**
 * A provider's refusal that is about thinking: the last sign that a conversation went out rewritten once and does no
 * longer, because its record is gone. Told to drop what does not fit, the same request is taken.
 */
import { fieldsOf, textOf } from "../../../protocols/fields.ts";

/** Longer refusals are about something else. */
const EXAMINED_CHARS_MAX = 16_384;
const REFUSED_STATUS = 400;

export type ThinkingRefusal =
  /** A block comes after another conversation than the one it was made in. */
  | "bound"
  /** The open turn does not begin with thinking. */
  | "missing";

/** What Anthropic says in such a refusal; undefined where it is about something else. */
export function thinkingRefusal(status: number, bodyText: string): ThinkingRefusal | undefined {
  if (status !== REFUSED_STATUS || bodyText.length > EXAMINED_CHARS_MAX) return undefined;
  const message = messageIn(bodyText);
  if (message.includes("bound to a different conversation")) return "bound";
  return message.includes("must start with a thinking block") ? "missing" : undefined;
}

function messageIn(text: string): string {
  try {
    return textOf(fieldsOf(fieldsOf(JSON.parse(text))["error"])["message"]) ?? "";
  } catch {
    return "";
  }
}
