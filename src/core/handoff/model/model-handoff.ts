/**
 * The failure ladder of a handoff: the auxiliary model, then the main one where it is another, then nobody, and the ledger
 * writes. Each step is accounted for, none is silent.
 */
import type { SummaryAccount, SummaryStep } from "../../compaction/compaction.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { contentText, type Message, type Transcript } from "../../transcript/message.ts";
import type { Section } from "../templates.ts";
import type { Writer, Writers } from "./writer.ts";
import { askedOf, recordText, type Items } from "./asked.ts";
import { createCitationChecker } from "./citations.ts";
import {
  fold,
  isSpent,
  leftOf,
  NOTHING_SPENT,
  plus,
  type Allowance,
  type StagedAnswer,
  type FoldRequest,
} from "./staged-reading.ts";
import { followUp } from "./follow-up.ts";
import { createGrounds } from "./grounding.ts";
import type { Span } from "./source.ts";
import { verify, type Verified } from "./verify.ts";

/** What one compaction may spend on all its models together. */
export const COMPACTION_SPEND_LIMIT: Allowance = Object.freeze({ calls: 14, tokens: 500_000, costUsd: 1 });
/** Fewer items, or a smaller share of what was answered, is no record: the next on the ladder is asked. */
const KEPT_ITEMS_MIN = 2;
const KEPT_SHARE_MIN = 0.25;
/** Where the ledger knows files or commands, a record that names nothing of the session says nothing of it. */
const KNOWN_NAMES_MIN = 1;

export interface ModelHandoffRequest {
  readonly writers: Writers;
  readonly signal?: AbortSignal;
  readonly span: Span;
  readonly ledger: Ledger;
  /** The record of an earlier handoff, where only what came after it is in the span. */
  readonly record: Items;
  readonly template: readonly Section[];
  /** Tokens of the handoff, and of the part of it that the model writes. */
  readonly budget: number;
  readonly targetTokens: number;
  /** What is sent now, where a model that can is to be asked behind it. */
  readonly conversation?: Transcript;
  /** The live request. */
  readonly live: Message | undefined;
  readonly focus?: string;
  /** What may be spent where it is less than one compaction may spend. */
  readonly allowed?: Allowance;
  /** Text beside the conversation that a record may draw on: the system prompt. */
  readonly beside: string;
}

export interface ModelHandoff {
  /** What the model wrote and the checks left. */
  readonly prose?: Items;
  readonly account: SummaryAccount;
  /** For the report: why the result is poorer than it should be. */
  readonly degraded: readonly string[];
}

interface Candidate {
  readonly role: SummaryStep["role"];
  readonly writer: Writer;
}

/** Rejects when the signal aborts, with its reason; otherwise always answers. */
export async function tell(request: ModelHandoffRequest): Promise<ModelHandoff> {
  const { writers, allowed: most = COMPACTION_SPEND_LIMIT } = request;
  const steps: SummaryStep[] = writers.resting.map(restingStep);
  let spent = NOTHING_SPENT;
  let unasked: string | undefined;
  for (const { role, writer } of orderOf(writers)) {
    const allowed = leftOf(most, spent);
    if (isSpent(allowed)) {
      unasked = `the ${role} model ${writer.model} was not used: the spending limit of one compaction is reached`;
      break;
    }
    const folded = await answerOf(writer, foldRequest(request, allowed), request.conversation);
    request.signal?.throwIfAborted();
    spent = plus(spent, folded);
    const checked = check(folded, request);
    const step = stepOf({ role, writer }, folded, checked);
    steps.push(step);
    if (step.outcome === "written" && checked !== undefined) return written(checked, { step, steps, folded });
  }
  const why = writers.withheld ?? unasked;
  return {
    account: { by: "ledger", ...(why === undefined ? {} : { because: why }), steps },
    degraded: degradedBy(writers, steps, unasked),
  };
}

/** Behind the conversation where that is wanted and it can be asked there; with the span described where not, or where it is too long. */
async function answerOf(
  writer: Writer,
  request: FoldRequest,
  conversation: Transcript | undefined,
): Promise<StagedAnswer> {
  if (conversation === undefined || !writer.followsUp) return fold(writer, request);
  const behind = await followUp(writer, request, conversation);
  if (behind.kind !== "failed" || behind.failure.class !== "overflow" || writer.followsUp === "as-sent") return behind;
  const described = await fold(writer, { ...request, allowed: leftOf(request.allowed, behind) });
  return { ...described, ...plus(behind, described) };
}

/** The auxiliary model first, always. One model in two roles is asked once. */
function orderOf({ auxiliary, main, withheld }: Writers): readonly Candidate[] {
  if (withheld !== undefined) return [];
  const second = main?.model === auxiliary?.model ? undefined : main;
  return [
    ...(auxiliary === undefined ? [] : [{ role: "auxiliary", writer: auxiliary } as const]),
    ...(second === undefined ? [] : [{ role: "main", writer: second } as const]),
  ];
}

function foldRequest(request: ModelHandoffRequest, allowed: Allowance): FoldRequest {
  const { span, template, live, focus, signal } = request;
  return {
    ...request,
    asked: askedOf(template),
    live: live === undefined ? "" : span.redact(contentText(live.parts)),
    allowed,
    ...(focus === undefined ? {} : { focus }),
    ...(signal === undefined ? {} : { signal }),
  };
}

/** What is left of an answer; nothing where there is none. */
function check(
  folded: StagedAnswer,
  { span, ledger, record, template, beside }: ModelHandoffRequest,
): Verified | undefined {
  if (folded.kind !== "answered") return undefined;
  const grounds = createGrounds(span.messages, [beside, folded.source, recordText(record, askedOf(template))]);
  const { items } = folded.answer;
  const citations = createCitationChecker(span.messages);
  return verify(folded.cutOff ? withoutLast(items) : items, { ledger, grounds, citations, template });
}

/** The item at which an answer was cut off is not whole. */
function withoutLast(items: Items): Items {
  const last = [...items].findLast(([, texts]) => texts.length > 0)?.[0];
  return new Map(Array.from(items, ([topic, texts]) => [topic, topic === last ? texts.slice(0, -1) : texts]));
}

function stepOf({ role, writer }: Candidate, folded: StagedAnswer, checked: Verified | undefined): SummaryStep {
  const { calls, tokens, costUsd, windowTokens } = folded;
  const common = {
    model: writer.model,
    role,
    calls,
    tokens,
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(windowTokens === undefined ? {} : { windowTokens }),
  };
  if (folded.kind === "failed") {
    const { failure } = folded;
    const restMs = failure.retryAfterMs === undefined ? {} : { restMs: failure.retryAfterMs };
    return { ...common, outcome: "failed", class: failure.class, because: failure.message, ...restMs };
  }
  if (folded.kind === "rejected")
    return { ...common, outcome: "rejected", class: folded.objection.class, because: folded.objection.because };
  const poor = checked === undefined ? undefined : poverty(checked);
  return poor === undefined
    ? { ...common, outcome: "written" }
    : { ...common, outcome: "rejected", class: "malformed", because: poor };
}

function poverty({ kept, dropped, known }: Verified): string | undefined {
  const all = kept + total(dropped);
  if (kept < KEPT_ITEMS_MIN || kept < all * KEPT_SHARE_MIN)
    return `${kept} of its ${all} items passed the checks${dropped.length === 0 ? "" : `: ${dropped.map(({ because }) => because).join(", ")}`}`;
  return known < KNOWN_NAMES_MIN ? "it names nothing from the session" : undefined;
}

interface Writing {
  readonly step: SummaryStep;
  readonly steps: readonly SummaryStep[];
  readonly folded: StagedAnswer;
}

function written({ items, kept, dropped, shortened }: Verified, { step, steps, folded }: Writing): ModelHandoff {
  const cutOff = folded.kind === "answered" && folded.cutOff;
  return {
    prose: items,
    account: { by: "model", steps, items: { kept, dropped } },
    degraded: [
      ...steps.filter((one) => one !== step).map(noteOf),
      ...dropped.map(
        ({ because: reason, count }) =>
          `${count} of ${kept + total(dropped)} items by ${step.model} were dropped: ${reason}`,
      ),
      ...(shortened === 0
        ? []
        : [
            `${shortened} of ${kept + total(dropped)} items by ${step.model} were shortened: a sentence named something that is not in the session`,
          ]),
      ...(cutOff ? [`the answer of ${step.model} was cut off at its end`] : []),
    ],
  };
}

function total(dropped: Verified["dropped"]): number {
  return dropped.reduce((sum, { count }) => sum + count, 0);
}

function restingStep({ model, role, class: why, remainingMs }: Writers["resting"][number]): SummaryStep {
  const because = `it is not used for another ${Math.ceil(remainingMs / 1000)} seconds after ${why}`;
  return {
    model,
    role,
    outcome: "resting",
    class: why,
    because,
    restMs: remainingMs,
    calls: 0,
    tokens: { input: 0, output: 0 },
    costUsd: 0,
  };
}

function degradedBy(
  { withheld }: Writers,
  steps: readonly SummaryStep[],
  unasked: string | undefined,
): readonly string[] {
  if (withheld !== undefined) return [`the handoff was written by code: ${withheld}`];
  return steps.length === 0
    ? []
    : [
        ...steps.map(noteOf),
        ...(unasked === undefined ? [] : [unasked]),
        "the handoff was written by code: no model wrote it",
      ];
}

function noteOf({ role, model, outcome, class: why, because }: SummaryStep): string {
  return `the ${role} model ${model} ${outcome === "resting" ? "was not used" : outcome === "rejected" ? "was refused" : "failed"}${why === undefined ? "" : ` (${why})`}: ${because ?? ""}`;
}
