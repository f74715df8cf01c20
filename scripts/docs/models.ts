/** What is known of models as the list of docs/models.md; a test keeps the page up to date. */
import { definitions } from "./markdown.ts";
import type { SourcedFacts } from "../../src/models/registry/known.ts";
import { knownModels } from "../../src/models/registry/registry.ts";

/** Models with the same figures share a line. What no source gives is left out. */
export function modelList(): string {
  const alike = Map.groupBy(knownModels().values(), figuresOf);
  return definitions(
    [...alike].map(([figures, facts]) => [facts.map(({ name }) => `\`${name}\``).join(", "), figures]),
  );
}

/** Window and output in tokens; dollars for a million tokens of input/output, read from the cache, and written to it for 5m/1h. */
function figuresOf({ windowTokens, maxOutputTokens, prices }: SourcedFacts): string {
  const writes = [prices?.cacheWrite5mUsdPerMtok, prices?.cacheWrite1hUsdPerMtok].filter(
    (price) => price !== undefined,
  );
  return [
    ...(windowTokens === undefined ? [] : [said(windowTokens)]),
    ...(maxOutputTokens === undefined ? [] : [`output ${said(maxOutputTokens)}`]),
    ...(prices === undefined ? [] : [`$${said(prices.inputUsdPerMtok)}/${said(prices.outputUsdPerMtok)}`]),
    ...(prices?.cacheReadUsdPerMtok === undefined ? [] : [`read ${said(prices.cacheReadUsdPerMtok)}`]),
    ...(writes.length === 0 ? [] : [`write ${writes.map(said).join("/")}`]),
  ].join("; ");
}

function said(figure: number): string {
  return figure.toLocaleString("en-US", { maximumFractionDigits: 6 });
}
