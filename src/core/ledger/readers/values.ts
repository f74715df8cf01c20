/** Values bound to names: lines of prose that say what a port, version, address or id is. Whole lines, verbatim. */
import { proseLines } from "./sentences.ts";

const LINE_CHARS_MAX = 180;
const PER_MESSAGE_MAX = 12;
/** A value opens with what is exact about it; a sentence gets there later. */
const EXACT_WITHIN_CHARS = 20;

/** `NAME = value`, `- **Name**: value`, `name: value`; the value has to hold something that no one remembers. */
const BINDING =
  /^\s*(?:[-*+•]\s+)?(?:\*\*|`)?([\p{L}_][\p{L}\p{N} _./-]{1,48}?)(?:\*\*|`)?\s*(?:=|:|：)(?:\*\*)?\s+?[`"']?(\S.{0,120})$/u;
/** A number, an address, a hash, a dotted or dashed id. */
const EXACT = /\d{2,}|\d+\.\d+|\w:\/\/|#[0-9a-f]{3,8}\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b/i;
/** Commands and paths are kept by the ledger of commands and files; times and steps are not values. */
const OTHERWISE =
  /^(?:step|note|example|line|lines|file|phase|task|date|time|total|issue|comment|status|problem|fix)\b/i;

export interface Value {
  readonly name: string;
  readonly value: string;
  /** The line, verbatim. */
  readonly text: string;
}

/** The values that a text binds to names, in order. */
export function valuesIn(text: string): readonly Value[] {
  const found: Value[] = [];
  for (const line of proseLines(text)) {
    if (line.length > LINE_CHARS_MAX || !EXACT.test(line)) continue;
    const match = BINDING.exec(line);
    if (match === null || OTHERWISE.test(match[1]!) || !EXACT.test(match[2]!.slice(0, EXACT_WITHIN_CHARS))) continue;
    found.push({ name: match[1]!.trim(), value: match[2]!.trim(), text: line.trim() });
    if (found.length === PER_MESSAGE_MAX) break;
  }
  return found;
}
