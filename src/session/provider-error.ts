/**
 * From what a program has in a `catch` to what the provider answered: the errors of the OpenAI and the Anthropic SDK, of
 * the AI SDK, a `Response`, or a status and a body. Wrapped errors are followed to the one with the answer.
 */
import type { Overflow } from "../protocols/index.ts";
import { overflowOf, type ProviderError } from "./recover.ts";

/** Errors inside errors are followed this far: a retry error, its last error, and the causes below it. */
const WRAPPERS_MAX = 8;
/** Of a response's body this much is read; what counts stands at its beginning. */
const RESPONSE_BYTES_MAX = 65_536;
const RESPONSE_WAIT_MS = 10_000;
/** Errors that broke off a stream have no status of their own; they say failure all the same. */
const STATUS_WHERE_NONE = 400;

/** The overflow that an error tells of; undefined where it tells of something else. Never rejects. */
export async function overflowIn(error: unknown): Promise<Overflow | undefined> {
  let one = error;
  for (let depth = 0; depth < WRAPPERS_MAX && one !== undefined && one !== null; depth++) {
    if (isOverflow(one)) return one;
    const answer = one instanceof Response ? await responseAnswer(one) : answerOf(one);
    const overflow = answer === undefined ? undefined : overflowOf(answer);
    if (overflow !== undefined) return overflow;
    one = insideOf(one);
  }
  return undefined;
}

function isOverflow(error: unknown): error is Overflow {
  const { kind, limitTokens, requestedTokens } = fieldsOf(error);
  return (kind === "context" || kind === "payload") && isCount(limitTokens) && isCount(requestedTokens);
}

function isCount(value: unknown): boolean {
  return value === undefined || (Number.isFinite(value) && (value as number) >= 0);
}

/** What wraps an error names it in one of these (RetryError of the AI SDK, axios, and the language itself). */
function insideOf(error: unknown): unknown {
  const { lastError, response, cause } = fieldsOf(error);
  return lastError ?? response ?? cause;
}

function answerOf(error: unknown): ProviderError | undefined {
  if (typeof error === "string") return { status: STATUS_WHERE_NONE, body: error };
  if (typeof error !== "object" || error === null) return undefined;
  const { status, statusCode, body, responseBody, data, error: inner, message } = fieldsOf(error);
  const said =
    [body, responseBody, data].find(isSomething) ?? sdkBody(inner) ?? (isSomething(status) ? message : error);
  return { status: numberOf(status ?? statusCode) ?? STATUS_WHERE_NONE, body: textOf(said, message) };
}

/** OpenAI's SDK keeps the error out of its envelope, Anthropic's the whole body; both as parsed JSON. */
function sdkBody(inner: unknown): unknown {
  if (!isSomething(inner)) return undefined;
  return typeof inner === "string" || isSomething(fieldsOf(inner)["error"]) ? inner : { error: inner };
}

function isSomething(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

function numberOf(status: unknown): number | undefined {
  const number = typeof status === "string" ? Number(status) : status;
  return typeof number === "number" && Number.isInteger(number) ? number : undefined;
}

/** A text as it is, a parsed body as JSON again; an `Error` has its words in none of its own fields. */
function textOf(said: unknown, message: unknown): string {
  if (typeof said === "string") return said;
  if (said instanceof Error) return said.message;
  try {
    return JSON.stringify(said) ?? "";
  } catch {
    return typeof message === "string" ? message : "";
  }
}

/** The beginning of a response's body, read from a copy: the response stays the caller's to read. */
async function responseAnswer(response: Response): Promise<ProviderError> {
  const { status } = response;
  if (response.bodyUsed || response.body?.locked === true) return { status, body: "" };
  const reader = response.clone().body?.getReader();
  if (reader === undefined) return { status, body: "" };
  const decoder = new TextDecoder();
  let body = "";
  let bytes = 0;
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), RESPONSE_WAIT_MS);
  try {
    while (bytes < RESPONSE_BYTES_MAX) {
      const { value } = await reader.read();
      if (value === undefined) break;
      bytes += value.byteLength;
      body += decoder.decode(value, { stream: true });
    }
  } catch {
    // The connection broke: what came counts.
  } finally {
    clearTimeout(timer);
    void reader.cancel().catch(() => undefined);
  }
  return { status, body };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
