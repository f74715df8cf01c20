/** `precis/models`: language models as writers of handoffs, and what is known of each model. */
export { ASK_RETRIES, ASK_TIMEOUT_MS, createWriter } from "./writer.ts";
export type { WriterOptions } from "./writer.ts";
export { PROVIDER_NAMES, providerNamed } from "./providers.ts";
export type { Provider, ProviderName } from "./providers.ts";
