/**
 * Recognises from a provider's error that a request was too large, and reads the window it names. Servers that speak one
 * protocol are many, so one table of sayings serves all three.
 */
import { defined } from "../core/defined.ts";
import { type Fields, countOf, fieldsOf, parsed, textOf } from "./fields.ts";
import { CONTEXT_PATTERNS, MEDIA_PATTERNS, RATE_LIMIT_PATTERN, type OverflowPattern } from "./overflow-patterns.ts";
import type { Overflow } from "./protocol.ts";

/** Longer error texts are pages of a proxy; what matters is at their start. */
const MAX_EXAMINED_CHARS = 16_384;
/** An error that quotes much of its request has to be read whole, to tell the one from the other. */
const PARSED_CHARS_MAX = 1_048_576;
/** And so it does in a message, which every saying is looked for in. */
const MESSAGE_CHARS_MAX = 4_096;

/** Statuses under which a size in the text means something else: who asks, or how often. */
const NOT_FOUND_STATUS = 404;
const OTHER_FAILURES = new Set([401, 402, 403, NOT_FOUND_STATUS, 429]);

/** A smaller window is not believed: no model that agents use has one, and nothing useful could be sent to it. */
export const WINDOW_TOKENS_MIN = 2_000;

/** Codes that mean the window, whatever the text says. */
const CONTEXT_CODES = new Set([
  // OpenAI, Azure, Groq
  "context_length_exceeded",
  // llama.cpp
  "exceed_context_size_error",
  // Anthropic and Z.ai, as a stop reason after HTTP 200
  "model_context_window_exceeded",
  // GitHub Copilot
  "model_max_prompt_tokens_exceeded",
  // GitHub Models
  "tokens_limit_reached",
  // Zhipu: "Prompt exceeds max length"
  "1261",
]);
/** Codes that mean bytes (Anthropic; OpenAI for one string of more than 10 MB). */
const PAYLOAD_CODES = new Set(["request_too_large", "string_above_max_length"]);
const PAYLOAD_STATUS = 413;
/** A text without an error object counts only under a status that says failure. */
const FIRST_ERROR_STATUS = 400;

/** One string that is too long for its field, such as a name, is no payload; OpenAI's texts may have 10 MB. */
const SHORT_FIELD = /maximum length (\d{1,5})\b/;

export function overflowOf(status: number, bodyText: string): Overflow | undefined {
  const failure = readFailure(bodyText, status);
  const rated = readPattern(RATE_LIMIT_PATTERN, failure.text);
  if (rated !== undefined) return isAbove(rated) ? { kind: "context", ...believed(rated) } : undefined;
  const isMedia = MEDIA_PATTERNS.some((says) => says.test(failure.text));
  if (isMedia && status === NOT_FOUND_STATUS) return { kind: "payload" };
  if (OTHER_FAILURES.has(status) || failure.codes.includes("rate_limit_exceeded")) return undefined;
  const said = firstPattern(failure.text);
  if (said !== undefined || failure.codes.some((code) => CONTEXT_CODES.has(code))) {
    return { kind: "context", ...believed({ ...said, ...failure.counts }) };
  }
  const isPayload = failure.codes.some((code) => PAYLOAD_CODES.has(code)) && !SHORT_FIELD.test(failure.text);
  return status === PAYLOAD_STATUS || isPayload || isMedia ? { kind: "payload" } : undefined;
}

type Counts = Pick<Overflow, "limitTokens" | "requestedTokens" | "outputTokens">;

function isAbove({ limitTokens = 0, requestedTokens = 0 }: Counts): boolean {
  return requestedTokens > limitTokens;
}

/** Nothing where the window cannot be one: what is said beside it is no better. */
function believed(counts: Counts): Counts {
  return (counts.limitTokens ?? Infinity) < WINDOW_TOKENS_MIN ? {} : counts;
}

interface Failure {
  readonly codes: readonly string[];
  /** In lower case. */
  readonly text: string;
  readonly counts: Counts;
}

function readFailure(text: string, status: number): Failure {
  const value = text.length <= PARSED_CHARS_MAX ? parsed(text) : undefined;
  // Google's servers answer with a list of one error.
  const body = fieldsOf(Array.isArray(value) ? value[0] : value);
  const response = fieldsOf(body["response"]);
  const error = [body["error"], response["error"]].map(fieldsOf).find((one) => Object.keys(one).length > 0) ?? body;
  const stopReasons = [body["stop_reason"], fieldsOf(body["delta"])["stop_reason"]];
  const codes = [...stopReasons, error["code"], error["type"]].flatMap((code) => textOf(code) ?? []);
  const failed = error !== body || body["type"] === "error" || status >= FIRST_ERROR_STATUS;
  const message = failed ? findMessage(error, value, text).slice(0, MESSAGE_CHARS_MAX).toLowerCase() : "";
  return { codes, text: ownWords(message), counts: readCounts(error) };
}

/**
 * The error's message with what a router quotes from its provider; where there is none, what is under the names that
 * servers give it, and the whole text where that is no JSON.
 */
function findMessage(error: Fields, value: unknown, text: string): string {
  const message = textOf(error["message"]) ?? textOf(error["error"]);
  const quoted = textOf(fieldsOf(error["metadata"])["raw"]) ?? "";
  if (message !== undefined) return `${message} ${quoted}`;
  return value === undefined ? text.slice(0, MAX_EXAMINED_CHARS) : listMessages(value, MESSAGE_DEPTH_MAX).join(" ");
}

/** FastAPI's validation errors are a list under `detail`, each with its `msg`, and the client's own `input` beside it. */
const MESSAGE_NAMES = ["message", "msg", "error", "errors", "detail", "details", "reason", "title", "description"];
const MESSAGE_DEPTH_MAX = 4;

function listMessages(value: unknown, depth: number): readonly string[] {
  if (typeof value === "string") return [value];
  if (depth === 0) return [];
  if (Array.isArray(value)) return value.flatMap((one) => listMessages(one, depth - 1));
  const fields = fieldsOf(value);
  return MESSAGE_NAMES.flatMap((name) => listMessages(fields[name], depth - 1));
}

/** Pydantic, and servers that print its errors, end with what the client sent. */
const CLIENTS_INPUT = /["']input\\*["']\s*:|\binput_value=/;
/** What precedes a quoted error, in JSON, in Python's notation, or escaped. */
const QUOTED_ERROR = String.raw`["']?\b(?:message|msg|error|detail|reason|exception|raw)\\*["']?\s*[:=]\s*\\*`;
const IN_DOUBLE_QUOTES = new RegExp(`(${QUOTED_ERROR})?"[^"]*"`, "g");
/** An apostrophe has a letter on both of its sides. */
const IN_SINGLE_QUOTES = new RegExp(String.raw`(${QUOTED_ERROR})?(?<!\w)'(?:[^']|'(?=\w))*'(?!\w)`, "g");

const unquoted = (quoted: string, leads: string | undefined): string => (leads === undefined ? " … " : quoted);

/** Without what it quotes of the request: a conversation may speak of windows too. An error that it quotes is its own. */
function ownWords(message: string): string {
  const end = message.search(CLIENTS_INPUT);
  const own = end < 0 ? message : message.slice(0, end);
  return own.replaceAll(IN_DOUBLE_QUOTES, unquoted).replaceAll(IN_SINGLE_QUOTES, unquoted);
}

/** llama.cpp gives its counts beside the message. */
function readCounts(error: Fields): Counts {
  const [limit, requested] = [countOf(error["n_ctx"]), countOf(error["n_prompt_tokens"])];
  return {
    ...defined({ limitTokens: limit, requestedTokens: requested }),
  };
}

function firstPattern(text: string): Counts | undefined {
  for (const saying of CONTEXT_PATTERNS) {
    const counts = readPattern(saying, text);
    if (counts !== undefined) return counts;
  }
  return undefined;
}

function readPattern({ says, limit, requested, output }: OverflowPattern, text: string): Counts | undefined {
  const match = says.exec(text);
  if (match === null) return undefined;
  const number = (at: number): number => Number((match[at] ?? "0").replaceAll(",", ""));
  return {
    ...(limit === undefined ? {} : { limitTokens: number(limit) }),
    ...(requested === undefined ? {} : { requestedTokens: requested.reduce((sum, at) => sum + number(at), 0) }),
    ...(output === undefined ? {} : { outputTokens: number(output) }),
  };
}
