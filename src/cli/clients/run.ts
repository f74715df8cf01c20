/** How `precis run` starts each client: the environment and the arguments with which it sends its requests to a gateway. */
import { fileURLToPath } from "node:url";
import type { Environment } from "../../config/environment.ts";
import { usageError } from "../program/exit.ts";

export interface ClientStart {
  readonly command: string;
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

interface RunnableClient {
  readonly package: string;
  readonly start: (url: string, environment: Environment) => ClientStart;
}

export const RUNNABLE_CLIENTS: Readonly<Record<string, RunnableClient>> = {
  claude: {
    package: "@anthropic-ai/claude-code",
    start: (url, { ENABLE_TOOL_SEARCH = "true" }) => ({
      command: "claude",
      words: [],
      // At any address but the vendor's own, Claude Code switches its tool search off unless it is told not to.
      environment: { ANTHROPIC_BASE_URL: url, ENABLE_TOOL_SEARCH },
    }),
  },
  codex: {
    package: "@openai/codex",
    start: (url) => ({
      command: "codex",
      words: [
        ["model_provider", '"precis"'],
        ["model_providers.precis.name", '"precis"'],
        ["model_providers.precis.base_url", JSON.stringify(`${url}/v1`)],
        ["model_providers.precis.env_key", '"OPENAI_API_KEY"'],
        ["model_providers.precis.wire_api", '"responses"'],
      ].flatMap(([key, value]) => ["-c", `${key}=${value}`]),
      environment: {},
    }),
  },
  copilot: {
    package: "@github/copilot",
    // Only with a provider of one's own: what GitHub hosts is reached at no other address.
    start: (url, { COPILOT_PROVIDER_TYPE: type }) => ({
      command: "copilot",
      words: [],
      environment: { COPILOT_PROVIDER_BASE_URL: type === "anthropic" ? url : `${url}/v1` },
    }),
  },
  gemini: {
    package: "@google/gemini-cli",
    start: (url) => ({ command: "gemini", words: [], environment: { GOOGLE_GEMINI_BASE_URL: url } }),
  },
  opencode: {
    package: "opencode-ai",
    start: (url, { OPENCODE_CONFIG_CONTENT: given }) => ({
      command: "opencode",
      words: [],
      environment: { OPENCODE_CONFIG_CONTENT: openCodeConfiguration(url, given) },
    }),
  },
  qwen: {
    package: "@qwen-code/qwen-code",
    start: (url) => ({ command: "qwen", words: [], environment: { OPENAI_BASE_URL: `${url}/v1` } }),
  },
  pi: {
    package: "@earendil-works/pi-coding-agent",
    // It reads no base URL from its environment, but an extension may set those of its providers.
    start: (url) => ({
      command: "pi",
      words: ["--extension", PI_EXTENSION],
      environment: { PRECIS_PI_GATEWAY: url },
    }),
  },
};

/** `.ts` in a checkout, `.js` in the package. */
const PI_EXTENSION = fileURLToPath(new URL(`../../integrations/pi/index${import.meta.url.slice(-3)}`, import.meta.url));

/** Any other program: with the variables that SDKs read. */
export function startOfProgram(url: string, [command = "", ...words]: readonly string[]): ClientStart {
  const environment = { ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: `${url}/v1`, GOOGLE_GEMINI_BASE_URL: url };
  return { command, words, environment };
}

/** Where the person's own base URLs lead: the gateway sends requests on to there. */
export function readUpstreams(environment: Environment): readonly string[] {
  const { COPILOT_PROVIDER_BASE_URL: copilot, COPILOT_PROVIDER_TYPE: type } = environment;
  const given = type === "anthropic" ? { anthropic: copilot } : { openai: copilot };
  const { ANTHROPIC_BASE_URL: anthropic = given.anthropic, OPENAI_BASE_URL: openai = given.openai } = environment;
  const { GOOGLE_GEMINI_BASE_URL: google } = environment;
  return Object.entries({ anthropic, openai, google }).flatMap(([name, url]) =>
    url === undefined || url === "" ? [] : ["--upstream", `${name}=${url}`],
  );
}

/** OpenCode lays this over its files; what the person put there stays. */
function openCodeConfiguration(url: string, given: string | undefined): string {
  const own = given === undefined || given === "" ? {} : parseConfiguration(given);
  const providers = (own["provider"] ?? {}) as Readonly<Record<string, { readonly options?: object } | undefined>>;
  const at = (baseURL: string, name: string) => ({
    [name]: { ...providers[name], options: { ...providers[name]?.options, baseURL } },
  });
  const provider = {
    ...providers,
    ...at(`${url}/v1`, "anthropic"),
    ...at(`${url}/v1`, "openai"),
    ...at(`${url}/v1beta`, "google"),
  };
  return JSON.stringify({ ...own, provider });
}

function parseConfiguration(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    throw usageError("OPENCODE_CONFIG_CONTENT is not JSON", "Correct the variable, or unset it.");
  }
}
