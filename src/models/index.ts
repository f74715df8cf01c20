/** `precis/models`: language models as writers of handoffs, and what is known of each model. */
import "../platform/refuse-old-node.ts";
export { costOf } from "./ai-sdk.ts";
export type { Prices, AnswerTokens } from "./ai-sdk.ts";
export { ASK_RETRIES, ASK_TIMEOUT_MS } from "./settings.ts";
export { createWriter } from "./writer.ts";
export type { WriterOptions } from "./writer.ts";
export { createWriters } from "./writers.ts";
export type { WriterEnvironment } from "./writers.ts";
export { registryOf } from "./settings.ts";
export type { ModelSettings, ProviderChoice, StatedFacts } from "./settings.ts";
export { PROVIDER_NAMES, providerNamed } from "./providers.ts";
export type { Provider, ProviderName } from "./providers.ts";
export { createRegistry, knownModels, lookUp, SAFE_WINDOW_TOKENS } from "./registry/registry.ts";
export type { RegistryEntry, Registry } from "./registry/registry.ts";
export type { CacheRules, ModelFacts, SourcedFacts } from "./registry/known.ts";
