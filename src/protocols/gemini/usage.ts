/** Tokens of a Gemini answer: `promptTokenCount` includes what came from the cache, thoughts are counted beside the answer. */
import type { Usage } from "../../core/engines/contract.ts";
import { countOf, fieldsOf, isFields } from "../fields.ts";

export function geminiUsage(response: unknown): Usage | undefined {
  const usage = fieldsOf(response)["usageMetadata"];
  if (!isFields(usage) || countOf(usage["promptTokenCount"]) === undefined) return undefined;
  const count = (key: string): number => countOf(usage[key]) ?? 0;
  return {
    input: count("promptTokenCount") + count("toolUsePromptTokenCount"),
    output: count("candidatesTokenCount") + count("thoughtsTokenCount"),
    cacheRead: count("cachedContentTokenCount"),
    cacheWrite: 0,
  };
}
