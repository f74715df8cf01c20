/** Where models are reached: the providers known by name, and which one a setting means. */

export interface Provider {
  readonly name: ProviderName;
  /** As messages and reports call it. */
  readonly title: string;
  readonly dialect: Dialect;
  /** Absent: the setting `base_url` must say. */
  readonly baseUrl?: string;
  /** The environment variable that holds the key, unless a setting names another. */
  readonly keyVariable: string;
  /** Whether it is asked without a key when there is none, as local servers are. */
  readonly keyOptional?: boolean;
}

const KNOWN = {
  anthropic: provider("Anthropic", "anthropic", "ANTHROPIC_API_KEY", "https://api.anthropic.com/v1"),
  openai: provider("OpenAI", "openai", "OPENAI_API_KEY", "https://api.openai.com/v1"),
  openrouter: provider("OpenRouter", "openai-compatible", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"),
  nous: provider("Nous", "openai-compatible", "NOUS_API_KEY", "https://inference-api.nousresearch.com/v1"),
  ollama: local("Ollama", "OLLAMA_API_KEY", "http://127.0.0.1:11434/v1"),
  lmstudio: local("LM Studio", "LMSTUDIO_API_KEY", "http://127.0.0.1:1234/v1"),
  "openai-compatible": local("the endpoint", "OPENAI_COMPATIBLE_API_KEY"),
} as const satisfies Readonly<Record<string, Omit<Provider, "name">>>;

export type ProviderName = keyof typeof KNOWN;

export const PROVIDER_NAMES = Object.keys(KNOWN) as readonly ProviderName[];

/** A provider by its name: its address, its protocol, and the variable that holds its key. */
export function providerNamed(name: ProviderName): Provider {
  return { name, ...KNOWN[name] };
}

function provider(title: string, dialect: Dialect, keyVariable: string, baseUrl?: string): Omit<Provider, "name"> {
  return { title, dialect, keyVariable, ...(baseUrl === undefined ? {} : { baseUrl }) };
}

function local(title: string, keyVariable: string, baseUrl?: string): Omit<Provider, "name"> {
  return { ...provider(title, "openai-compatible", keyVariable, baseUrl), keyOptional: true };
}

/**
 * The provider a model's name points to: `claude…` is Anthropic's, `gpt…`, `o3…` and the like are OpenAI's, and
 * `vendor/model` is how OpenRouter writes every name. Any other name points nowhere.
 */
export function guessProvider(model: string): ProviderName | undefined {
  if (model.includes("/")) return "openrouter";
  if (/^claude\b/i.test(model)) return "anthropic";
  return /^(?:gpt|chatgpt|codex|o[1-9])\b/i.test(model) ? "openai" : undefined;
}

/** The protocol an endpoint is spoken to in; one provider package each. */
export type Dialect = "anthropic" | "openai" | "openai-compatible";

type PackageName = "ai" | `@ai-sdk/${Dialect}`;

/** How a package is loaded; a test hands in its own. */
export type LoadPackage = (name: PackageName) => Promise<unknown>;

const IMPORTS: Readonly<Record<PackageName, () => Promise<unknown>>> = {
  ai: () => import("ai").catch(missing),
  "@ai-sdk/anthropic": () => import("@ai-sdk/anthropic").catch(missing),
  "@ai-sdk/openai": () => import("@ai-sdk/openai").catch(missing),
  "@ai-sdk/openai-compatible": () => import("@ai-sdk/openai-compatible").catch(missing),
};

/** Says to bundlers that a package may be missing: esbuild and others refuse one that they do not find, unless its failure is caught. */
function missing(reason: unknown): never {
  throw reason;
}

export const loadPackage: LoadPackage = (name) => IMPORTS[name]();

/** Loads both packages a dialect needs, or says what is missing. */
export async function loadDialect(
  dialect: Dialect,
  load: LoadPackage,
): Promise<{ readonly ai: unknown; readonly provider: unknown } | { readonly missing: string }> {
  const names: readonly PackageName[] = ["ai", `@ai-sdk/${dialect}`];
  const loaded = await Promise.allSettled(names.map(load));
  const failed = names.filter((_, at) => loaded[at]!.status === "rejected");
  if (failed.length > 0)
    return {
      missing: `${failed.join(" and ")} cannot be loaded: npm install ${names.join(" ")}, with --global where precis itself was installed so`,
    };
  const [ai, loadedProvider] = loaded.map((one) => (one as PromiseFulfilledResult<unknown>).value);
  return { ai, provider: loadedProvider };
}
