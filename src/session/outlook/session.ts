/**
 * What precis would have done to one recorded session: each of its requests goes through a real session runtime from the
 * size on at which a compaction could be due, and what was compacted is held against what the session did next.
 */
import type { CompactionReport } from "../../core/compaction/compaction.ts";
import type { EngineSettings } from "../../core/engines/settings.ts";
import type { RedactOptions } from "../../core/redaction/redact.ts";
import { createRedactor, type Redactor } from "../../core/redaction/redactor.ts";
import { createMeasure, type Measure } from "../../core/transcript/measure.ts";
import { contentText, type Message, type Transcript, callsOf } from "../../core/transcript/message.ts";
import { type Prices, costOf } from "../../models/ai-sdk.ts";
import type { RuntimeOptions } from "../contract.ts";
import { createRuntime } from "../runtime.ts";
import { described } from "../../core/digest/call.ts";

const MINUTE_MS = 60_000;
const SHORT_TTL_MS = 5 * MINUTE_MS;
const LONG_TTL_MS = 60 * MINUTE_MS;
/** From this share of the threshold on, requests go through the runtime; below it nothing can be due. */
const PREPARED_FROM_SHARE = 0.8;
/** A result of this size is worth a digest as it arrives. */
export const LARGE_RESULT_TOKENS = 8_000;

interface RecordedSession {
  readonly transcript: Transcript;
  readonly timesMs?: readonly (number | undefined)[] | undefined;
}

interface OutlookTerms {
  readonly engine: NonNullable<RuntimeOptions["engine"]>;
  readonly settings: Partial<EngineSettings>;
  readonly windowTokens: number;
  readonly prices: Prices | undefined;
  /** This model's tokens for one of our estimator's. */
  readonly factor: number;
  /** System prompt and tools, which session files do not hold. */
  readonly promptTokens: number;
  readonly secrets: RedactOptions;
}

export interface OutlookCompaction {
  /** The request that would have gone out smaller, from 1. */
  readonly request: number;
  readonly atMs: number | undefined;
  readonly report: CompactionReport;
  readonly later: LaterUse;
  /** The handoff, secrets masked. */
  readonly handoff: string;
}

interface Sums {
  readonly inputTokens: number;
  readonly usd: number | undefined;
}

export interface SessionOutlook {
  readonly requests: number;
  readonly messages: number;
  readonly startedAtMs: number | undefined;
  readonly windowTokens: number;
  readonly thresholdTokens: number;
  /** The largest request: as the agent sent it, and with precis. */
  readonly largest: { readonly without: number; readonly with: number };
  readonly without: Sums;
  readonly with: Sums;
  /** With precis and a cache that is paid to last an hour; absent without prices. */
  readonly withLongCacheUsd: number | undefined;
  /** Compactions that the agent itself made. */
  readonly agentCompactions: number;
  readonly compactions: readonly OutlookCompaction[];
  readonly largeResults: { readonly count: number; readonly tokens: number };
}

export async function sessionOutlook(recorded: RecordedSession, terms: OutlookTerms): Promise<SessionOutlook> {
  const { transcript, timesMs = [] } = recorded;
  const measure = createMeasure();
  const rounds = roundsOf(transcript.messages);
  const walk = createWalk(transcript, terms, measure);
  let end = 0;
  for (const [at, round] of rounds.entries()) {
    end += round.said.length;
    await walk.ask({ request: at + 1, end, atMs: lastTime(timesMs, end), round });
    end += round.answer.length;
  }
  return {
    requests: rounds.length,
    messages: transcript.messages.length,
    startedAtMs: timesMs.find((one) => one !== undefined),
    windowTokens: terms.windowTokens,
    agentCompactions: transcript.messages.filter(({ origin }) => origin === "summary").length,
    largeResults: largeResults(transcript.messages, measure, terms.factor),
    ...walk.result(),
  };
}

interface ReplayedRequest {
  readonly request: number;
  /** The request holds the messages before this index. */
  readonly end: number;
  readonly atMs: number | undefined;
  readonly round: Round;
}

/** Where the two ways through the session are, request after request. */
interface Position {
  /** The conversation begins at this message: the agent began anew from a summary of its own there. */
  readonly start: number;
  /** Tokens of the request before. */
  readonly tokens: number;
}

function createWalk(transcript: Transcript, terms: OutlookTerms, measure: Measure) {
  const { factor, windowTokens, settings, engine, secrets } = terms;
  const runtime = createRuntime({
    engine,
    factor,
    secrets,
    settings: { note: "handoff", ...settings, contextLength: windowTokens - terms.promptTokens },
  });
  const { thresholdTokens } = runtime.report();
  const fixed = terms.promptTokens + measure.messages(transcript.system) * factor;
  const weigh = (messages: readonly Message[]): number => measure.messages(messages) * factor;
  const sizes = cumulative(transcript.messages, measure, factor);
  const redact = createRedactor(secrets);
  const meters = metersFor(terms);
  const compactions: OutlookCompaction[] = [];
  const largest = { without: 0, with: 0 };
  let without: Position = { start: 0, tokens: 0 };
  let withPrecis = { start: 0, tokens: 0, removed: 0, compacted: false };

  /** Tokens at the beginning that stay as they were, and what is sent. */
  const prepared = async ({ request, end, atMs }: ReplayedRequest): Promise<number> => {
    const { start } = withPrecis;
    const prefix = { ...transcript, messages: transcript.messages.slice(start, end) };
    const { compaction, transcript: sent } = await runtime.prepare(prefix);
    withPrecis.removed = sizes[end]! - sizes[start]! - weigh(sent.messages);
    if (compaction === undefined) return withPrecis.tokens;
    withPrecis.compacted = true;
    const { report, after } = compaction;
    const later = laterUse({ messages: transcript.messages, end, sent: sent.messages, redact });
    const handoff = contentText(after.find(({ origin }) => origin === "summary")?.parts ?? []);
    compactions.push({ request, atMs, report, later, handoff });
    return fixed + report.parts.head * factor;
  };

  const ask = async (replayed: ReplayedRequest): Promise<void> => {
    const { end, atMs, round } = replayed;
    const start = lastSummary(transcript.messages, end);
    // An agent that precis keeps small does not compact by itself; what it did before is as it was.
    if (start > withPrecis.start && !withPrecis.compacted)
      withPrecis = { start, tokens: fixed, removed: 0, compacted: false };
    const unchanged = {
      without: start === without.start ? without.tokens : fixed,
      with:
        fixed + sizes[end]! - sizes[withPrecis.start]! - withPrecis.removed >= thresholdTokens * PREPARED_FROM_SHARE
          ? await prepared(replayed)
          : withPrecis.tokens,
    };
    const tokens = {
      without: fixed + sizes[end]! - sizes[start]!,
      with: fixed + sizes[end]! - sizes[withPrecis.start]! - withPrecis.removed,
    };
    const outputTokens = weigh(round.answer);
    const request = { outputTokens, atMs };
    meters.without.ask({ ...request, tokens: tokens.without, unchangedTokens: unchanged.without });
    meters.with.ask({ ...request, tokens: tokens.with, unchangedTokens: unchanged.with });
    meters.withLong.ask({ ...request, tokens: tokens.with, unchangedTokens: unchanged.with });
    largest.without = Math.max(largest.without, Math.round(tokens.without));
    largest.with = Math.max(largest.with, Math.round(tokens.with));
    without = { start, tokens: tokens.without };
    withPrecis = { ...withPrecis, tokens: tokens.with };
  };
  const result = () => ({ thresholdTokens, largest, compactions, ...sumMeters(meters) });
  return { ask, result };
}

type Meters = Readonly<Record<"without" | "with" | "withLong", Meter>>;

function metersFor({ prices }: OutlookTerms): Meters {
  const long = prices?.cacheWrite1hUsdPerMtok;
  const hourly = prices === undefined || long === undefined ? undefined : { ...prices, cacheWrite5mUsdPerMtok: long };
  return {
    without: createMeter({ prices, ttlMs: SHORT_TTL_MS }),
    with: createMeter({ prices, ttlMs: SHORT_TTL_MS }),
    withLong: createMeter({ prices: hourly, ttlMs: LONG_TTL_MS }),
  };
}

function sumMeters(meters: Meters): Pick<SessionOutlook, "without" | "with" | "withLongCacheUsd"> {
  return { without: readMeter(meters.without), with: readMeter(meters.with), withLongCacheUsd: meters.withLong.usd() };
}

function readMeter({ inputTokens, usd }: Meter): Sums {
  return { inputTokens: Math.round(inputTokens()), usd: usd() };
}

/** Tokens of the messages before each index, in the model's tokens. */
function cumulative(messages: readonly Message[], measure: Measure, factor: number): readonly number[] {
  const sizes = [0];
  for (const message of messages) sizes.push(sizes.at(-1)! + measure.message(message) * factor);
  return sizes;
}

/** Where the agent began anew from a summary of its own; 0 where it did not yet. */
function lastSummary(messages: readonly Message[], end: number): number {
  for (let at = end - 1; at > 0; at--) if (messages[at]!.origin === "summary") return at;
  return 0;
}

function lastTime(timesMs: readonly (number | undefined)[], end: number): number | undefined {
  for (let at = Math.min(end, timesMs.length) - 1; at >= 0; at--) if (timesMs[at] !== undefined) return timesMs[at];
  return undefined;
}

function largeResults(messages: readonly Message[], measure: Measure, factor: number): SessionOutlook["largeResults"] {
  const sizes = messages.filter(({ role }) => role === "tool").map((one) => measure.message(one) * factor);
  const large = sizes.filter((tokens) => tokens >= LARGE_RESULT_TOKENS);
  return { count: large.length, tokens: Math.round(large.reduce((sum, tokens) => sum + tokens, 0)) };
}

/** What a session's requests cost while a cache keeps what was sent last: each reads what is unchanged and writes the rest. */
interface AskedRequest {
  readonly tokens: number;
  readonly outputTokens: number;
  /** Tokens at its beginning that the request before began with too. */
  readonly unchangedTokens: number;
  readonly atMs: number | undefined;
}

interface Meter {
  readonly ask: (request: AskedRequest) => void;
  /** Tokens of all requests. */
  readonly inputTokens: () => number;
  readonly usd: () => number | undefined;
}

interface MeterTerms {
  readonly prices: Prices | undefined;
  readonly ttlMs: number;
}

/** A simple cache: one conversation, everything that is sent is written. `precis-eval replay` has the vendors' rules. */
function createMeter({ prices, ttlMs }: MeterTerms): Meter {
  let [inputTokens, usd, held] = [0, 0, 0];
  let last: number | undefined;
  const ask = ({ tokens, outputTokens, unchangedTokens, atMs }: AskedRequest): void => {
    const expired = last !== undefined && atMs !== undefined && atMs - last >= ttlMs;
    const cacheReadTokens = expired ? 0 : Math.min(unchangedTokens, held, tokens);
    const cacheWriteTokens = tokens - cacheReadTokens;
    inputTokens += tokens;
    if (prices !== undefined)
      usd += costOf({ inputTokens: tokens, outputTokens, cacheReadTokens, cacheWriteTokens }, prices);
    [held, last] = [tokens, atMs ?? last];
  };
  return { ask, inputTokens: () => inputTokens, usd: () => (prices === undefined ? undefined : usd) };
}

/** What follows a compaction: as many messages of the agent are looked at. */
const LATER_MESSAGES_MAX = 40;
const IDENTIFIERS_MAX = 80;
const MISSING_SHOWN_MAX = 8;

interface LaterUse {
  readonly used: number;
  /** Of these, still in what would have been sent. */
  readonly held: number;
  /** Some that are not. */
  readonly missing: readonly string[];
}

interface LaterUseParts {
  readonly messages: readonly Message[];
  /** The compacted request holds the messages before this index. */
  readonly end: number;
  readonly sent: readonly Message[];
  /** A secret is no identifier to show. */
  readonly redact: Redactor;
}

function laterUse({ messages, end, sent, redact }: LaterUseParts): LaterUse {
  const before = messages.slice(0, end).map(spokenText).join("\n");
  const kept = sent.map(spokenText).join("\n");
  const later = messages
    .slice(end)
    .filter(({ role }) => role === "assistant")
    .slice(0, LATER_MESSAGES_MAX);
  const used = [...new Set(later.flatMap((message) => listNames(redact(spokenText(message)))))]
    .filter((id) => before.includes(id))
    .slice(0, IDENTIFIERS_MAX);
  const missing = used.filter((id) => !kept.includes(id));
  return { used: used.length, held: used.length - missing.length, missing: missing.slice(0, MISSING_SHOWN_MAX) };
}

const NAME = /[\p{L}\p{N}_][\p{L}\p{N}_./@-]{4,200}[\p{L}\p{N}_]/gu;
/** A digit, an underscore, a slash, a dot before a letter, or a capital inside. */
const SPECIFIC = /[\p{N}_/]|\.\p{L}|\p{Ll}\p{Lu}/u;

/** Names that are a work's own, by their form: paths, symbols, numbers and hashes. */
function listNames(text: string): readonly string[] {
  return (text.match(NAME) ?? []).filter((name) => SPECIFIC.test(name));
}

function spokenText(message: Message): string {
  // Decoded: an escape such as `\t` in the JSON of a call would pass for a letter of what follows it.
  const calls = callsOf(message).flatMap((call) => described(call).values);
  return [contentText(message.parts), ...calls].join("\n");
}

/** Left over the longest answer, because each server counts in its own way. */
const OUTPUT_ROOM = 1.5;
const MAX_OUTPUT_TOKENS_MIN = 1_000;

export interface Round {
  readonly said: readonly Message[];
  readonly answer: readonly Message[];
}

/** What was said before each turn of the model, and the turn. What comes after the last is never sent. */
export function roundsOf(messages: readonly Message[]): readonly Round[] {
  const rounds: { said: Message[]; answer: Message[] }[] = [];
  let said: Message[] = [];
  for (const message of messages) {
    if (message.role !== "assistant") said.push(message);
    else if (said.length === 0 && rounds.length > 0) rounds.at(-1)!.answer.push(message);
    else {
      rounds.push({ said, answer: [message] });
      said = [];
    }
  }
  return rounds;
}

/** Tokens that a request reserves for its answer: what the longest recorded one needs, with room. */
export function outputNeeded(rounds: readonly Round[]): number {
  const measure = createMeasure();
  const largest = rounds.reduce((most, { answer }) => Math.max(most, measure.messages(answer)), 0);
  return Math.max(MAX_OUTPUT_TOKENS_MIN, Math.ceil(largest * OUTPUT_ROOM));
}
