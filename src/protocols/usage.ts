/**
 * Reads the tokens a provider reports, from a whole response or from the stream event that carries them. Input always
 * includes what was read from and written to the cache (wire facts of each provider's usage objects).
 */
import type { Usage } from "../core/engines/contract.ts";
import type { Fields } from "./dialect.ts";
import { countOf, fieldsOf, isFields } from "./fields.ts";

/** Anthropic: `input_tokens` leaves the cache out. Streams say it in `message_start`, then cumulatively in `message_delta`. */
export function anthropicUsage(response: unknown): Usage | undefined {
  const usage = usageIn(response, "message");
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

/** Chat Completions: `prompt_tokens` includes the cache; streams say it in a last chunk without choices. */
export function chatUsage(response: unknown): Usage | undefined {
  const usage = usageIn(response, "usage");
  return usage === undefined ? undefined : openaiUsage(usage, "prompt", "completion");
}

/** Responses: `input_tokens` includes the cache; streams say it in the final event's `response`. */
export function responsesUsage(response: unknown): Usage | undefined {
  const usage = usageIn(response, "response");
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

function openaiUsage(usage: Fields, input: string, output: string): Usage {
  const details = fieldsOf(usage[`${input}_tokens_details`]);
  return {
    input: count(usage, `${input}_tokens`),
    output: count(usage, `${output}_tokens`),
    cacheRead: count(details, "cached_tokens"),
    cacheWrite: count(details, "cache_write_tokens"),
  };
}

function usageIn(response: unknown, envelope: string): Fields | undefined {
  const fields = fieldsOf(response);
  const usage = fields["usage"] ?? fieldsOf(fields[envelope])["usage"];
  return isFields(usage) ? usage : undefined;
}

function count(fields: Fields, key: string): number {
  return countOf(fields[key]) ?? 0;
}
