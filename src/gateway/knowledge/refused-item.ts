/**
 * A provider's refusal of an item that only it can read, because another account, or another provider, made it (OpenAI API
 * reference, Responses, error codes).
 */
import { fieldsOf, parsed, textOf } from "../../protocols/fields.ts";

const REFUSED_STATUS = 400;
/** Longer refusals are about something else. */
const EXAMINED_CHARS_MAX = 16_384;

export function refusesItem(status: number, bodyText: string): boolean {
  if (status !== REFUSED_STATUS || bodyText.length > EXAMINED_CHARS_MAX) return false;
  return textOf(fieldsOf(fieldsOf(parsed(bodyText))["error"])["code"]) === "invalid_encrypted_content";
}
