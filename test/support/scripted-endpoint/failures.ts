/** How providers say that they failed: status, headers and body, in each protocol's own shape. */
import type { Asked, WireProtocol } from "./wire.ts";

export interface Refused {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a text goes out as it is. */
  readonly body: unknown;
}

/** Failures with a status; those of the connection and of the answer's form are steps of the script. */
export type FailureName =
  | "authentication"
  | "forbidden"
  | "payment-required"
  | "insufficient-quota"
  | "low-balance"
  | "rate"
  | "server-error"
  | "bad-gateway"
  | "unavailable"
  | "overloaded"
  | "content-filter"
  | "no-such-model"
  | "too-large"
  | "unknown-parameter"
  | "overflow";

interface Said {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Seconds that a rate limit asks to wait. */
export const RETRY_AFTER_SECONDS = 7;

const OPENAI: Readonly<Record<Exclude<FailureName, "overflow">, Said>> = {
  authentication: said(401, "invalid_request_error", "Incorrect API key provided: KEY.", "invalid_api_key"),
  forbidden: said(403, "request_forbidden", "Country, region, or territory not supported", "unsupported_country"),
  "payment-required": said(402, "invalid_request_error", "Insufficient credits. Add more and retry.", "402"),
  "insufficient-quota": said(429, "insufficient_quota", "You exceeded your current quota.", "insufficient_quota"),
  "low-balance": said(429, "billing_hard_limit_reached", "Billing hard limit has been reached.", "billing_hard_limit"),
  rate: {
    ...said(429, "requests", "Rate limit reached for requests.", "rate_limit_exceeded"),
    headers: { "retry-after": String(RETRY_AFTER_SECONDS) },
  },
  "server-error": said(500, "server_error", "The server had an error while processing your request.", null),
  "bad-gateway": said(502, "", "<html><head><title>502 Bad Gateway</title></head></html>", null),
  unavailable: said(503, "server_error", "The engine is currently overloaded, please try again later.", null),
  overloaded: said(529, "overloaded_error", "Overloaded", null),
  "content-filter": said(
    400,
    "invalid_request_error",
    "The response was filtered due to the prompt triggering the content management policy.",
    "content_filter",
  ),
  "no-such-model": said(
    404,
    "invalid_request_error",
    "The model `gpt-0` does not exist or you do not have access to it.",
    "model_not_found",
  ),
  "too-large": said(413, "invalid_request_error", "Request body is too large.", null),
  "unknown-parameter": said(
    400,
    "invalid_request_error",
    "Unsupported parameter: 'max_tokens'.",
    "unsupported_parameter",
  ),
};

const ANTHROPIC: Readonly<Record<Exclude<FailureName, "overflow">, Said>> = {
  authentication: said(401, "authentication_error", "invalid x-api-key: KEY"),
  forbidden: said(403, "permission_error", "Your API key does not have permission to use the specified resource."),
  "payment-required": said(402, "billing_error", "There is an issue with your billing."),
  "insufficient-quota": said(402, "billing_error", "You have reached your specified API usage limits."),
  "low-balance": said(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
  rate: {
    ...said(429, "rate_limit_error", "This request would exceed your organization's rate limit."),
    headers: { "retry-after": String(RETRY_AFTER_SECONDS) },
  },
  "server-error": said(500, "api_error", "Internal server error"),
  "bad-gateway": OPENAI["bad-gateway"],
  unavailable: said(503, "api_error", "Service unavailable"),
  overloaded: said(529, "overloaded_error", "Overloaded"),
  "content-filter": said(400, "invalid_request_error", "Output blocked by content filtering policy"),
  "no-such-model": said(404, "not_found_error", "model: claude-0"),
  "too-large": said(413, "request_too_large", "Request exceeds the maximum allowed number of bytes."),
  "unknown-parameter": said(400, "invalid_request_error", "max_token: Extra inputs are not permitted"),
};

function said(status: number, type: string, message: string, code: string | null = null): Said {
  return { status, type, code, message };
}

/** `key` is quoted back by the messages of a wrong key, as providers do. */
export function refusalOf(name: FailureName, asked: Asked, windowTokens: number): Refused {
  if (name === "overflow") return overflow(asked, windowTokens);
  const one = asked.protocol === "anthropic-messages" ? ANTHROPIC[name] : OPENAI[name];
  const key = asked.headers["x-api-key"] ?? asked.headers["authorization"]?.replace("Bearer ", "") ?? "none";
  const message = one.message.replace("KEY", key);
  const body = one.type === "" ? message : errorBody(asked.protocol, { ...one, message });
  return { status: one.status, body, ...(one.headers === undefined ? {} : { headers: one.headers }) };
}

function errorBody(protocol: WireProtocol, { type, code, message }: Said): unknown {
  return protocol === "anthropic-messages"
    ? { type: "error", error: { type, message }, request_id: "req_scripted" }
    : { error: { message, type, param: null, code } };
}

function overflow(asked: Asked, windowTokens: number): Refused {
  const { protocol, inputTokens, maxOutputTokens = 0 } = asked;
  const whole = inputTokens + maxOutputTokens;
  const message =
    protocol === "anthropic-messages"
      ? inputTokens > windowTokens
        ? `prompt is too long: ${inputTokens} tokens > ${windowTokens} maximum`
        : `input length and \`max_tokens\` exceed context limit: ${inputTokens} + ${maxOutputTokens} > ${windowTokens}, decrease input length or \`max_tokens\` and try again`
      : `This model's maximum context length is ${windowTokens} tokens. However, you requested ${whole} tokens (${inputTokens} in the messages, ${maxOutputTokens} in the completion). Please reduce the length of the messages or completion.`;
  const code = protocol === "anthropic-messages" ? null : "context_length_exceeded";
  return { status: 400, body: errorBody(protocol, said(400, "invalid_request_error", message, code)) };
}
