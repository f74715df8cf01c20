/** What every key has asked for, been refused, been given and would have paid. */
import { hash } from "node:crypto";
import type { Prices } from "../../src/models/index.ts";
import type { CacheKind } from "./traits.ts";
import type { TokenUse } from "./contract.ts";
import type { Reason } from "../../src/protocols/request-form/openai-refusals.ts";
import type { FaultKind } from "./faults.ts";

export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Of what was written, what Anthropic keeps for five minutes and for an hour. */
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
}

export interface KeyAccount {
  readonly requests: number;
  readonly answered: number;
  readonly rejected: Readonly<Partial<Record<Reason, number>>>;
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  /** Clients that hung up before they had their answer. */
  readonly aborted: number;
  readonly tokens: Tokens;
  /** US dollars; 0 for models whose prices are not known. */
  readonly usd: number;
}

export interface Account {
  readonly total: KeyAccount;
  /** By a name made from the key, never the key itself. */
  readonly keys: Readonly<Record<string, KeyAccount>>;
}

export interface Bill {
  readonly use: TokenUse;
  readonly outputTokens: number;
  readonly usd: number;
}

export interface AccountBook {
  readonly request: (key: string) => void;
  readonly reject: (key: string, reason: Reason) => void;
  readonly fault: (key: string, kind: FaultKind) => void;
  readonly answer: (key: string, bill: Bill) => void;
  /** What was sent until then is paid for. */
  readonly abort: (key: string, bill: Bill) => void;
  readonly account: () => Account;
}

const EMPTY: KeyAccount = Object.freeze({
  requests: 0,
  answered: 0,
  rejected: {},
  faults: {},
  aborted: 0,
  tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite5m: 0, cacheWrite1h: 0 },
  usd: 0,
});

const KEY_NAME_HEX = 8;

export function keyName(key: string): string {
  return `key-${hash("sha256", key).slice(0, KEY_NAME_HEX)}`;
}

export function createAccountBook(): AccountBook {
  const keys = new Map<string, KeyAccount>();
  let total = EMPTY;
  const change = (key: string, next: (before: KeyAccount) => KeyAccount): void => {
    keys.set(key, next(keys.get(key) ?? EMPTY));
    total = next(total);
  };
  return {
    request: (key) => change(key, (one) => ({ ...one, requests: one.requests + 1 })),
    reject: (key, reason) => change(key, (one) => ({ ...one, rejected: counted(one.rejected, reason) })),
    fault: (key, kind) => change(key, (one) => ({ ...one, faults: counted(one.faults, kind) })),
    abort: (key, bill) => change(key, (one) => ({ ...billed(one, bill), aborted: one.aborted + 1 })),
    answer: (key, bill) => change(key, (one) => ({ ...billed(one, bill), answered: one.answered + 1 })),
    account: () => ({ total, keys: Object.fromEntries(keys) }),
  };
}

function counted<Name extends string>(
  counts: Readonly<Partial<Record<Name, number>>>,
  name: Name,
): Readonly<Partial<Record<Name, number>>> {
  return { ...counts, [name]: (counts[name] ?? 0) + 1 };
}

function billed(one: KeyAccount, bill: Bill): KeyAccount {
  return { ...one, tokens: added(one.tokens, bill), usd: one.usd + bill.usd };
}

function added(tokens: Tokens, { use, outputTokens }: Bill): Tokens {
  return {
    input: tokens.input + use.inputTokens,
    output: tokens.output + outputTokens,
    cacheRead: tokens.cacheRead + use.cacheReadTokens,
    cacheWrite: tokens.cacheWrite + use.cacheWrite5mTokens + use.cacheWrite1hTokens + use.cacheWriteTokens,
    cacheWrite5m: tokens.cacheWrite5m + use.cacheWrite5mTokens,
    cacheWrite1h: tokens.cacheWrite1h + use.cacheWrite1hTokens,
  };
}

/** Of the price of input (Anthropic's prompt caching docs, 2026-11). */
const READ_SHARE = 0.1;
const WRITE_5M_SHARE = 1.25;
const WRITE_1H_SHARE = 2;
const MTOK = 1_000_000;

/** US dollars; prices that are not stated follow from that of input. Writing is free where a cache is automatic. */
export function dollars(
  use: TokenUse,
  outputTokens: number,
  priced: { readonly prices: Prices; readonly cache: CacheKind },
): number {
  const { prices, cache } = priced;
  const input = prices.inputUsdPerMtok;
  const write = prices.cacheWrite5mUsdPerMtok ?? input * WRITE_5M_SHARE;
  const written = use.cacheWrite5mTokens + use.cacheWrite1hTokens + use.cacheWriteTokens;
  const paid =
    (use.inputTokens - use.cacheReadTokens - written) * input +
    use.cacheReadTokens * (prices.cacheReadUsdPerMtok ?? input * READ_SHARE) +
    (use.cacheWrite5mTokens + use.cacheWriteTokens) * (cache === "automatic" ? input : write) +
    use.cacheWrite1hTokens * (prices.cacheWrite1hUsdPerMtok ?? input * WRITE_1H_SHARE);
  const long = use.inputTokens > (prices.longPrompt?.aboveTokens ?? Infinity) ? prices.longPrompt : undefined;
  return (paid * (long?.inputFactor ?? 1) + outputTokens * prices.outputUsdPerMtok * (long?.outputFactor ?? 1)) / MTOK;
}
