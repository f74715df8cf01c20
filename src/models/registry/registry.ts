/**
 * Looks up what is known of a model: what the configuration says, and else what our own table says. Pure.
 */
import type { Prices } from "../ai-sdk.ts";
import { type ModelCompaction, type ModelFacts, type Override, type SourcedFacts, KNOWN, type List } from "./known.ts";

/** A summarizer's window while nothing is known of it: smaller than that of any hosted model in the table but the oldest. */
export const SAFE_WINDOW_TOKENS = 32_768;

export interface Registry {
  readonly overrides: ReadonlyMap<string, Override>;
}

/** What is known of one model, layers laid over one another. */
export interface RegistryEntry extends ModelFacts {
  /** Each layer that says something, the strongest first: `the configuration`, a table with its day… */
  readonly sources: readonly string[];
}

/** What is known of each model, with what is stated here in place of it. */
export function createRegistry(overrides: Readonly<Record<string, Override>> = {}): Registry {
  const bare = Object.entries(overrides).map(([name, facts]) => [bareName(name), facts] as const);
  return { overrides: new Map(bare) };
}

/** Undefined if no layer knows the name. */
export function lookUp(registry: Registry, model: string): RegistryEntry | undefined {
  const override = findLongestMatch(model, registry.overrides);
  const known = findLongestMatch(model, table());
  const sources = [
    ...(override === undefined ? [] : ["the configuration"]),
    ...(known === undefined ? [] : [`${known.source} (${known.asOf})`]),
  ];
  if (sources.length === 0) return undefined;
  const { name: _name, source: _source, asOf: _asOf, ...facts } = { ...NAMELESS, ...known };
  return { ...overridden(facts, override), sources };
}

const NAMELESS = Object.freeze({ name: "", source: "", asOf: "" });

/** The prices that the configuration states, known ones left aside: what a server of one's own is charged at. */
export function statedPrices(registry: Registry, model: string): Prices | undefined {
  return wholePrices({ ...findLongestMatch(model, registry.overrides)?.prices });
}

/** What the configuration says that an image of this model is counted as; nothing if it does not say. */
export function statedImageTokens(registry: Registry, model: string): Pick<ModelFacts, "imageTokens"> {
  const imageTokens = findLongestMatch(model, registry.overrides)?.imageTokens;
  return imageTokens === undefined ? {} : { imageTokens };
}

function overridden(facts: ModelFacts, override: Override | undefined): ModelFacts {
  if (override === undefined) return facts;
  const { cacheMinimumTokens: minimumTokens, prices: own, compaction: _, ...rest } = override;
  const cache =
    facts.cache === undefined || minimumTokens === undefined ? {} : { cache: { ...facts.cache, minimumTokens } };
  const prices = wholePrices({ ...facts.prices, ...own });
  return { ...facts, ...rest, ...cache, ...(prices === undefined ? {} : { prices }) };
}

/** Input and output prices are needed for any cost; without both there is none. */
function wholePrices(prices: Partial<Prices>): Prices | undefined {
  const { inputUsdPerMtok, outputUsdPerMtok } = prices;
  if (inputUsdPerMtok === undefined || outputUsdPerMtok === undefined) return undefined;
  return { ...prices, inputUsdPerMtok, outputUsdPerMtok };
}

/** How the configuration has its conversations compacted; undefined if it does not say. */
export function statedCompaction(registry: Registry, model: string): ModelCompaction | undefined {
  return findLongestMatch(model, registry.overrides)?.compaction;
}

/** The window that the configuration says this model has; undefined if it does not say. */
export function statedWindow(registry: Registry, model: string): number | undefined {
  return findLongestMatch(model, registry.overrides)?.windowTokens;
}

let read: ReadonlyMap<string, SourcedFacts> | undefined;

function table(): ReadonlyMap<string, SourcedFacts> {
  return (read ??= new Map(KNOWN.flatMap(parseRows)));
}

/** Every row of the table, by bare name. */
export function knownModels(): ReadonlyMap<string, SourcedFacts> {
  return table();
}

function parseRows({ rows, source, asOf, cache, thinks }: List): (readonly [string, SourcedFacts])[] {
  return rows
    .trim()
    .split("\n")
    .map((row) => {
      const [name = "", ...cells] = row.trim().split(/ +/);
      const facts = { ...readFacts(cells, cache), ...(thinks === undefined ? {} : { thinks }) };
      return [bareName(name), { ...facts, name, source, asOf }] as const;
    });
}

function readFacts(cells: readonly string[], cache: List["cache"]): ModelFacts {
  const [window, output, inputPrice, outputPrice, cacheRead, write5m, write1h, minimum, image, long = "-"] = cells;
  const [aboveTokens = 0, inputFactor = 1, outputFactor = 1] = long.split("×").map(Number);
  const prices = wholePrices({
    ...given({
      inputUsdPerMtok: inputPrice,
      outputUsdPerMtok: outputPrice,
      cacheReadUsdPerMtok: cacheRead,
      cacheWrite5mUsdPerMtok: write5m,
      cacheWrite1hUsdPerMtok: write1h,
    }),
    ...(long === "-" ? {} : { longPrompt: { aboveTokens, inputFactor, outputFactor } }),
  });
  return {
    ...given({ windowTokens: window, maxOutputTokens: output, imageTokens: image }),
    ...(prices === undefined ? {} : { prices }),
    ...(cache === undefined ? {} : { cache: { ...cache, ...given({ minimumTokens: minimum }) } }),
  };
}

function given<Key extends string>(cells: Readonly<Record<Key, string | undefined>>): Partial<Record<Key, number>> {
  const figures = Object.entries<string | undefined>(cells).filter(([, cell]) => cell !== undefined && cell !== "-");
  return Object.fromEntries(figures.map(([key, cell]) => [key, Number(cell)])) as Partial<Record<Key, number>>;
}

/** A longer name is not a model's. */
const NAME_CHARS_MAX = 200;

/** Regions and vendors as Bedrock writes them before a name. */
const DOTTED_PREFIX =
  /^(?:[a-z]{2,6}\.)?(?:anthropic|openai|meta|mistral|deepseek|google|qwen|zai|moonshotai|minimax)\./;

/** Lower case; without router, vendor, variant (`:free`), version (`@20251101`) and window (`[1m]`); dots as dashes. */
export function bareName(name: string): string {
  const lower = name.slice(0, NAME_CHARS_MAX).toLowerCase();
  const last = lower.slice(lower.lastIndexOf("/") + 1).replace(DOTTED_PREFIX, "");
  return last.split(/[:@[]/, 1)[0]!.trim().replaceAll(".", "-");
}

/** What follows a known name in the name of another model: a version's number, or the word of a size or a kind. */
const ANOTHER_MODEL =
  /^-(?:\d{1,2}(?!\d)|(?:mini|nano|micro|lite|small|medium|large|pro|max|ultra|flash|fast|turbo|image|audio|tts|live|realtime|embedding|transcribe)\b)/;

/** The entry with the longest name that `name` begins with; keys are bare names. */
export function findLongestMatch<Entry>(name: string, entries: ReadonlyMap<string, Entry>): Entry | undefined {
  const bare = bareName(name);
  for (let end = bare.length; end > 0; end = bare.lastIndexOf("-", end - 1)) {
    const entry = entries.get(bare.slice(0, end));
    if (entry !== undefined && !ANOTHER_MODEL.test(bare.slice(end))) return entry;
  }
  return undefined;
}

const RETURNS_REASONING = /^(?:deepseek-(?:v[4-9]|reasoner)|mimo-v[2-9]|kimi-k(?:2-thinking|2-[5-9]|[3-9]))/;

export function returnsReasoning(model: string): boolean {
  return RETURNS_REASONING.test(bareName(model));
}
