/**
 * Tells from a provider's error that a request was too large, and reads the window it names. Servers that speak one
 * protocol are many, so one table serves all three; each line says who says it.
 */
import type { Fields } from "./dialect.ts";
import { countOf, fieldsOf, parsed, textOf } from "./fields.ts";
import type { Overflow } from "./protocol.ts";

/** Longer error texts are pages of a proxy; what matters stands at their start. */
const MAX_EXAMINED_CHARS = 16_384;

/** Statuses under which a size in the text means something else: who asks, or how often. */
const OTHER_FAILURES = new Set([401, 402, 403, 404, 429]);

const N = String.raw`(\d[\d,]*)`;
const phrase = (source: string): RegExp => new RegExp(source, "i");

interface Saying {
  readonly says: RegExp;
  /** Which captured number is the limit, and which make up the request. */
  readonly limit?: number;
  readonly requested?: readonly number[];
}

const CONTEXT_SAYINGS: readonly Saying[] = [
  // Anthropic: "prompt is too long: 213462 tokens > 200000 maximum"
  { says: phrase(`prompt is too long: ${N} tokens > ${N} maximum`), requested: [1], limit: 2 },
  { says: phrase("prompt is too long") },
  // Anthropic: "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"
  { says: phrase(String.raw`exceed context limit: ${N} \+ ${N} > ${N}`), requested: [1, 2], limit: 3 },
  { says: phrase("exceed context limit") },
  // OpenAI, vLLM, OpenRouter: "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens."
  // and "… However, you requested about 5000 tokens (4000 of text input, 1000 in the output)."
  {
    says: phrase(
      `maximum context length is ${N} tokens\\. however, (?:you requested|your messages resulted in|your request has)(?: about)? ${N}`,
    ),
    limit: 1,
    requested: [2],
  },
  { says: phrase(`maximum context length is ${N}`), limit: 1 },
  { says: phrase("maximum context length") },
  // OpenAI: "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 305127 tokens."
  {
    says: phrase(`input tokens exceed the configured limit of ${N} tokens\\. your messages resulted in ${N}`),
    limit: 1,
    requested: [2],
  },
  { says: phrase(`input tokens exceed the configured limit of ${N}`), limit: 1 },
  { says: phrase("input tokens exceed the configured limit") },
  // OpenAI Responses: "Your input exceeds the context window of this model. Please adjust your input and try again."
  { says: phrase("exceeds the context window") },
  // Gemini: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."
  {
    says: phrase(String.raw`input token count \(?${N}\)? exceeds the maximum number of tokens allowed \(?${N}`),
    requested: [1],
    limit: 2,
  },
  // xAI: "This model's maximum prompt length is 131072 but the request contains 537812 tokens."
  { says: phrase(`maximum prompt length is ${N} but the request contains ${N}`), limit: 1, requested: [2] },
  // GitHub Copilot: "prompt token count of 140000 exceeds the limit of 128000"
  { says: phrase(`prompt token count of ${N} exceeds the limit of ${N}`), requested: [1], limit: 2 },
  // Moonshot: "Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)"
  { says: phrase(String.raw`exceeded model token limit: ${N} \(requested: ${N}`), limit: 1, requested: [2] },
  { says: phrase(`exceeded model token limit: ${N}`), limit: 1 },
  // Mistral: "Prompt contains 40000 tokens … too large for model with 32768 maximum context length"
  { says: phrase(`too large for model with ${N} maximum`), limit: 1 },
  // Qwen on DashScope: "Range of input length should be [1, 258048]"
  { says: phrase(String.raw`range of input length should be \[1, ${N}\]`), limit: 1 },
  // Amazon Bedrock: "Input is too long for requested model."
  { says: phrase("input is too long for requested model") },
  // llama.cpp: "the request exceeds the available context size, try increasing it"
  { says: phrase("exceeds the available context size") },
  // LM Studio: "… tokens to keep from the initial prompt is greater than the context length"
  { says: phrase("greater than the context length") },
  // Ollama: "the input length exceeds the context length"
  { says: phrase("input length exceeds the context length") },
  // MiniMax: "invalid params, context window exceeds limit"
  { says: phrase("context window exceeds limit") },
  // Groq: "Please reduce the length of the messages or completion."
  { says: phrase("reduce the length of the messages") },
];

/** Codes that mean the window, whatever the text says (OpenAI; llama.cpp; Anthropic as a stop reason, after HTTP 200). */
const CONTEXT_CODES = new Set([
  "context_length_exceeded",
  "exceed_context_size_error",
  "model_context_window_exceeded",
]);
/** Codes that mean bytes (Anthropic; OpenAI for one string of more than 10 MB). */
const PAYLOAD_CODES = new Set(["request_too_large", "string_above_max_length"]);
const PAYLOAD_STATUS = 413;
/** A text without an error object counts only under a status that says failure. */
const FIRST_ERROR_STATUS = 400;

/** What the answer says about size. `bodyText` is the response body, or one stream event's data. */
export function overflowOf(status: number, bodyText: string): Overflow | undefined {
  if (OTHER_FAILURES.has(status)) return undefined;
  const failure = readFailure(bodyText.slice(0, MAX_EXAMINED_CHARS), status);
  if (failure.code === "rate_limit_exceeded") return undefined;
  const said = firstSaying(failure.text);
  if (said !== undefined || CONTEXT_CODES.has(failure.code)) return { kind: "context", ...said, ...failure.counts };
  return status === PAYLOAD_STATUS || PAYLOAD_CODES.has(failure.code) ? { kind: "payload" } : undefined;
}

type Counts = Pick<Overflow, "limitTokens" | "requestedTokens">;

interface Failure {
  readonly code: string;
  readonly text: string;
  readonly counts: Counts;
}

function readFailure(text: string, status: number): Failure {
  const body = fieldsOf(parsed(text));
  const response = fieldsOf(body["response"]);
  const error = [body["error"], response["error"]].map(fieldsOf).find((one) => Object.keys(one).length > 0) ?? body;
  const stopReason = textOf(body["stop_reason"]) ?? textOf(fieldsOf(body["delta"])["stop_reason"]);
  const code = stopReason ?? textOf(error["code"]) ?? textOf(error["type"]) ?? "";
  const failed = error !== body || body["type"] === "error" || status >= FIRST_ERROR_STATUS;
  return { code, text: failed ? messageOf(error, text) : "", counts: countsOf(error) };
}

/** The error's message with what a router quotes from its provider; the whole text where there is no message. */
function messageOf(error: Fields, text: string): string {
  const message = textOf(error["message"]) ?? textOf(error["error"]);
  const quoted = textOf(fieldsOf(error["metadata"])["raw"]) ?? "";
  return message === undefined ? text : `${message} ${quoted}`;
}

/** llama.cpp gives its counts beside the message. */
function countsOf(error: Fields): Counts {
  const [limit, requested] = [countOf(error["n_ctx"]), countOf(error["n_prompt_tokens"])];
  return {
    ...(limit === undefined ? {} : { limitTokens: limit }),
    ...(requested === undefined ? {} : { requestedTokens: requested }),
  };
}

function firstSaying(text: string): Counts | undefined {
  for (const { says, limit, requested } of CONTEXT_SAYINGS) {
    const match = says.exec(text);
    if (match === null) continue;
    const number = (at: number): number => Number((match[at] ?? "0").replaceAll(",", ""));
    return {
      ...(limit === undefined ? {} : { limitTokens: number(limit) }),
      ...(requested === undefined ? {} : { requestedTokens: requested.reduce((sum, at) => sum + number(at), 0) }),
    };
  }
  return undefined;
}
