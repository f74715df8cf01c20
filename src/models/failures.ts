/**
 * What a failed answer means, by what can be done about it. Read from the status, the error object and the text that
 * the providers really send; each line says who says it.
 */
import type { FailureClass } from "../core/handoff/model/writer.ts";
import { type Answer, fieldsOf, listOf, parsed, type Fields } from "./answers.ts";

/** Whether an error says that the request was too large, and the window it names (`protocols` knows how it is said). */
export type ReadOverflow = (status: number, body: string) => { readonly limitTokens?: number } | undefined;

export interface Judgement {
  readonly class: FailureClass;
  /** What happened, in the provider's words where it has some; not yet bounded or redacted. */
  readonly said: string;
  /** Whether the same request may well succeed at once. */
  readonly again: boolean;
  readonly windowTokens?: number;
  readonly retryAfterMs?: number;
  /** There is a server, and nothing at this address of it. */
  readonly wrongAddress?: true;
}

/** An error's own words, whichever shape it has. */
interface Words {
  /** Codes and types together, lower case. */
  readonly code: string;
  readonly message: string;
}

/** Error texts are examined as far as this. */
const EXAMINED_CHARS_MAX = 4_000;

/** OpenAI, Anthropic, OpenRouter (`moderation`), Azure (`content management policy`), and their codes. */
const FILTERED =
  /content[ _-]?(?:filter|management policy|policy)|responsibleaipolicy|usage polic|requires moderation|invalid_prompt|output blocked/i;
/** OpenAI (`insufficient_quota`, `billing_hard_limit_reached`), Anthropic (`billing_error`, credit balance), OpenRouter (credits). */
const UNPAID =
  /insufficient_quota|exceeded your current quota|billing|credit balance|insufficient (?:credits|balance|funds)/i;
/** OpenAI, OpenRouter, Ollama (`try pulling it first`), LM Studio and vLLM. */
const NO_MODEL =
  /model_not_found|no such model|not a valid model|model\b.{0,120}\b(?:not found|does not exist|not exist)|no models? loaded|no endpoints found/i;

/** Reads an answer with a status of failure, or a 200 whose body is an error object. */
export function judgeAnswer(answer: Answer, overflow: ReadOverflow): Judgement {
  const { status, headers, body } = answer;
  const words = errorWords(body);
  const both = `${words.code} ${words.message}`;
  const said = `HTTP ${status}${words.message === "" ? "" : `: ${words.message}`}`;
  const judged = (kind: FailureClass, again = false, more: Partial<Judgement> = {}): Judgement => {
    return { class: kind, said, again, ...more };
  };
  const large = overflow(status, body);
  if (large !== undefined)
    return judged("overflow", false, large.limitTokens === undefined ? {} : { windowTokens: large.limitTokens });
  if (status === 402 || UNPAID.test(both)) return judged("quota");
  if (status !== 401 && status < 500 && FILTERED.test(both)) return judged("refusal");
  if (status === 401 || status === 403) return judged("authentication");
  if (status === 429) return judged("rate", true, retryAfterOf(headers));
  if (NO_MODEL.test(both)) return judged("unconfigured");
  if (status === 404 || status === 405) return judged("unconfigured", false, { wrongAddress: true });
  if (status >= 300 && status < 400)
    return judged("unconfigured", false, { said: `HTTP ${status}: a redirect, which is not followed; set base_url` });
  if (status === 408) return judged("timeout");
  if (status >= 500) return judged("network", true, retryAfterOf(headers));
  return judged("malformed");
}

/** Reads why no answer came at all. */
export function judgeConnection(cause: unknown): Judgement {
  const code = codeOf(cause);
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_CONNECT_TIMEOUT")
    return { class: "timeout", said: `no answer (${code})`, again: false };
  return { class: "network", said: `no connection (${code ?? "fetch failed"})`, again: true };
}

/** The stable code of the innermost error that has one; messages may quote addresses. */
function codeOf(cause: unknown): string | undefined {
  let code: string | undefined;
  for (let at = cause; at instanceof Error; at = at.cause) {
    const own = (at as Error & { code?: unknown }).code;
    if (typeof own === "string") code = own;
  }
  return code;
}

/** The error object of an answer, or of its one choice (OpenRouter); undefined where there is none. */
export function errorIn(body: string): Fields | undefined {
  const fields = fieldsOf(parsed(body));
  if (typeof fields["error"] === "string") return { message: fields["error"] };
  const [choice] = listOf(fields["choices"]);
  const errors = [fields["error"], fieldsOf(choice)["error"]].map(fieldsOf);
  return errors.find((error) => Object.keys(error).length > 0);
}

function errorWords(body: string): Words {
  const json = fieldsOf(parsed(body));
  const error = errorIn(body) ?? json;
  const raw = fieldsOf(error["metadata"])["raw"];
  const text = [error["message"] ?? error["detail"], raw].filter((one) => typeof one === "string").join(" ");
  const codes = [error["code"], error["type"], error["status"], fieldsOf(error["innererror"])["code"]];
  return {
    code: codes
      .filter((one) => typeof one === "string")
      .join(" ")
      .toLowerCase(),
    message: text.slice(0, EXAMINED_CHARS_MAX),
  };
}

/** `retry-after-ms` (OpenAI) is exact; `retry-after` is in seconds, or a date, which is left alone. */
function retryAfterOf(headers: Headers): Partial<Judgement> {
  const exact = Number(headers.get("retry-after-ms") ?? Number.NaN);
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  const wait = Number.isFinite(exact) ? exact : seconds * 1_000;
  return Number.isFinite(wait) && wait >= 0 ? { retryAfterMs: Math.round(wait) } : {};
}
