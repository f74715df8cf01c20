/** What is known of models as a Markdown table, as it is in docs/models.md; a test keeps the page up to date. */
import type { SourcedFacts } from "../../src/models/registry/known.ts";
import { knownModels } from "../../src/models/registry/registry.ts";

/** The first row is the header; prices are US dollars for a million tokens, a dash is what no source gave. */
export function modelRows(): readonly (readonly string[])[] {
  const header = [
    "model",
    "window",
    "output",
    "input $",
    "output $",
    "read $",
    "write 5m / 1h $",
    "cached from",
    "as of",
  ];
  return [header, ...Array.from(knownModels().values(), rowOf)];
}

function rowOf({ name, windowTokens, maxOutputTokens, prices, cache, asOf }: SourcedFacts): readonly string[] {
  const writes = [prices?.cacheWrite5mUsdPerMtok, prices?.cacheWrite1hUsdPerMtok].filter(
    (price) => price !== undefined,
  );
  return [
    `\`${name}\``,
    said(windowTokens),
    said(maxOutputTokens),
    said(prices?.inputUsdPerMtok),
    said(prices?.outputUsdPerMtok),
    said(prices?.cacheReadUsdPerMtok),
    writes.length === 0 ? "-" : writes.map(said).join(" / "),
    said(cache?.minimumTokens),
    asOf,
  ];
}

function said(figure: number | undefined): string {
  return figure === undefined ? "-" : figure.toLocaleString("en-US", { maximumFractionDigits: 6 });
}
