/**
 * How long a breakpoint of OpenAI's cache lives at least (its SDK 7.57.0 of 13 November 2026, `prompt_cache_options` and
 * `prompt_cache_breakpoint`): 30 minutes or 12 hours, a breakpoint's own or the request's. A request of Chat has the shorter
 * one only.
 */
import { fieldsOf, isFields, type Fields } from "../../../src/protocols/fields.ts";
import { type Block } from "../contract.ts";
import { firstRefusal, type Refusal, notOneOf } from "../../../src/protocols/request-form/openai-refusals.ts";

const MINUTE_MS = 60_000;
const TTL_MS: Readonly<Record<string, number>> = { "30m": 30 * MINUTE_MS, "12h": 12 * 60 * MINUTE_MS };
const SHORTEST = "30m";

export const CHAT_TTLS: readonly string[] = [SHORTEST];
export const RESPONSES_TTLS: readonly string[] = Object.keys(TTL_MS);

export function requestTtlMs(body: Fields): number {
  return ttlMsOf(fieldsOf(body["prompt_cache_options"])["ttl"]);
}

function ttlMsOf(ttl: unknown): number {
  return TTL_MS[String(ttl ?? SHORTEST)] ?? TTL_MS[SHORTEST]!;
}

/** What a part of a message says of its own end. */
export function breakpointIn(part: Fields): Pick<Block, "marker" | "ttlMs"> {
  const breakpoint = part["prompt_cache_breakpoint"];
  if (!isFields(breakpoint)) return {};
  const own = breakpoint["ttl"] === undefined ? {} : { ttlMs: ttlMsOf(breakpoint["ttl"]) };
  return { marker: "5m", ...own };
}

interface Breakpoints {
  /** Lifetimes that a request of this protocol may ask for. */
  readonly ttls: readonly string[];
  readonly parts: readonly Fields[];
}

export function checkLifetimes(body: Fields, { ttls, parts }: Breakpoints): Refusal | undefined {
  const { ttl } = fieldsOf(body["prompt_cache_options"]);
  return (
    checkTtl(ttl, "prompt_cache_options.ttl", ttls) ??
    firstRefusal(parts, (part) =>
      checkTtl(fieldsOf(part["prompt_cache_breakpoint"])["ttl"], "prompt_cache_breakpoint.ttl", RESPONSES_TTLS),
    )
  );
}

function checkTtl(ttl: unknown, param: string, known: readonly string[]): Refusal | undefined {
  if (ttl === undefined || ttl === null || known.includes(String(ttl))) return undefined;
  return notOneOf(param, ttl, known, "markers");
}
