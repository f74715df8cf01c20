/** JSON in a model's answer, which often is in a code fence or between sentences. */
import type { z } from "zod";
import type { Read } from "./ask.ts";

/** Longer than any answer that was asked for. */
const ANSWER_CHARS_MAX = 400_000;

/** Reads the first object or array of an answer by a schema. */
export function readJson<Value>(text: string, schema: z.ZodType<Value>): Read<Value> {
  const json = jsonIn(text.slice(0, ANSWER_CHARS_MAX));
  if (json === undefined) return { problems: ["There is no JSON in it."] };
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return { problems: [`It is not valid JSON: ${(error as Error).message}`] };
  }
  const read = schema.safeParse(value);
  if (read.success) return { value: read.data };
  return { problems: read.error.issues.map(({ path, message }) => `${path.join(".") || "the whole"}: ${message}`) };
}

function jsonIn(text: string): string | undefined {
  const starts = ["{", "["].map((sign) => text.indexOf(sign)).filter((at) => at >= 0);
  if (starts.length === 0) return undefined;
  const start = starts.reduce((least, one) => Math.min(least, one), Infinity);
  const end = text.lastIndexOf(text[start] === "{" ? "}" : "]");
  return end > start ? text.slice(start, end + 1) : undefined;
}
