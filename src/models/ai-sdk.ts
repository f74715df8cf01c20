/** The one file that knows the AI SDK: how a model is made in each dialect, and how one prompt is sent to it. */
import type { Dialect } from "./providers.ts";
import type { WriterPrompt, WriterUsage } from "../core/handoff/model/writer.ts";
import { estimateText } from "../core/transcript/estimate.ts";
import { asFields, parsed } from "./answers.ts";

/** What of the AI SDK's packages is used; they are optional, so their own types are not. */
interface Packages {
  readonly ai: unknown;
  readonly provider: unknown;
}

interface Call {
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

/** What the AI SDK makes of an answer; a count is undefined if the provider did not report it. */
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

/** US dollars for a million tokens. */
export interface Prices {
  readonly inputUsdPerMtok: number;
  readonly outputUsdPerMtok: number;
  readonly cacheReadUsdPerMtok?: number;
  readonly cacheWrite5mUsdPerMtok?: number;
  readonly cacheWrite1hUsdPerMtok?: number;
  /** Past that many input tokens the whole request costs that many times more. */
  readonly longPrompt?: { readonly aboveTokens: number; readonly inputFactor: number; readonly outputFactor: number };
}

/** Tokens of one answer; input is everything that was read, cached or not. */
export interface AnswerTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

const MTOK = 1_000_000;

/** US dollars. What the cache gave or took is charged as plain input where its price is not known. */
export function costOf(
  { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: AnswerTokens,
  prices: Prices,
): number {
  const { inputUsdPerMtok: input, outputUsdPerMtok: output } = prices;
  const fresh = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const read = cacheReadTokens * (prices.cacheReadUsdPerMtok ?? input);
  const written = cacheWriteTokens * (prices.cacheWrite5mUsdPerMtok ?? input);
  const long = inputTokens > (prices.longPrompt?.aboveTokens ?? Infinity) ? prices.longPrompt : undefined;
  const { inputFactor = 1, outputFactor = 1 } = long ?? {};
  return ((fresh * input + read + written) * inputFactor + outputTokens * output * outputFactor) / MTOK;
}

/** One answer's usage. `body` is its JSON if the provider reports a price in it, as OpenRouter does (`usage.cost`). */
export function readUsage(
  { text, usage }: Generated,
  prompt: WriterPrompt,
  { prices, body }: { readonly prices: Prices | undefined; readonly body: string | undefined },
): WriterUsage {
  const spent = {
    inputTokens: usage.inputTokens || estimateText(prompt.system) + estimateText(prompt.user),
    outputTokens: usage.outputTokens || estimateText(text),
    cacheReadTokens: usage.inputTokenDetails.cacheReadTokens ?? 0,
    cacheWriteTokens: usage.inputTokenDetails.cacheWriteTokens ?? 0,
  };
  const charged = asFields(asFields(parsed(body ?? ""))["usage"])["cost"];
  const listed = prices === undefined ? undefined : costOf(spent, prices);
  const costUsd = typeof charged === "number" ? charged : listed;
  const { inputTokens, outputTokens } = spent;
  return { inputTokens, outputTokens, requests: 1, ...(costUsd === undefined ? {} : { costUsd }) };
}

/** Several answers' usage; the cost is known only when each one's is. */
export function sumUsage(spent: readonly WriterUsage[]): WriterUsage {
  const sum = (count: (usage: WriterUsage) => number): number => spent.reduce((so, usage) => so + count(usage), 0);
  const priced = spent.length > 0 && spent.every(({ costUsd }) => costUsd !== undefined);
  return {
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    requests: sum(({ requests }) => requests),
    ...(priced ? { costUsd: sum(({ costUsd }) => costUsd ?? 0) } : {}),
  };
}
