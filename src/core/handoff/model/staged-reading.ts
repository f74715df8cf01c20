/**
 * Asks one model for the record of a span: in one prompt where it fits the model's window, else stage by stage, each
 * bringing the record of those before it up to date. An overflow teaches the window, and the span is folded again.
 */
import type { Section } from "../templates.ts";
import type { Writer, WriterFailure, WriterReply } from "./writer.ts";
import { readAnswer, type Answer } from "./answer.ts";
import { recordText, type AskedSection, type Items } from "./asked.ts";
import { objectionTo, type Objection } from "./judge.ts";
import { promptText, SYSTEM, type LiveMessage } from "./prompt.ts";
import { stagesOf, type Span } from "./source.ts";
import { within } from "./former-record.ts";

/** Zhang 2026, section 13: room above the handoff's budget. */
const OUTPUT_BUDGET_FACTOR = 1.3;
/** Of the model's window; a small one must also read. */
const OUTPUT_WINDOW_SHARE_MAX = 0.25;
/** Another tokenizer may count more than our estimate. */
const ESTIMATE_MARGIN_FACTOR = 1.2;
/** Role, separators and wrapping of a request. */
const REQUEST_OVERHEAD_TOKENS = 64;
/** With less to read at a time, a record is not worth asking for. */
const SOURCE_TOKENS_MIN = 400;
/** A larger window is not filled. */
const SOURCE_TOKENS_MAX = 400_000;
/** Of what is left in the window beside instructions and answer. */
const RECORD_SHARE_MAX = 0.35;
export const STAGES_MAX = 6;
/** How often a span is folded again after an overflow. */
const REFOLDS_MAX = 2;
/** A window that overflows although the prompt was to fit it is taken for smaller by this factor. */
const OVERFLOW_SHRINK_FACTOR = 0.6;

export interface FoldRequest {
  readonly span: Span;
  /** The record to bring up to date; empty for a first one. */
  readonly record: Items;
  readonly template: readonly Section[];
  readonly asked: readonly AskedSection[];
  readonly budget: number;
  /** How long the record is to be. */
  readonly targetTokens: number;
  readonly live: LiveMessage | undefined;
  /** What stays after the span word for word. */
  readonly following: string;
  readonly focus?: string;
  readonly allowed: Allowance;
  readonly signal?: AbortSignal;
}

export interface Allowance {
  /** Requests, retries included. */
  readonly calls: number;
  /** In and out together. */
  readonly tokens: number;
  /** Where the price is known. */
  readonly costUsd: number;
}

export interface StageUsage {
  readonly calls: number;
  readonly tokens: { readonly input: number; readonly output: number };
  /** Absent where a price is not known. */
  readonly costUsd?: number;
}

/** What of the answers, of all stages, does not stand as it was written. */
interface Flaws {
  readonly cutOff: boolean;
  /** Lines left out because an answer was cut off in them. */
  readonly torn: number;
  /** Whether there were secrets, which are masked. */
  readonly masked: boolean;
}

export type StagedAnswer = StageUsage & {
  readonly windowTokens?: number;
} & (
    | ({ readonly kind: "answered"; readonly answer: Answer } & Flaws)
    | { readonly kind: "failed"; readonly failure: WriterFailure }
    | { readonly kind: "rejected"; readonly objection: Objection }
  );

export const NOTHING_SPENT: StageUsage = { calls: 0, tokens: { input: 0, output: 0 }, costUsd: 0 };

export async function fold(writer: Writer, request: FoldRequest): Promise<StagedAnswer> {
  let windowTokens = writer.windowTokens;
  let spent = NOTHING_SPENT;
  for (let refolds = 0; ; refolds++) {
    const pass = await foldOnce(writer, { ...request, allowed: leftOf(request.allowed, spent) }, windowTokens);
    spent = plus(spent, pass);
    const learned = windowTokens === writer.windowTokens ? {} : { windowTokens };
    const overflow =
      pass.kind === "failed" && pass.failure.class === "overflow" && pass.calls > 0 ? pass.failure : undefined;
    if (overflow === undefined || refolds >= REFOLDS_MAX || isSpent(leftOf(request.allowed, spent)))
      return { ...pass, ...spent, ...learned };
    const named = overflow.windowTokens ?? Infinity;
    windowTokens = named < windowTokens ? named : Math.floor(windowTokens * OVERFLOW_SHRINK_FACTOR);
  }
}

async function foldOnce(writer: Writer, request: FoldRequest, windowTokens: number): Promise<StagedAnswer> {
  const { span, asked, allowed } = request;
  const room = roomIn(windowTokens, request);
  if (room.sourceTokens < SOURCE_TOKENS_MIN) return tooSmall(windowTokens);
  const affordable = Math.floor(allowed.tokens / (room.sourceTokens + room.recordTokens + room.outputTokens));
  const stages = stagesOf(span, room.sourceTokens, Math.max(1, Math.min(STAGES_MAX, allowed.calls, affordable)));
  let record = request.record;
  let spent = NOTHING_SPENT;
  let flaws: Flaws = { cutOff: false, torn: 0, masked: false };
  let last: StagedAnswer = { kind: "rejected", objection: NOTHING_TO_READ, ...spent };
  for (const source of stages) {
    const before = recordText(within(record, room.recordTokens, span.measure), asked);
    const user = span.redact(promptText({ ...request, source, record: before }));
    const reply = await writer.ask({ system: SYSTEM, user, maxOutputTokens: room.outputTokens }, request.signal);
    spent = plus(spent, spentOn(reply));
    if (reply.kind === "failed") return { kind: "failed", failure: reply.failure, ...spent };
    const given = { reply, source, record: before, goesOn: source !== stages.at(-1) };
    const read = readReply(given, request);
    if (read.objection !== undefined) return { kind: "rejected", objection: read.objection, ...spent };
    record = read.answer.items;
    flaws = {
      cutOff: flaws.cutOff || read.cutOff,
      torn: flaws.torn + read.torn,
      masked: flaws.masked || read.masked,
    };
    last = { kind: "answered", answer: read.answer, ...flaws, ...spent };
    if (given.goesOn && isSpent(leftOf(allowed, spent))) return tooDear(spent);
  }
  return last;
}

interface GivenReply {
  readonly reply: WriterReply & { readonly kind: "answered" };
  /** What the model was given, and whether there is more. */
  readonly source: string;
  readonly record: string;
  readonly goesOn: boolean;
}

interface ReadReply extends Flaws {
  readonly answer: Answer;
  readonly objection: Objection | undefined;
}

/** What a model answered, without secrets, and what speaks against it. */
export function readReply(
  { reply, ...given }: GivenReply,
  { span: { redact, measure }, asked, targetTokens }: FoldRequest,
): ReadReply {
  const text = redact(reply.text);
  const { ended } = reply;
  const answer = readAnswer(text, asked, ended === "length");
  const flaws = { cutOff: ended === "length", torn: answer.torn ? 1 : 0, masked: text !== reply.text };
  const objection = objectionTo({ ...given, answer, ended, targetTokens, measure });
  return { answer, ...flaws, objection };
}

export function leftOf({ calls, tokens, costUsd }: Allowance, spent: StageUsage): Allowance {
  return {
    calls: calls - spent.calls,
    tokens: tokens - spent.tokens.input - spent.tokens.output,
    costUsd: costUsd - (spent.costUsd ?? 0),
  };
}

export function isSpent({ calls, tokens, costUsd }: Allowance): boolean {
  return calls <= 0 || tokens <= 0 || costUsd <= 0;
}

const NOTHING_TO_READ: Objection = { class: "malformed", because: "the messages contain nothing to record" };

interface StageBudget {
  readonly outputTokens: number;
  readonly recordTokens: number;
  readonly sourceTokens: number;
}

/** What an answer may take of a window, in tokens. */
export function outputIn(windowTokens: number, { budget }: Pick<FoldRequest, "budget">): number {
  return Math.floor(Math.min(budget * OUTPUT_BUDGET_FACTOR, windowTokens * OUTPUT_WINDOW_SHARE_MAX));
}

/** How a window is shared out: answer, instructions, the record to bring up to date, and what is to be read. */
function roomIn(windowTokens: number, request: FoldRequest): StageBudget {
  const { span } = request;
  const outputTokens = outputIn(windowTokens, request);
  const instructions = span.measure.text(`${SYSTEM}\n${promptText({ ...request, source: "", record: "record" })}`);
  const room =
    Math.floor((windowTokens - outputTokens) / ESTIMATE_MARGIN_FACTOR) - instructions - REQUEST_OVERHEAD_TOKENS;
  const recordTokens = Math.max(0, Math.min(outputTokens, Math.floor(room * RECORD_SHARE_MAX)));
  return { outputTokens, recordTokens, sourceTokens: Math.min(room - recordTokens, SOURCE_TOKENS_MAX) };
}

function tooSmall(windowTokens: number): StagedAnswer {
  const message = `its window of ${windowTokens} tokens has no room for a record`;
  return { kind: "failed", failure: { class: "overflow", message }, ...NOTHING_SPENT };
}

function tooDear(spent: StageUsage): StagedAnswer {
  const failure: WriterFailure = {
    class: "overflow",
    message: "reading the messages would exceed the spending limit of one compaction",
  };
  return { kind: "failed", failure, ...spent };
}

export function spentOn({ usage }: WriterReply): StageUsage {
  const { requests, inputTokens, outputTokens, costUsd } = usage;
  const free = requests === 0 ? { costUsd: 0 } : {};
  const price = costUsd === undefined ? free : { costUsd };
  return { calls: requests, tokens: { input: inputTokens, output: outputTokens }, ...price };
}

export function plus(a: StageUsage, b: StageUsage): StageUsage {
  const tokens = { input: a.tokens.input + b.tokens.input, output: a.tokens.output + b.tokens.output };
  const costUsd = a.costUsd === undefined || b.costUsd === undefined ? undefined : a.costUsd + b.costUsd;
  return { calls: a.calls + b.calls, tokens, ...(costUsd === undefined ? {} : { costUsd }) };
}
