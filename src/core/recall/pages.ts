/** Text for an agent within a bound of tokens: whole pieces, or pages that put together are the whole. */
import { estimateText } from "../transcript/estimate.ts";

/** What an answer says: a head, which is short, and what of the body fits. */
export interface Answer {
  readonly head: string;
  readonly body: readonly string[];
  /** What follows where only that many pieces of the body fit. */
  readonly rest: (shown: number) => string;
}

/** Each further try shows this share of what was too much. */
const SMALLER = 0.8;

/** Never above the bound, by our estimate, as long as the head and the rest alone are not. */
export function written({ head, body, rest }: Answer, tokensMax: number): string {
  let shown = 0;
  for (let tokens = estimateText(head); shown < body.length; shown++) {
    tokens += estimateText(body[shown]!);
    if (tokens > tokensMax) break;
  }
  for (;;) {
    const text = [head, ...body.slice(0, shown), rest(shown)].filter((piece) => piece !== "").join("\n");
    if (shown === 0 || estimateText(text) <= tokensMax) return text;
    shown = Math.min(shown - 1, Math.floor(shown * SMALLER));
  }
}

export interface Page {
  readonly text: string;
  /** Where the next page begins; absent at the end. */
  readonly next?: number;
}

/** A page from a character on, cut behind a line where that costs less than half of it, never within a character. */
export function pageOf(text: string, offset: number, tokensMax: number): Page {
  const start = isLowHalf(text.charCodeAt(offset)) ? offset - 1 : offset;
  const wide = text.slice(start, start + tokensMax * CHARS_PER_TOKEN_MAX);
  let end = wide.length;
  while (end > 1 && estimateText(wide.slice(0, end)) > tokensMax) end = Math.floor(end * SMALLER);
  if (start + end >= text.length) return { text: text.slice(start) };
  const line = wide.lastIndexOf("\n", end - 1) + 1;
  const cut = line > end / 2 ? line : end;
  const whole = isLowHalf(text.charCodeAt(start + cut)) && cut > 1 ? cut - 1 : cut;
  return { text: text.slice(start, start + whole), next: start + whole };
}

/** A page of few tokens is still no longer than this. */
const CHARS_PER_TOKEN_MAX = 8;

export function isLowHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
