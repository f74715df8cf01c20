/** Where models are reached: the providers known by name, and which one a setting means. */
import type { Dialect } from "./packages.ts";

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
export function providerOf(model: string): ProviderName | undefined {
  if (model.includes("/")) return "openrouter";
  if (/^claude\b/i.test(model)) return "anthropic";
  return /^(?:gpt|chatgpt|codex|o[1-9])\b/i.test(model) ? "openai" : undefined;
}
