/** What is known of models as a Markdown table, as it is in docs/models.md; a test keeps the page up to date. */
import type { SourcedFacts } from "../../src/models/registry/known.ts";
import { knownModels } from "../../src/models/registry/registry.ts";

/** The first row is the header; prices are US dollars for a million tokens, an empty cell is what no source gave. Models with the same figures share a row. */
export function modelRows(): readonly (readonly string[])[] {
  const header = ["models", "window", "output", "in/out $", "read $", "write 5m/1h $"];
  const alike = Map.groupBy(knownModels().values(), (facts) => figuresOf(facts).join("|"));
  const rows = [...alike.values()].map((facts) => [
    facts.map(({ name }) => `\`${name}\``).join(", "),
    ...figuresOf(facts[0]!),
  ]);
  return [header, ...rows];
}

function figuresOf({ windowTokens, maxOutputTokens, prices }: SourcedFacts): readonly string[] {
  const writes = [prices?.cacheWrite5mUsdPerMtok, prices?.cacheWrite1hUsdPerMtok].filter(
    (price) => price !== undefined,
  );
  return [
    said(windowTokens),
    said(maxOutputTokens),
    prices === undefined ? "" : `${said(prices.inputUsdPerMtok)}/${said(prices.outputUsdPerMtok)}`,
    said(prices?.cacheReadUsdPerMtok),
    writes.length === 0 ? "" : writes.map(said).join("/"),
  ];
}

function said(figure: number | undefined): string {
  return figure === undefined ? "" : figure.toLocaleString("en-US", { maximumFractionDigits: 6 });
}
