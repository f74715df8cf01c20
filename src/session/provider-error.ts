/**
 * From what a program has in a `catch` to what the provider answered: the errors of the OpenAI and the Anthropic SDK, of
 * the AI SDK, a `Response`, or a status and a body. Wrapped errors are followed to the one with the answer.
 */
import { type Overflow } from "../protocols/protocol.ts";
import { protocols } from "../protocols/index.ts";
import { refusesNeighbours } from "../protocols/openai-chat/alternate.ts";

/** Errors inside errors are followed this far: a retry error, its last error, and the causes below it. */
const WRAPPERS_MAX = 8;
/** Of a response's body this much is read; what counts is at its beginning. */
const RESPONSE_BYTES_MAX = 65_536;
const RESPONSE_WAIT_MS = 10_000;
/** Errors that broke off a stream have no status of their own; they say failure all the same. */
const STATUS_WHERE_NONE = 400;

/**
 * The overflow that an error reports; undefined where it reports something else, or cannot be read. Never rejects. An
 * abort ends the reading of a response.
 */
export async function overflowIn(error: unknown, signal?: AbortSignal): Promise<Overflow | undefined> {
  return findFirst(
    error,
    (one, answer) => overflowAsIs(one) ?? (answer === undefined ? undefined : overflowOf(answer)),
    signal,
  );
}

/** Whether an error says that roles have to take turns. Never rejects. */
export async function neighboursRefusedIn(error: unknown, signal?: AbortSignal): Promise<boolean> {
  return (await findFirst(error, saysNeighbours, signal)) ?? false;
}

function saysNeighbours(_: unknown, answer: ProviderError | undefined): true | undefined {
  return answer !== undefined && refusesNeighbours(answer.status, answer.body) ? true : undefined;
}

/** What is found in an error or in one that it wraps, the outermost first. */
async function findFirst<Found>(
  error: unknown,
  find: (one: unknown, answer: ProviderError | undefined) => Found | undefined,
  signal: AbortSignal | undefined,
): Promise<Found | undefined> {
  let one = error;
  for (let depth = 0; depth < WRAPPERS_MAX && one !== undefined && one !== null; depth++) {
    const found = find(one, isResponse(one) ? await responseAnswer(one, signal) : readAnswer(one));
    if (found !== undefined) return found;
    one = unwrap(one);
  }
  return undefined;
}

function overflowAsIs(error: unknown): Overflow | undefined {
  const { kind, ...counts } = read(error, ["kind", "limitTokens", "requestedTokens", "outputTokens"]);
  const known = Object.entries(counts).filter(([, count]) => count !== undefined);
  if ((kind !== "context" && kind !== "payload") || !known.every(([, count]) => isCount(count))) return undefined;
  return { ...(Object.fromEntries(known) as Omit<Overflow, "kind">), kind };
}

function isResponse(value: unknown): value is Response {
  return readSafely(() => value instanceof Response) === true;
}

function isCount(value: unknown): boolean {
  return Number.isFinite(value) && (value as number) >= 0;
}

/** What wraps an error names it in one of these (RetryError of the AI SDK, axios, and the language itself). */
function unwrap(error: unknown): unknown {
  const { lastError, response, cause } = read(error, ["lastError", "response", "cause"]);
  return lastError ?? response ?? cause;
}

const ANSWER_FIELDS = ["status", "statusCode", "body", "responseBody", "data", "error", "message"] as const;

function readAnswer(error: unknown): ProviderError | undefined {
  if (typeof error === "string") return { status: STATUS_WHERE_NONE, body: error };
  if (typeof error !== "object" || error === null) return undefined;
  const { status, statusCode, body, responseBody, data, error: inner, message } = read(error, ANSWER_FIELDS);
  const said =
    [body, responseBody, data].find(isSomething) ?? sdkBody(inner) ?? (isSomething(status) ? message : error);
  return { status: readNumber(status ?? statusCode) ?? STATUS_WHERE_NONE, body: readBodyText(said, message) };
}

/** OpenAI's SDK keeps the error out of its envelope, Anthropic's the whole body; both as parsed JSON. */
function sdkBody(inner: unknown): unknown {
  if (!isSomething(inner)) return undefined;
  return typeof inner === "string" || isSomething(read(inner, ["error"]).error) ? inner : { error: inner };
}

function isSomething(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

function readNumber(status: unknown): number | undefined {
  const number = typeof status === "string" ? Number(status) : status;
  return typeof number === "number" && Number.isInteger(number) ? number : undefined;
}

/** A text as it is, a parsed body as JSON again; an `Error` has its words in none of its own fields. */
function readBodyText(said: unknown, message: unknown): string {
  if (typeof said === "string") return said;
  const words = readSafely(() => (said instanceof Error ? said.message : JSON.stringify(said))) ?? message;
  return typeof words === "string" ? words : "";
}

async function responseAnswer(response: Response, signal?: AbortSignal): Promise<ProviderError | undefined> {
  try {
    return await readBeginning(response, signal);
  } catch {
    return undefined;
  }
}

/** The beginning of a response's body, read from a copy: the response stays the caller's to read. */
async function readBeginning(response: Response, signal: AbortSignal | undefined): Promise<ProviderError> {
  const { status } = response;
  if (response.bodyUsed || response.body?.locked === true) return { status, body: "" };
  const reader = response.clone().body?.getReader();
  if (reader === undefined) return { status, body: "" };
  const decoder = new TextDecoder();
  let body = "";
  let bytes = 0;
  const stop = (): void => void reader.cancel().catch(() => undefined);
  const timer = setTimeout(stop, RESPONSE_WAIT_MS);
  signal?.addEventListener("abort", stop, { once: true });
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
    signal?.removeEventListener("abort", stop);
    stop();
  }
  return { status, body };
}

/** What the provider answered, where the error of a client library has a status that tells. */
export function describedAnswer(error: unknown): ProviderError | undefined {
  const { status, statusCode } = read(error, ["status", "statusCode"]);
  return readNumber(status ?? statusCode) === undefined ? undefined : readAnswer(error);
}

/** These fields of an object, those left out that it lacks or that cannot be read. */
function read<Name extends string>(value: unknown, names: readonly Name[]): { readonly [One in Name]?: unknown } {
  if (typeof value !== "object" || value === null) return {};
  const fields: { [One in Name]?: unknown } = {};
  for (const name of names) fields[name] = readSafely(() => (value as { readonly [One in Name]?: unknown })[name]);
  return fields;
}

/** A provider's answer to a refused request. */
export interface ProviderError {
  readonly status: number;
  readonly body: string;
}

/** The overflow that an error reports; `undefined` when it reports something else. */
export function overflowOf({ status, body }: ProviderError): Overflow | undefined {
  for (const protocol of Object.values(protocols)) {
    const overflow = protocol.overflow(status, body);
    if (overflow !== undefined) return overflow;
  }
  return undefined;
}

export function readSafely<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
