/** A range of messages as a person writes it, held against the conversation. */
import { PrecisError } from "../core/errors.ts";
import { rangesIn } from "../core/recall/messages.ts";

/** One range of messages that are there, from 1. @throws PrecisError `bad_range`. */
export function rangeOfMessages(text: string, count: number): { readonly from: number; readonly to: number } {
  const [range, ...more] = rangesIn(text) ?? [];
  const to = Math.min(range?.to ?? 0, range?.to === Infinity ? count : Infinity);
  if (range !== undefined && more.length === 0 && range.from >= 1 && to >= range.from && to <= count)
    return { from: range.from, to };
  throw new PrecisError(`"${text.slice(0, SHOWN_CHARS)}" is no range of its ${count} messages`, {
    code: "bad_range",
    hint: "Write one number or one range of message numbers, for example 12 or 12-14.",
  });
}

const SHOWN_CHARS = 40;
