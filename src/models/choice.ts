/** Which models the settings mean: the auxiliary one that writes handoffs, and the main one behind it. */
import { providerNamed, guessProvider, type Provider } from "./providers.ts";
import type { ModelSettings, ProviderChoice } from "./settings.ts";

/** A model and its address. */
export interface Choice {
  readonly model: string;
  readonly provider: Provider;
  readonly baseUrl: string | undefined;
  /** The environment variable that holds the key. */
  readonly keyVariable: string;
  /** The window that the model's own setting states. */
  readonly windowTokens: number | undefined;
}

/** Settings that have no effect, with the setting that would fix this. */
export interface Unclear {
  readonly model: string;
  readonly problem: string;
  readonly path: string;
}

export interface Choices {
  readonly auxiliary?: Choice | Unclear;
  readonly main?: Choice | Unclear;
}

/**
 * No model at all unless `auxiliary.compression` says something: keys are spent only when asked for. `main` means the
 * main model, or another model where the main one is reached. Where both are the same model, only `main` is there.
 */
export function chooseModels(settings: ModelSettings): Choices {
  const own = settings.auxiliary.compression;
  if (own.model === null && own.provider === "auto" && own.base_url === null) return {};
  const main = chooseMain(settings);
  const auxiliary = own.provider === "main" ? auxiliaryAtMain(settings, main) : ownChoice(settings);
  if (auxiliary === undefined) return main === undefined ? {} : { main };
  if (main === undefined || "problem" in main) return { auxiliary };
  if (same(auxiliary, main)) return { main: auxiliary };
  return { auxiliary, main };
}

/** The main model itself: behind a conversation that passes through a gateway, it is that conversation's own. */
export function asksInPlace({ auxiliary: { compression: own } }: Pick<ModelSettings, "auxiliary">): boolean {
  return own.provider === "main" && own.model === null;
}

/** The main model; undefined if none is named. */
export function chooseMain({ model }: Pick<ModelSettings, "model">): Choice | Unclear | undefined {
  if (model.name === null) return undefined;
  return reached(model.name, model, "model");
}

/** The auxiliary model at the main one's provider; undefined for the main model itself. */
function auxiliaryAtMain(settings: ModelSettings, main: Choice | Unclear | undefined): Choice | Unclear | undefined {
  const own = settings.auxiliary.compression;
  if (own.model === null && main !== undefined) return undefined;
  const { name, provider, base_url, api_key_env } = settings.model;
  if (name === null && provider === "auto" && base_url === null)
    return {
      model: own.model ?? "main",
      problem: "`main` is configured, but model.name is not set",
      path: "model.name",
    };
  if (own.model === null) return { model: "main", problem: "model.name is not set", path: "model.name" };
  const place = main !== undefined && "provider" in main ? main.provider.name : provider;
  const { context_length = null } = own;
  return reached(own.model, { provider: place, base_url, api_key_env, context_length }, "auxiliary.compression");
}

function ownChoice({ auxiliary: { compression: own } }: ModelSettings): Choice | Unclear {
  const { model, provider } = own;
  if (model !== null && provider !== "main") return reached(model, { ...own, provider }, "auxiliary.compression");
  const path = "auxiliary.compression.model";
  return { model: provider, problem: `${path} is not set, so there is no model to use`, path };
}

interface ModelAddress {
  readonly provider: ProviderChoice;
  readonly base_url: string | null;
  readonly api_key_env: string | null;
  readonly context_length?: number | null;
}

function reached(model: string, place: ModelAddress, section: string): Choice | Unclear {
  const named = place.provider === "auto" ? undefined : place.provider;
  const meant = named ?? (place.base_url === null ? guessProvider(model) : "openai-compatible");
  if (meant === undefined) {
    const path = `${section}.provider`;
    return { model, problem: `the provider of ${model} is not known; set ${path} or ${section}.base_url`, path };
  }
  const provider = providerNamed(meant);
  const baseUrl = place.base_url ?? provider.baseUrl;
  if (baseUrl === undefined) {
    const path = `${section}.base_url`;
    return { model, problem: `${provider.name} has no default address; set ${path}`, path };
  }
  const windowTokens = place.context_length ?? undefined;
  return { model, provider, baseUrl, keyVariable: place.api_key_env ?? provider.keyVariable, windowTokens };
}

function same(one: Choice | Unclear, other: Choice): boolean {
  return "provider" in one && one.model === other.model && one.baseUrl === other.baseUrl;
}
