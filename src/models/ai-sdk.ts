/** The one file that knows the AI SDK: how a model is made in each dialect, and how one prompt is sent to it. */
import type { Dialect } from "./providers.ts";

/** What of the AI SDK's packages is used; they are optional, so their own types are not. */
interface Packages {
  readonly ai: unknown;
  readonly provider: unknown;
}

export interface Call {
  readonly dialect: Dialect;
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly fetch: typeof fetch;
  readonly system: string;
  readonly user: string;
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal;
}

/** What the AI SDK makes of an answer; a count is undefined where the provider did not report it. */
export interface Generated {
  readonly text: string;
  readonly finishReason: string;
  readonly usage: {
    readonly inputTokens: number | undefined;
    readonly outputTokens: number | undefined;
    readonly inputTokenDetails: {
      readonly cacheReadTokens: number | undefined;
      readonly cacheWriteTokens: number | undefined;
    };
  };
}

interface Settings {
  readonly name: string;
  readonly baseURL: string;
  readonly apiKey: string | undefined;
  readonly fetch: typeof fetch;
}

type Create = (settings: Settings) => (model: string) => unknown;
type GenerateText = (options: object) => Promise<Generated>;

const CREATORS: Readonly<Record<Dialect, string>> = {
  anthropic: "createAnthropic",
  openai: "createOpenAI",
  "openai-compatible": "createOpenAICompatible",
};

/** One request, never repeated here: who asks decides about that. OpenAI is asked not to keep what it is sent. */
export async function generate(packages: Packages, call: Call): Promise<Generated> {
  const { dialect, baseUrl, apiKey, fetch, maxOutputTokens } = call;
  const create = exported<Create>(packages.provider, CREATORS[dialect]);
  const generateText = exported<GenerateText>(packages.ai, "generateText");
  const generated = await generateText({
    model: create({ name: dialect, baseURL: baseUrl, apiKey, fetch })(call.model),
    instructions: call.system,
    prompt: call.user,
    maxOutputTokens,
    maxRetries: 0,
    abortSignal: call.signal,
    providerOptions: { openai: { store: false } },
  });
  const { finishReason, usage } = generated;
  return { text: withoutThoughts(generated.text), finishReason, usage };
}

const THOUGHTS_BEGIN = "<think>";
const THOUGHTS_END = "</think>";

/** Some local servers leave a model's thoughts at the start of its answer; thoughts that never end are no answer. */
function withoutThoughts(text: string): string {
  const answer = text.trimStart();
  if (!answer.startsWith(THOUGHTS_BEGIN)) return text;
  const end = answer.indexOf(THOUGHTS_END);
  return end < 0 ? "" : answer.slice(end + THOUGHTS_END.length).trimStart();
}

function exported<Shape>(module: unknown, name: string): Shape {
  return (module as Readonly<Record<string, Shape>>)[name]!;
}
