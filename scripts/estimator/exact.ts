/** Exact o200k counts, with the two hazards of exact counters taken out: special tokens are text, long runs are cut. */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** Byte-pair merging is quadratic in the length of one piece, so a run without white space is cut here. */
const RUN_LIMIT_CHARS = 256;
const asText = { disallowedSpecial: new Set<string>() };

export function exactTokens(text: string): number {
  let tokens = 0;
  let from = 0;
  for (const cut of [...cuts(text), text.length]) {
    tokens += countTokens(text.slice(from, cut), asText);
    from = cut;
  }
  return tokens;
}

function cuts(text: string): readonly number[] {
  const places: number[] = [];
  for (const run of text.matchAll(/\S+|\s+/g)) {
    for (let at = RUN_LIMIT_CHARS; at < run[0].length; at += RUN_LIMIT_CHARS) places.push(run.index + at);
  }
  return places;
}
