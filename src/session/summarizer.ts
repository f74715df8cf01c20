/**
 * What a session allows its models: how long a compaction may wait for them, what they may cost, when one that failed is
 * left alone, and the windows that their overflows taught.
 */
import { defined } from "../core/defined.ts";
import type { SummaryAccount } from "../core/compaction/compaction.ts";
import type { Writer, WriterReply, Writers } from "../core/handoff/model/writer.ts";
import { coolingDownAt, cooldownsAfter, type Cooldown } from "./cooldowns.ts";
import { unlessAborted } from "./time-limit.ts";

/** A compaction waits no longer for all its models together; then code writes. */
export const HANDOFF_WAIT_MS = 180_000;

/** What one session may spend on handoffs; then code writes. */
export interface SpendLimit {
  /** Requests made, retries included. */
  readonly calls: number;
  /** In dollars, as far as prices are known. */
  readonly costUsd: number;
}

export const SESSION_SPEND_LIMIT: SpendLimit = Object.freeze({ calls: 200, costUsd: 10 });

/** Plain data; survives JSON. */
export interface SummarizerState {
  readonly rests: readonly Cooldown[];
  readonly calls: number;
  readonly costUsd: number;
  /** Windows that overflows taught, in tokens, by model. */
  readonly windows: Readonly<Record<string, number>>;
}

export const INITIAL_SUMMARIZER_STATE: SummarizerState = Object.freeze({
  rests: [],
  calls: 0,
  costUsd: 0,
  windows: {},
});

export interface SummarizerOptions {
  readonly writers: Writers;
  readonly state: SummarizerState;
  readonly limit: SpendLimit;
  /** Why no model may be asked, whatever the session itself has spent. */
  readonly withheld: string | undefined;
  readonly now: number;
  readonly waitMs: number;
  /** Called with every answer of a model, also if the compaction fails afterwards. */
  readonly spent: (reply: WriterReply) => void;
}

/** The models that may be asked now: none that rests, none where the session has spent its limit, none for too long. */
export function writersFor(asking: SummarizerOptions): Writers {
  const { writers, state, limit, now } = asking;
  const { auxiliary, main } = writers;
  const resting = coolingDownAt(state.rests, now).filter(
    ({ model }) => model === auxiliary?.model || model === main?.model,
  );
  const withheld = withheldBy(state, limit) ?? asking.withheld;
  const deadline = AbortSignal.timeout(asking.waitMs);
  const ready = (writer: Writer | undefined): Writer | undefined =>
    writer === undefined || resting.some(({ model }) => model === writer.model)
      ? undefined
      : withTimeLimits(writer, asking, deadline);
  const [first, second] = [ready(auxiliary), ready(main)];
  return {
    ...defined({ auxiliary: first, main: second }),
    resting,
    ...(withheld === undefined ? {} : { withheld }),
  };
}

/** Why no further model may be asked; undefined where one may. */
export function withheldBy({ calls, costUsd }: SummarizerState, limit: SpendLimit): string | undefined {
  if (calls >= limit.calls) return `the session has used up its limit of ${limit.calls} model calls (${calls})`;
  if (costUsd < limit.costUsd) return undefined;
  return `the session has spent $${costUsd.toFixed(2)} on handoffs; its limit is $${limit.costUsd.toFixed(2)}`;
}

/** The same model, that answers in time or fails, with the window it is known to have. */
function withTimeLimits(writer: Writer, { state, waitMs, spent }: SummarizerOptions, deadline: AbortSignal): Writer {
  const windowTokens = Math.min(writer.windowTokens, state.windows[writer.model] ?? Infinity);
  const late: WriterReply = failed("timeout", `no handoff within the limit of ${waitMs / 1_000} s`);
  const ask: Writer["ask"] = async (prompt, signal) => {
    if (deadline.aborted) return late;
    const stop = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
    const answer = writer.ask(prompt, stop).catch((error: unknown) => {
      signal?.throwIfAborted();
      return deadline.aborted
        ? late
        : failed("network", error instanceof Error ? error.message : "it failed without a reason");
    });
    // A writer may not heed its signal; the agent is not kept waiting for it.
    const reply = await unlessAborted(stop, answer, () => {
      signal?.throwIfAborted();
      return late;
    });
    spent(reply);
    return reply;
  };
  return { ...writer, windowTokens, ask };
}

function failed(kind: "timeout" | "network", message: string): WriterReply {
  const usage = { inputTokens: 0, outputTokens: 0, requests: 1 };
  return { kind: "failed", failure: { class: kind, message }, usage };
}

export function afterReply(state: SummarizerState, { usage }: Pick<WriterReply, "usage">): SummarizerState {
  return { ...state, calls: state.calls + usage.requests, costUsd: state.costUsd + (usage.costUsd ?? 0) };
}

export function afterSummary(state: SummarizerState, { steps }: SummaryAccount, now: number): SummarizerState {
  const learned = steps.flatMap(({ model, windowTokens }) =>
    windowTokens === undefined ? [] : [[model, windowTokens]],
  );
  return {
    ...state,
    rests: cooldownsAfter(state.rests, steps, now),
    windows: { ...state.windows, ...Object.fromEntries(learned) },
  };
}
