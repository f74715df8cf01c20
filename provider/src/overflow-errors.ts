/**
 * How servers answer a request that does not fit their window, for the strict provider to answer in their words. The data
 * file has the body and where it was seen: a public page, or a thread of the server's or of a client's repository.
 * `{limit}`, `{requested}`, `{input}` and `{output}` in a body are counts of the request.
 */
import type { Prompt } from "./contract.ts";
import type { Refusal } from "../../src/protocols/request-form/openai-refusals.ts";
import seen from "./overflow-errors.json" with { type: "json" };

export interface OverflowError {
  readonly status: number;
  /** Mostly JSON. */
  readonly body: string;
  readonly origin: string;
}

export type OverflowErrorName = keyof typeof seen;

export const OVERFLOW_ERRORS = Object.freeze(
  Object.fromEntries(
    Object.entries(seen).map(([name, { body, ...rest }]) => {
      return [name, { ...rest, body: typeof body === "string" ? body : JSON.stringify(body) }];
    }),
  ),
) as Readonly<Record<OverflowErrorName, OverflowError>>;

export const OVERFLOW_ERROR_NAMES = Object.keys(OVERFLOW_ERRORS) as readonly OverflowErrorName[];

/** The same refusal in the words of another server. */
export function inWordsOf(
  name: OverflowErrorName,
  refusal: Refusal,
  { prompt, windowTokens }: { readonly prompt: Prompt; readonly windowTokens: number },
): Refusal {
  const { inputTokens, maxOutputTokens = 0 } = prompt;
  const counts: Readonly<Record<string, number>> = {
    limit: windowTokens,
    requested: inputTokens + maxOutputTokens,
    input: inputTokens,
    output: maxOutputTokens,
  };
  const { status, body } = OVERFLOW_ERRORS[name];
  const text = body.replaceAll(/\{(limit|requested|input|output)\}/g, (_, count: string) => String(counts[count]));
  return { ...refusal, status, body: text };
}
