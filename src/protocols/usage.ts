/**
 * Reads the tokens a provider reports, from a whole response or from the stream event that carries them. Input always
 * includes what was read from and written to the cache (wire facts of each provider's usage objects).
 */
import type { Usage } from "../core/engines/contract.ts";
import { type Fields, countOf, fieldsOf, isFields, listOf } from "./fields.ts";

/** Anthropic: `input_tokens` leaves the cache out. Streams say it in `message_start`, then cumulatively in `message_delta`. */
export function anthropicUsage(response: unknown): Usage | undefined {
  const usage = findUsage(response, "message");
  if (usage === undefined) return undefined;
  const cacheRead = count(usage, "cache_read_input_tokens");
  const cacheWrite = count(usage, "cache_creation_input_tokens");
  return {
    input: count(usage, "input_tokens") + cacheRead + cacheWrite,
    output: count(usage, "output_tokens"),
    cacheRead,
    cacheWrite,
  };
}

/** Anthropic: what compactions took in the course of a request, which its other figures leave out. */
export function compactionUsage(response: unknown): Usage | undefined {
  const iterations = listOf(findUsage(response, "message")?.["iterations"]).map(fieldsOf);
  const compactions = iterations.filter(({ type }) => type === "compaction");
  if (compactions.length === 0) return undefined;
  return compactions.flatMap((usage) => anthropicUsage({ usage }) ?? []).reduce(addUsage);
}

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
  };
}

/** Chat Completions: `prompt_tokens` includes the cache; streams say it in a last chunk without choices. */
export function chatUsage(response: unknown): Usage | undefined {
  const usage = findUsage(response, "usage");
  return usage === undefined ? undefined : openaiUsage(usage, "prompt", "completion");
}

/** Responses: `input_tokens` includes the cache; streams say it in the final event's `response`. */
export function responsesUsage(response: unknown): Usage | undefined {
  const usage = findUsage(response, "response");
  return usage === undefined ? undefined : openaiUsage(usage, "input", "output");
}

/** Later counts of one response replace earlier ones: streams report cumulatively, and leave out what did not change. */
export function mergeUsage(earlier: Usage, later: Usage): Usage {
  return {
    input: Math.max(earlier.input, later.input),
    output: Math.max(earlier.output, later.output),
    cacheRead: Math.max(earlier.cacheRead, later.cacheRead),
    cacheWrite: Math.max(earlier.cacheWrite, later.cacheWrite),
  };
}

/** The usage objects of the protocols and of the AI SDK, and our own, as they are. */
export type ReportedUsage =
  | {
      readonly input: number;
      readonly output?: number | undefined;
      readonly cacheRead?: number | undefined;
      readonly cacheWrite?: number | undefined;
    }
  | {
      readonly prompt_tokens: number;
      readonly completion_tokens?: number | undefined;
      readonly prompt_tokens_details?: CachedTokens | null | undefined;
    }
  | {
      readonly input_tokens: number;
      readonly output_tokens?: number | undefined;
      readonly input_tokens_details?: CachedTokens | null | undefined;
      readonly cache_read_input_tokens?: number | null | undefined;
      readonly cache_creation_input_tokens?: number | null | undefined;
    }
  | {
      readonly inputTokens: number | undefined;
      readonly outputTokens?: number | undefined;
      readonly inputTokenDetails?:
        | { readonly cacheReadTokens?: number | undefined; readonly cacheWriteTokens?: number | undefined }
        | undefined;
    };

interface CachedTokens {
  readonly cached_tokens?: number | undefined;
  readonly cache_write_tokens?: number | undefined;
}

const COUNTS = [
  "input",
  "output",
  "cacheRead",
  "cacheWrite",
  "prompt_tokens",
  "completion_tokens",
  "cached_tokens",
  "cache_write_tokens",
  "input_tokens",
  "output_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
  "inputTokens",
  "outputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
];

/**
 * Reads a usage object, or the one in a whole response, by the name of its input count. Undefined without that count,
 * and where a count is anything but a number of tokens.
 */
export function reportedUsage(value: unknown): Usage | undefined {
  const fields = findUsage(value, "message") ?? findUsage(value, "response") ?? fieldsOf(value);
  const details = fieldsOf(fields["inputTokenDetails"]);
  const read = [fields, details, fieldsOf(fields["prompt_tokens_details"]), fieldsOf(fields["input_tokens_details"])];
  const counts = read.flatMap((one) => COUNTS.map((key) => one[key] ?? undefined));
  if (!counts.every((one) => one === undefined || isTokens(one))) return undefined;
  const has = (key: string): boolean => isTokens(fields[key]);
  if (has("prompt_tokens")) return openaiUsage(fields, "prompt", "completion");
  if (has("inputTokens")) return aiSdkUsage(fields, details);
  if (has("input_tokens")) {
    const leavesCacheOut = "cache_read_input_tokens" in fields || "cache_creation_input_tokens" in fields;
    return leavesCacheOut ? anthropicUsage({ usage: fields }) : openaiUsage(fields, "input", "output");
  }
  if (!has("input")) return undefined;
  return {
    input: count(fields, "input"),
    output: count(fields, "output"),
    cacheRead: count(fields, "cacheRead"),
    cacheWrite: count(fields, "cacheWrite"),
  };
}

/** The AI SDK: `inputTokens` is everything that was read, cached or not. */
function aiSdkUsage(usage: Fields, details: Fields): Usage {
  return {
    input: count(usage, "inputTokens"),
    output: count(usage, "outputTokens"),
    cacheRead: count(details, "cacheReadTokens"),
    cacheWrite: count(details, "cacheWriteTokens"),
  };
}

function isTokens(value: unknown): boolean {
  const tokens = countOf(value);
  return tokens !== undefined && tokens <= Number.MAX_SAFE_INTEGER;
}

function openaiUsage(usage: Fields, input: string, output: string): Usage {
  const details = fieldsOf(usage[`${input}_tokens_details`]);
  return {
    input: count(usage, `${input}_tokens`),
    output: count(usage, `${output}_tokens`),
    cacheRead: count(details, "cached_tokens"),
    cacheWrite: count(details, "cache_write_tokens"),
  };
}

function findUsage(response: unknown, envelope: string): Fields | undefined {
  const fields = fieldsOf(response);
  const usage = fields["usage"] ?? fieldsOf(fields[envelope])["usage"];
  return isFields(usage) ? usage : undefined;
}

function count(fields: Fields, key: string): number {
  return isTokens(fields[key]) ? countOf(fields[key])! : 0;
}
