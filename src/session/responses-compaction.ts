/**
 * The provider's own compaction as an effect for engines: OpenAI's `POST /responses/compact`. It returns the user's
 * messages and one item that only the provider can read; that item is taken as it is, byte for byte.
 */
import type { Remote, RemoteItem } from "../core/engines/contract.ts";
import { PrecisError } from "../core/errors.ts";
import type { Transcript } from "../core/transcript/message.ts";
import { costOf, type Prices } from "../models/ai-sdk.ts";
import { fieldsOf, parsed, textOf } from "../protocols/fields.ts";
import { objectText, elementTexts, memberText } from "../protocols/json.ts";
import { protocols } from "../protocols/index.ts";
import { unlessAborted } from "./time-limit.ts";

export interface ResponsesCompactionOptions {
  /** Where the endpoint is, for example `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Authorization among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The model that compacts: the one that will read the item. */
  readonly model: string;
  /** What the model costs, for the report. */
  readonly prices?: Prices | undefined;
  readonly fetch?: typeof globalThis.fetch;
}

/** What the endpoint answered. */
export interface CompactAnswer {
  readonly status: number;
  readonly body: string;
}

export interface AskCompaction {
  readonly model: string;
  readonly prices?: Prices | undefined;
  /** The request that the conversation is, as JSON; the endpoint is sent what it takes of it. */
  readonly request: (transcript: Transcript) => string;
  readonly send: (body: string, signal: AbortSignal | undefined) => Promise<CompactAnswer>;
}

/** A longer answer is no compaction. */
export const COMPACT_ANSWER_CHARS_MAX = 16_000_000;

/** What the endpoint takes (`openai` 6, `ResponseCompactParams`); it refuses other parameters, tools among them. */
const PARAMETERS = [
  "model",
  "input",
  "instructions",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "service_tier",
] as const;

/** Rejects with `remote_compaction_failed` where the provider does not answer with an item. */
export function responsesCompaction(options: ResponsesCompactionOptions): Remote {
  const { baseUrl, headers, model, prices, fetch = globalThis.fetch } = options;
  const url = `${baseUrl.replace(/\/$/, "")}/responses/compact`;
  const responses = protocols["openai-responses"];
  const empty = JSON.stringify({ model, input: [] });
  return askCompaction({
    model,
    prices,
    request: (transcript) => responses.splice(responses.decode(empty), transcript),
    send: async (body, signal) => {
      const answer = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
        ...(signal === undefined ? {} : { signal }),
      });
      return { status: answer.status, body: await answer.text() };
    },
  });
}

/** The same by any way of sending. Rejects with `remote_compaction_failed`, or as `send` does. */
export function askCompaction({ model, prices, request, send }: AskCompaction): Remote {
  return async (transcript, signal) => {
    const whole = request(transcript);
    const body = objectText(Object.fromEntries(PARAMETERS.map((name) => [name, memberText(whole, name)])));
    const { status, body: answer } = await send(body, signal);
    if (status < 200 || status > 299)
      throw notCompacted(`the provider answered ${status}${readErrorCode(answer)}`, status === 429 || status >= 500);
    const item = findItem(answer);
    if (item === undefined) throw notCompacted("the answer of the provider contains no compaction item");
    return { ...item, model, ...readUsage(answer, prices) };
  };
}

/** For a conversation that no provider can be asked to compact: rejects with the reason. */
export function unavailableRemote(because: string): Remote {
  return () => Promise.reject(notCompacted(because));
}

/** Of an error, its code: a message may quote what was sent. */
function readErrorCode(answer: string): string {
  const code = textOf(fieldsOf(fieldsOf(parsed(answer))["error"])["code"]) ?? "";
  return /^[\w.-]{1,64}$/.test(code) ? ` (${code})` : "";
}

/** As the API names the item, and as ChatGPT's own server does. */
const ITEM_TYPES = ["compaction", "compaction_summary"];

function findItem(answer: string): Pick<RemoteItem, "type" | "raw"> | undefined {
  if (answer.length > COMPACT_ANSWER_CHARS_MAX || !answer.trimStart().startsWith("{")) return undefined;
  const output = memberText(answer, "output");
  if (output?.startsWith("[") !== true) return undefined;
  const items = elementTexts(output).map((raw) => ({ raw, type: textOf(parsed(memberText(raw, "type") ?? "null")) }));
  const found = items.findLast(({ type }) => type !== undefined && ITEM_TYPES.includes(type));
  return found?.type === undefined ? undefined : { type: found.type, raw: found.raw };
}

function readUsage(answer: string, prices: Prices | undefined): Pick<RemoteItem, "usage"> {
  const used = protocols["openai-responses"].usage(parsed(answer));
  if (used === undefined) return {};
  const { input: inputTokens, output: outputTokens, cacheRead: cacheReadTokens, cacheWrite: cacheWriteTokens } = used;
  const spent = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
  return {
    usage: { inputTokens, outputTokens, ...(prices === undefined ? {} : { costUsd: costOf(spent, prices) }) },
  };
}

export function notCompacted(because: string, retryable = false): PrecisError {
  return new PrecisError(because, {
    code: "remote_compaction_failed",
    retryable,
    hint: "The engine writes the handoff itself; check the address, the key and the model of the endpoint.",
  });
}

/** The same effect, given up after so long: an agent is not kept waiting for it. */
export function withinTime(remote: Remote, waitMs: number): Remote {
  return async (transcript, signal) => {
    const deadline = AbortSignal.timeout(waitMs);
    const stop = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
    // An effect may not heed its signal.
    return unlessAborted(stop, remote(transcript, stop), () => {
      throw notCompacted(`no answer within ${waitMs / 1_000} s`, true);
    });
  };
}
