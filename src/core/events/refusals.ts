/** A tool that answers in JSON says there that it did not do what was asked of it: read from the fields of the answer itself. */
import { wholeWords } from "./text.ts";

/** More is a document. */
const ANSWER_CHARS_MAX = 4_000;
const LINE_CHARS_MAX = 240;
const OPENS = /^\s*\{/;
/** What one of the fields below looks like, before the answer is parsed. */
const HINT = /"(?:error|ok|success(?:ful)?|succeeded|sent)"\s*:/;
const WORKED_KEY = /^(?:ok|success(?:ful)?|succeeded|sent)$/;
const NO_ERROR = /^(?:|none|null|no errors?|ok|false|0)$/i;

/** The line of a refusal, its own field first: `error: SLOT_TAKEN, free: 08:00 | 09:00`. */
export function refusalIn(text: string): string | undefined {
  if (text.length > ANSWER_CHARS_MAX || !OPENS.test(text) || !HINT.test(text)) return undefined;
  const fields = fieldsOf(text);
  const at = fields.findIndex(([key, value]) => key === "error" && isError(value));
  const worked = fields.find(([key, value]) => WORKED_KEY.test(key) && typeof value === "boolean");
  if (worked?.[1] === true) return undefined;
  const found = at >= 0 ? at : fields.findIndex((field) => field === worked);
  if (found < 0) return undefined;
  const ordered = [fields[found]!, ...fields.toSpliced(found, 1)];
  return wholeWords(ordered.flatMap(fieldText).join(", "), LINE_CHARS_MAX);
}

type Field = readonly [key: string, value: unknown];

function fieldsOf(text: string): readonly Field[] {
  try {
    const value: unknown = JSON.parse(text);
    return Object.entries(value ?? {});
  } catch {
    return [];
  }
}

function isError(value: unknown): boolean {
  if (typeof value === "string") return !NO_ERROR.test(value.trim());
  return value === true || (typeof value === "object" && value !== null && Object.keys(value).length > 0);
}

function fieldText([key, value]: Field): readonly string[] {
  if (value === null || value === undefined) return [];
  const parts: readonly unknown[] = typeof value === "object" ? Object.values(value) : [value];
  const plain = parts.filter((part) => typeof part !== "object" && String(part).trim() !== "");
  return plain.length === 0 ? [] : [`${key}: ${plain.join(" | ").replace(/\s+/g, " ")}`];
}
