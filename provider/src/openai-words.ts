/** The sentences that both OpenAI protocols say in the same way. */
import {
  BODY_BYTES_MAX,
  missing,
  TOO_LARGE,
  invalid,
  type Refusal,
} from "../../src/protocols/request-form/openai-refusals.ts";
import { MODEL_CREATED_MS, type ModelTraits } from "./traits.ts";
import type { FaultWords, ModelListForm } from "./wire.ts";
import { type Prompt } from "./contract.ts";
import { type Fields } from "../../src/protocols/fields.ts";

const KEYLESS: Refusal = {
  status: 401,
  reason: "authentication",
  message:
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
};

function notJson(): Refusal {
  return invalid(
    "json",
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
  );
}

function noModel(name: unknown): Refusal {
  if (typeof name !== "string") return missing("model");
  return {
    status: 404,
    reason: "model",
    message: `The model \`${name}\` does not exist or you do not have access to it.`,
    code: "model_not_found",
  };
}

const ERROR_TYPES: Readonly<Record<number, string>> = { 429: "requests", 500: "server_error", 503: "server_error" };

export function errorBody({ status, type, message, param, code }: Refusal): Fields {
  return {
    error: {
      message,
      type: type ?? ERROR_TYPES[status] ?? "invalid_request_error",
      param: param ?? null,
      code: code ?? null,
    },
  };
}

function requestHeaders(requestId: string): Readonly<Record<string, string>> {
  return { "x-request-id": requestId };
}

/** What a vendor's window has no room for. `requested` is put together by the protocol. */
export function isOver({ inputTokens, maxOutputTokens = 0 }: Prompt, windowTokens: number): boolean {
  return inputTokens + maxOutputTokens > windowTokens;
}

const FAULT_WORDS: FaultWords = {
  "rate-limit": {
    status: 429,
    message: "Rate limit reached for requests. Please try again later.",
    code: "rate_limit_exceeded",
  },
  "server-error": {
    status: 500,
    message: "The server had an error while processing your request. Sorry about that!",
  },
  overloaded: { status: 503, message: "The engine is currently overloaded, please try again later." },
};

const MS = 1_000;

const MODELS: ModelListForm = {
  entry: (_, id) => ({ id, object: "model", created: MODEL_CREATED_MS / MS, owned_by: "precis" }),
  list: (data) => ({ object: "list", data }),
};

/** What of a `Wire` is the same for both. */
export const OPENAI_WORDS = Object.freeze({
  keyless: KEYLESS,
  notJson,
  noModel,
  errorBody,
  requestHeaders,
  keyOf: (headers: Headers): string => bearerOf(headers),
  models: MODELS,
  faultWords: FAULT_WORDS,
  bodyBytesMax: BODY_BYTES_MAX,
  tooLarge: TOO_LARGE,
  callIdLead: "call",
  cacheOf: ({ openaiCache }: ModelTraits) => openaiCache,
  counted: (inputTokens: number): Fields => ({ input_tokens: inputTokens }),
});

/** The key that an authorization header brings. */
export function bearerOf(headers: Headers): string {
  return /^Bearer (\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
}
