/** The sentences with which both OpenAI protocols refuse the form of a request. */
import { type Fields, blocksOf, textOf } from "../fields.ts";
import { OPENAI_MEDIA_LIMITS, openaiMediaLimits } from "../openai-vendor.ts";

export const BODY_BYTES_MAX = OPENAI_MEDIA_LIMITS.bodyBytes;
export const TOO_LARGE: Refusal = {
  status: 413,
  reason: "size",
  message: "The request body is too large.",
  code: "request_too_large",
};

export function missing(param: string): Refusal {
  return invalid("shape", `Missing required parameter: '${param}'.`, { param, code: "missing_required_parameter" });
}

export function emptyArray(param: string, reason: Reason = "empty"): Refusal {
  return invalid(
    reason,
    `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    { param, code: "empty_array" },
  );
}

export function notOneOf(param: string, value: unknown, known: readonly string[], reason: Reason): Refusal {
  const all = known.map((one) => `'${one}'`);
  const list = all.length < 3 ? all.join(" and ") : `${all.slice(0, -1).join(", ")}, and ${all.at(-1)}`;
  return invalid(reason, `Invalid value: '${String(value)}'. Supported values are: ${list}.`, {
    param,
    code: "invalid_value",
  });
}

export function tooLong(param: string, text: string, charsMax: number): Refusal {
  return invalid(
    "ids",
    `Invalid '${param}': string too long. Expected a string with maximum length ${charsMax}, but got a string with length ${text.length} instead.`,
    { param, code: "string_above_max_length" },
  );
}

export function wrongType(param: string, expected: string, value: unknown): Refusal {
  const found = value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
  return invalid("shape", `Invalid type for '${param}': expected ${expected}, but got ${found} instead.`, {
    param,
    code: "invalid_type",
  });
}

/** Clients and models write what they like, but what a model is shown again has to be readable. */
export function brokenArguments(param: string): Refusal {
  return invalid("arguments", `Invalid '${param}': expected a string that holds valid JSON.`, {
    param,
    code: "invalid_json",
  });
}

const PICTURES = ["image_url", "input_image"];

/** `contents`: of messages and of results. */
export function checkPictures({ model }: Fields, contents: readonly unknown[]): Refusal | undefined {
  const { images: most = Infinity } = openaiMediaLimits(textOf(model)) ?? {};
  const pictures = contents
    .flatMap((content) => blocksOf(content))
    .filter(({ type }) => PICTURES.includes(String(type)));
  return pictures.length > most ? invalid("size", `Too many images in request. Max is ${most}.`) : undefined;
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export function checkName(name: unknown, param: string): Refusal | undefined {
  if (typeof name !== "string") return missing(param);
  if (NAME.test(name)) return undefined;
  return invalid(
    "shape",
    `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    { param, code: "invalid_value" },
  );
}

/** What a refusal is about; the account counts by it. */
export type Reason =
  | "authentication"
  | "route"
  | "size"
  | "encoding"
  | "json"
  | "version"
  | "model"
  | "shape"
  | "roles"
  | "pairing"
  | "ids"
  | "arguments"
  | "empty"
  | "markers"
  | "thinking"
  | "reasoning"
  | "state"
  | "thread"
  | "compaction"
  | "window"
  | "fault";

/** An answer other than 2xx, in words that each protocol puts into its own body. */
export interface Refusal {
  readonly status: number;
  readonly reason: Reason;
  /** The vendor's sentence. */
  readonly message: string;
  /** The vendor's name for the error where its status does not tell it. */
  readonly type?: string;
  /** OpenAI's `code` and `param`. */
  readonly code?: string;
  readonly param?: string;
  /** Anthropic's `details`, with the code that clients go by. */
  readonly details?: Fields;
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole body, where it is not the protocol's own but another server's. */
  readonly body?: string;
}

export function invalid(reason: Reason, message: string, more: Pick<Refusal, "code" | "param"> = {}): Refusal {
  return { status: 400, reason, message, ...more };
}

export function firstRefusal<Item>(
  items: readonly Item[],
  check: (item: Item, at: number) => Refusal | undefined,
): Refusal | undefined {
  for (let at = 0; at < items.length; at++) {
    const refusal = check(items[at]!, at);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
