/**
 * The failure ladder of a handoff: the auxiliary model, then the main one where it is another, then nobody, and code
 * writes. Each step is accounted for, none is silent.
 */
import type { SummaryAccount, SummaryStep } from "../../compaction/compaction.ts";
import { eventsOf } from "../../events/events.ts";
import { contentText, type Transcript } from "../../transcript/message.ts";
import type { Section } from "../templates.ts";
import type { Writer, Writers } from "./writer.ts";
import { askedOf, withoutWork, type Items } from "./asked.ts";
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
import { stagesOf, type Span } from "./source.ts";

/** What one compaction may spend on all its models together. */
export const COMPACTION_SPEND_LIMIT: Allowance = Object.freeze({ calls: 14, tokens: 500_000, costUsd: 1 });
/** What stays after the span is shown in so many tokens, and no more of a model's window. */
const FOLLOWING_TOKENS_MAX = 2_000;
const FOLLOWING_WINDOW_SHARE_MAX = 0.05;
/** Fewer items is no record: the next on the ladder is asked. */
const ITEMS_MIN = 2;

export interface ModelHandoffRequest {
  readonly writers: Writers;
  readonly signal?: AbortSignal;
  readonly span: Span;
  /** The record of an earlier handoff, where only what came after it is in the span. */
  readonly record: Items;
  readonly template: readonly Section[];
  /** Tokens of the handoff, and of the part of it that the model writes. */
  readonly budget: number;
  readonly targetTokens: number;
  /** What is sent now, where a model that can is to be asked behind it. */
  readonly conversation?: Transcript;
  /** Index of the newest user message, where it is known. */
  readonly live: number | undefined;
  /** How many messages at the end stay word for word after the handoff. */
  readonly visible: number;
  readonly focus?: string;
  /** What may be spent where it is less than one compaction may spend. */
  readonly allowed?: Allowance;
}

export interface ModelHandoff {
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
    const folded = await answerOf(writer, foldRequest(request, writer, allowed), request.conversation);
    request.signal?.throwIfAborted();
    spent = plus(spent, folded);
    const step = stepOf({ role, writer }, folded);
    steps.push(step);
    if (step.outcome === "written" && folded.kind === "answered") return written(folded, step, steps);
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

function foldRequest(request: ModelHandoffRequest, writer: Writer, allowed: Allowance): FoldRequest {
  const { span, live, visible, focus, signal } = request;
  const { messages, redact } = span;
  const message = live === undefined ? undefined : messages[live];
  const { calls, files } = eventsOf(messages);
  const worked = files.length > 0 || calls.some(({ summary }) => summary.command !== undefined);
  const template = worked ? request.template : withoutWork(request.template, request.record);
  const after = { ...span, from: messages.length - visible, until: messages.length };
  const room = Math.min(FOLLOWING_TOKENS_MAX, writer.windowTokens * FOLLOWING_WINDOW_SHARE_MAX);
  return {
    ...request,
    template,
    asked: askedOf(template),
    live: message && { number: live! + 1, text: redact(contentText(message.parts)) },
    following: stagesOf(after, room, 1).join("\n"),
    allowed,
    ...(focus === undefined ? {} : { focus }),
    ...(signal === undefined ? {} : { signal }),
  };
}

function stepOf({ role, writer }: Candidate, folded: StagedAnswer): SummaryStep {
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
  const count = countOf(folded.answer.items);
  return count >= ITEMS_MIN
    ? { ...common, outcome: "written" }
    : {
        ...common,
        outcome: "rejected",
        class: "malformed",
        because: `the answer has ${count} of at least ${ITEMS_MIN} items`,
      };
}

/** One that stands twice is counted once. */
function countOf(items: Items): number {
  return new Set([...items.values()].flat()).size;
}

const TORN = "the answer was cut off in it";

/** What the model wrote stands as it is; what of it does not is told. */
function written(
  { answer: { items }, torn, cutOff, masked }: StagedAnswer & { readonly kind: "answered" },
  step: SummaryStep,
  steps: readonly SummaryStep[],
): ModelHandoff {
  const kept = [...items.values()].flat().length;
  const dropped = torn > 0 ? [{ because: TORN, count: torn }] : [];
  const unfinished = torn > 0 ? ": its last line is left out" : "";
  return {
    prose: items,
    account: { by: "model", steps, items: { kept, dropped } },
    degraded: [
      ...steps.filter((one) => one !== step).map(noteOf),
      ...(masked ? [`secrets in the answer of ${step.model} were masked`] : []),
      ...(cutOff ? [`the answer of ${step.model} was cut off at its end${unfinished}`] : []),
    ],
  };
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
