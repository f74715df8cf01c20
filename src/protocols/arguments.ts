/** Arguments of calls in the form a provider accepts: JSON text, or a JSON object. */
import { isFields } from "./fields.ts";

/** Under this key goes what a model wrote where JSON was due. */
const BROKEN_KEY = "raw_arguments";
/** Under this key goes the text of a call whose tool takes free text. */
const FREE_TEXT_KEY = "input";

/** JSON text: as it is where it parses, else an object that holds it. */
export function jsonArguments(text: string): string {
  if (text.trim() === "") return "{}";
  return parsed(text) === undefined ? JSON.stringify({ [BROKEN_KEY]: text }) : text;
}

/** The text of a JSON object: as it is where it is one, else an object that holds it. */
export function objectArguments(text: string, custom: boolean): string {
  if (custom) return JSON.stringify({ [FREE_TEXT_KEY]: text });
  if (text.trim() === "") return "{}";
  const value = parsed(text);
  if (value === undefined) return JSON.stringify({ [BROKEN_KEY]: text });
  return isFields(value.json) ? text : `{${JSON.stringify(BROKEN_KEY)}:${text}}`;
}

function parsed(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
