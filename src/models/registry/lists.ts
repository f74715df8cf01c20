/**
 * What a provider's own list of models (`GET /v1/models`) says. Three shapes are understood, also mixed in one list:
 * OpenAI's, which names models alone, but which local servers extend with a window; OpenRouter's, with windows and
 * prices; Anthropic's, with limits.
 */
import { defined } from "../../core/defined.ts";
import { fieldsOf, listOf, wordsOf, type Fields } from "../answers.ts";
import type { ModelFacts, SourcedFacts } from "./known.ts";

/** Under which names servers give the window: OpenRouter, Anthropic, vLLM, LM Studio, llama.cpp (inside `meta`). */
const WINDOW_KEYS = [
  "context_length",
  "max_input_tokens",
  "max_model_len",
  "max_context_length",
  "n_ctx",
  "n_ctx_train",
];
const OUTPUT_KEYS = ["max_completion_tokens", "max_tokens", "max_output_tokens"];
const MTOK = 1_000_000;

/** Facts by model name, as far as the list has any; `asOf` is the day it was asked for. */
export function readModelList(json: unknown, source: string, asOf: string): ReadonlyMap<string, SourcedFacts> {
  const models = new Map<string, SourcedFacts>();
  for (const entry of listOf(Array.isArray(json) ? json : fieldsOf(json)["data"])) {
    const fields = fieldsOf(entry);
    const name = wordsOf(fields["id"]) ?? wordsOf(fields["name"]);
    const facts = readFacts(fields);
    if (name !== undefined && Object.keys(facts).length > 0) models.set(name, { ...facts, name, source, asOf });
  }
  return models;
}

function readFacts(fields: Fields): ModelFacts {
  const places = [fieldsOf(fields["top_provider"]), fields, fieldsOf(fields["meta"])];
  const windowTokens = firstCount(places, WINDOW_KEYS);
  const maxOutputTokens = firstCount(places, OUTPUT_KEYS);
  const prices = readPrices(fieldsOf(fields["pricing"]));
  return {
    ...defined({ windowTokens, maxOutputTokens, prices }),
  };
}

function firstCount(places: readonly Fields[], keys: readonly string[]): number | undefined {
  const counts = places.flatMap((place) => keys.map((key) => place[key]));
  return counts.find((one): one is number => typeof one === "number" && Number.isInteger(one) && one > 0);
}

/** OpenRouter: US dollars a token, as text; a negative price is one that varies. */
function readPrices(pricing: Fields): ModelFacts["prices"] {
  const usd = (key: string): number | undefined => {
    const text = wordsOf(pricing[key]);
    const price = text === undefined ? Number.NaN : Number(text) * MTOK;
    return Number.isFinite(price) && price >= 0 ? Number(price.toPrecision(12)) : undefined;
  };
  const [input, output] = [usd("prompt"), usd("completion")];
  if (input === undefined || output === undefined) return undefined;
  const [read, write] = [usd("input_cache_read"), usd("input_cache_write")];
  return {
    inputUsdPerMtok: input,
    outputUsdPerMtok: output,
    ...defined({ cacheReadUsdPerMtok: read, cacheWrite5mUsdPerMtok: write }),
  };
}
