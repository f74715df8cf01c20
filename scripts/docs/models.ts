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

/** `window/output`, then `$input/output/cache read/cache write for five minutes/for an hour`. */
function figuresOf({ windowTokens, maxOutputTokens, prices }: SourcedFacts): string {
  const dollars = [
    prices?.inputUsdPerMtok,
    prices?.outputUsdPerMtok,
    prices?.cacheReadUsdPerMtok,
    prices?.cacheWrite5mUsdPerMtok,
    prices?.cacheWrite1hUsdPerMtok,
  ];
  return [slashed([windowTokens, maxOutputTokens]), slashed(dollars, "$")].filter((text) => text !== "").join(" ");
}

/** A dash for what is not known, if something after it is. */
function slashed(figures: readonly (number | undefined)[], unit = ""): string {
  const known = figures.slice(0, figures.findLastIndex((figure) => figure !== undefined) + 1);
  return known.length === 0 ? "" : unit + known.map((figure) => (figure === undefined ? "–" : said(figure))).join("/");
}

function said(figure: number): string {
  return figure.toLocaleString("en-US", { maximumFractionDigits: 6 });
}
