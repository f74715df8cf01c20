/**
 * A language model as a handoff's writer: one prompt in, an answer or a classed failure out. Waiting is bounded as a
 * whole, retries included; a key is sent where the settings point and appears nowhere else.
 */
import { defined } from "../core/defined.ts";
import { redact } from "../core/redaction/redact.ts";
import type {
  Writer,
  WriterFailure,
  WriterPrompt,
  WriterReply,
  WriterUsage,
  FailureClass,
} from "../core/handoff/model/writer.ts";
import { generate, type Generated, sumUsage, readUsage, type Prices } from "./ai-sdk.ts";
import {
  recordAnswers,
  type Recording,
  type Answer,
  asFields,
  asList,
  parsed,
  asWords,
  type Fields,
} from "./answers.ts";
import { ASK_RETRIES, ASK_TIMEOUT_MS } from "./settings.ts";
import { loadDialect, loadPackage, type LoadPackage, type Provider } from "./providers.ts";

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end);
  });
}

/** Ends of the addresses that requests go to; a base address has none of them. */
const ENDPOINT = /\/(?:chat\/completions|completions|responses|messages|models)\/?$/;
const VERSIONED = /\/v\d/;

/** The address that was probably meant; undefined if its shape says nothing. */
function meantAddress(baseUrl: string): string | undefined {
  const { origin, pathname } = new URL(baseUrl);
  if (ENDPOINT.test(pathname)) return origin + pathname.replace(ENDPOINT, "");
  return VERSIONED.test(pathname) ? undefined : `${origin}${pathname.replace(/(?<!\/)\/+$/, "")}/v1`;
}

/** The wait before the first retry, doubled before each further one, if the provider names no wait. */
const RETRY_PAUSE_MS = 500;
/** A provider that asks for a longer pause is not waited for. */
const RETRY_PAUSE_MS_MAX = 20_000;
const MESSAGE_CHARS_MAX = 300;

export interface WriterOptions {
  /** The model's name as its provider knows it. */
  readonly model: string;
  readonly provider: Provider;
  /** Instead of the provider's own. */
  readonly baseUrl?: string | undefined;
  readonly apiKey: string | undefined;
  /** The variable that should hold the key, as the message about its absence says. */
  readonly keyVariable: string;
  /** Input and output together. */
  readonly windowTokens: number;
  readonly maxOutputTokens?: number | undefined;
  /** For what the model thinks before it writes: added to the output asked for, and taken off the window. */
  readonly thinkingTokens?: number;
  readonly prices?: Prices | undefined;
  readonly timeoutMs?: number;
  readonly retries?: number;
  readonly overflow: ReadOverflow;
  readonly load?: LoadPackage;
  readonly fetch?: typeof fetch;
}

/** A language model that writes handoffs, reached through the AI SDK. Nothing is loaded or sent before it is asked. */
export function createWriter(options: WriterOptions): Writer {
  const { model, thinkingTokens = 0 } = options;
  const windowTokens = Math.max(1, options.windowTokens - thinkingTokens);
  return { model, windowTokens, ask: async (prompt, signal) => ask(options, prompt, signal) };
}

/** A writer whose settings lead nowhere: it answers every prompt with the reason. */
export function createUnconfigured(model: string, windowTokens: number, message: string): Writer {
  return {
    model,
    windowTokens,
    ask: async () => ({ kind: "failed", failure: { class: "unconfigured", message }, usage: NOTHING }),
  };
}

const NOTHING: WriterUsage = { inputTokens: 0, outputTokens: 0, requests: 0 };

async function ask(options: WriterOptions, prompt: WriterPrompt, signal?: AbortSignal): Promise<WriterReply> {
  signal?.throwIfAborted();
  const ready = await prepared(options);
  if ("lacking" in ready)
    return { kind: "failed", failure: { class: "unconfigured", message: ready.lacking }, usage: NOTHING };
  const recording = recordAnswers(options.fetch);
  const { timeoutMs = ASK_TIMEOUT_MS, retries = ASK_RETRIES } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  const until = performance.now() + timeoutMs;
  const stop = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
  const spent: WriterUsage[] = [];
  for (let attempt = 0; ; attempt++) {
    const outcome = await attemptOnce({ options, prompt, packages: ready, recording, stop });
    signal?.throwIfAborted();
    if (outcome.usage !== undefined) spent.push(outcome.usage);
    const usage = { ...sumUsage(spent), requests: recording.requests() };
    if (outcome.kind === "answered") return { kind: "answered", text: outcome.text, ended: outcome.ended, usage };
    const judgement = deadline.aborted ? timedOut(timeoutMs) : outcome.judgement;
    const wait = judgement.retryAfterMs ?? RETRY_PAUSE_MS * 2 ** attempt;
    const patient = wait <= RETRY_PAUSE_MS_MAX && performance.now() + wait < until;
    if (!judgement.again || attempt >= retries || !patient)
      return { kind: "failed", failure: describeFailure(judgement, options), usage };
    await pause(wait, stop);
    signal?.throwIfAborted();
  }
}

type Ready = { readonly ai: unknown; readonly provider: unknown } | { readonly lacking: string };

async function prepared(options: WriterOptions): Promise<Ready> {
  const { provider, apiKey, keyVariable, baseUrl = provider.baseUrl, load = loadPackage } = options;
  if (apiKey === undefined && provider.keyOptional !== true)
    return { lacking: `${provider.title} needs a key: set the environment variable ${keyVariable}` };
  if (baseUrl === undefined) return { lacking: `${provider.title} needs an address: set base_url` };
  const packages = await loadDialect(provider.dialect, load);
  return "missing" in packages ? { lacking: packages.missing } : packages;
}

interface Attempt {
  readonly options: WriterOptions;
  readonly prompt: WriterPrompt;
  readonly packages: { readonly ai: unknown; readonly provider: unknown };
  readonly recording: Recording;
  readonly stop: AbortSignal;
}

type Outcome =
  | { readonly kind: "answered"; readonly text: string; readonly ended: "stop" | "length"; readonly usage: WriterUsage }
  | { readonly kind: "failed"; readonly judgement: Judgement; readonly usage?: WriterUsage };

async function attemptOnce({ options, prompt, packages, recording, stop }: Attempt): Promise<Outcome> {
  const { model, provider, baseUrl = provider.baseUrl!, apiKey } = options;
  const { maxOutputTokens = Infinity, thinkingTokens = 0 } = options;
  let generated: Generated;
  try {
    generated = await generate(packages, {
      dialect: provider.dialect,
      model,
      baseUrl,
      apiKey,
      fetch: recording.fetch,
      system: prompt.system,
      user: prompt.user,
      maxOutputTokens: Math.min(prompt.maxOutputTokens + thinkingTokens, maxOutputTokens),
      signal: stop,
    });
  } catch (error) {
    return { kind: "failed", judgement: judgeThrown(recording.last(), error, options.overflow) };
  }
  const usage = readUsage(generated, prompt, {
    prices: options.prices,
    body: provider.name === "openrouter" ? recording.last()?.body : undefined,
  });
  const judgement = judgeGenerated(generated, recording.last()!, options.overflow);
  if (judgement !== undefined) return { kind: "failed", judgement, usage };
  return {
    kind: "answered",
    text: generated.text,
    ended: generated.finishReason === "length" ? "length" : "stop",
    usage,
  };
}

function timedOut(timeoutMs: number): Judgement {
  return { class: "timeout", said: `no answer within ${timeoutMs / 1_000} s`, again: false };
}

function describeFailure(judgement: Judgement, options: WriterOptions): WriterFailure {
  const { windowTokens, retryAfterMs } = judgement;
  const { provider, model, apiKey } = options;
  const meant =
    judgement.wrongAddress === true && options.baseUrl !== undefined ? meantAddress(options.baseUrl) : undefined;
  const hint = meant === undefined ? "" : `; nothing is at this address: set base_url to ${meant}`;
  return {
    class: judgement.class,
    message: `${oneLine(`${provider.title}, ${model}: ${judgement.said}`, apiKey)}${hint}`,
    ...defined({ windowTokens, retryAfterMs }),
  };
}

/** Redacted whole before it is cut, so that no half of a secret is left at the end. */
export function oneLine(text: string, apiKey: string | undefined): string {
  const keyless = apiKey === undefined || apiKey === "" ? text : text.replaceAll(apiKey, "[key]");
  const line = redact(keyless).text.replace(/\s+/g, " ").trim();
  return line.length > MESSAGE_CHARS_MAX ? `${line.slice(0, MESSAGE_CHARS_MAX - 1)}…` : line;
}

/** Why an attempt threw: no answer, a broken one, a failure, or a good one that is not in the protocol's shape. */
function judgeThrown(answer: Answer | undefined, error: unknown, overflow: ReadOverflow): Judgement {
  if (answer === undefined)
    return { class: "malformed", said: `the request was not made: ${String(error)}`, again: false };
  if (answer.unreachable !== undefined) return judgeConnection(answer.unreachable);
  if (answer.broken !== undefined) return { class: "malformed", said: answer.broken, again: true };
  return judgeStatus(answer, overflow) ?? { class: "malformed", said: misshapen(answer), again: true };
}

/** What is wrong with an answer that reads well as such. */
function judgeGenerated(generated: Generated, answer: Answer, overflow: ReadOverflow): Judgement | undefined {
  const { text, finishReason } = generated;
  const refused = readRefusal(answer.body);
  if (finishReason === "content-filter" || refused !== undefined)
    return { class: "refusal", said: refused ?? "the provider's content filter stopped the answer", again: false };
  if (overflow(answer.status, answer.body) !== undefined)
    return { class: "overflow", said: "the model's window was full before its answer ended", again: false };
  const error = judgeStatus(answer, overflow);
  if (error !== undefined || text.trim() !== "") return error;
  const cut = finishReason === "length";
  const said = cut ? "the output limit was reached before any text" : "an answer without text";
  return { class: "malformed", said, again: !cut };
}

/** Routers and the Responses API may answer 200 and say in an error object what the status would have been. */
function judgeStatus(answer: Answer, overflow: ReadOverflow): Judgement | undefined {
  if (answer.status < 200 || answer.status > 299) return judgeAnswer(answer, overflow);
  const error = readError(answer.body);
  if (error === undefined) return undefined;
  return judgeAnswer({ ...answer, status: findStatus(error) ?? answer.status }, overflow);
}

const STATUS_OF_CODES: readonly (readonly [RegExp, number])[] = [
  [/rate_limit/, 429],
  [/authentication|invalid_api_key/, 401],
  [/server_error|api_error|overloaded|unavailable/, 503],
];

function findStatus(error: Fields): number | undefined {
  const said = error["code"] ?? error["status"];
  const status = Number(said);
  if (status >= 300 && status < 600) return status;
  const words = `${String(said)} ${String(error["type"])}`;
  return STATUS_OF_CODES.find(([code]) => code.test(words))?.[1];
}

function misshapen({ status, body }: Answer): string {
  const what = body.trim() === "" ? "nothing" : parsed(body) === undefined ? "no JSON" : "JSON of an unknown shape";
  return `HTTP ${status} with ${what}`;
}

/** A refusal in a field of its own: next to the content in Chat, as a part of the message in Responses. */
function readRefusal(body: string): string | undefined {
  const json = asFields(parsed(body));
  const [choice] = asList(json["choices"]);
  const message = asFields(asFields(choice)["message"]);
  const parts = asList(json["output"]).flatMap((item) => asList(asFields(item)["content"]));
  const refusals = [message, ...parts].map((one) => asWords(asFields(one)["refusal"]));
  return refusals.find((one) => one !== undefined);
}

/** Whether an error says that the request was too large, and the window it names (`protocols` knows how it is said). */
export type ReadOverflow = (status: number, body: string) => { readonly limitTokens?: number } | undefined;

export interface Judgement {
  readonly class: FailureClass;
  /** What happened, in the provider's words if it has some; not yet bounded or redacted. */
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
  if (status === 429) return judged("rate", true, readRetryAfter(headers));
  if (NO_MODEL.test(both)) return judged("unconfigured");
  if (status === 404 || status === 405) return judged("unconfigured", false, { wrongAddress: true });
  if (status >= 300 && status < 400)
    return judged("unconfigured", false, { said: `HTTP ${status}: a redirect, which is not followed; set base_url` });
  if (status === 408) return judged("timeout");
  if (status >= 500) return judged("network", true, readRetryAfter(headers));
  return judged("malformed");
}

function judgeConnection(cause: unknown): Judgement {
  const code = innermostCode(cause);
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_CONNECT_TIMEOUT")
    return { class: "timeout", said: `no answer (${code})`, again: false };
  return { class: "network", said: `no connection (${code ?? "fetch failed"})`, again: true };
}

/** The stable code of the innermost error that has one; messages may quote addresses. */
function innermostCode(cause: unknown): string | undefined {
  let code: string | undefined;
  for (let at = cause; at instanceof Error; at = at.cause) {
    const own = (at as Error & { code?: unknown }).code;
    if (typeof own === "string") code = own;
  }
  return code;
}

/** The error object of an answer, or of its one choice (OpenRouter); undefined if there is none. */
function readError(body: string): Fields | undefined {
  const fields = asFields(parsed(body));
  if (typeof fields["error"] === "string") return { message: fields["error"] };
  const [choice] = asList(fields["choices"]);
  const errors = [fields["error"], asFields(choice)["error"]].map(asFields);
  return errors.find((error) => Object.keys(error).length > 0);
}

function errorWords(body: string): Words {
  const json = asFields(parsed(body));
  const error = readError(body) ?? json;
  const raw = asFields(error["metadata"])["raw"];
  const text = [error["message"] ?? error["detail"], raw].filter((one) => typeof one === "string").join(" ");
  const codes = [error["code"], error["type"], error["status"], asFields(error["innererror"])["code"]];
  return {
    code: codes
      .filter((one) => typeof one === "string")
      .join(" ")
      .toLowerCase(),
    message: text.slice(0, EXAMINED_CHARS_MAX),
  };
}

/** `retry-after-ms` (OpenAI) is exact; `retry-after` is in seconds, or a date, which is left alone. */
function readRetryAfter(headers: Headers): Partial<Judgement> {
  const exact = Number(headers.get("retry-after-ms") ?? Number.NaN);
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  const wait = Number.isFinite(exact) ? exact : seconds * 1_000;
  return Number.isFinite(wait) && wait >= 0 ? { retryAfterMs: Math.round(wait) } : {};
}
