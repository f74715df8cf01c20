/**
 * Engines that are not built in: every answer is checked against the engine contract before it is used. An engine that
 * throws, hangs or breaks the contract is disabled, and the session continues with the built-in `compressor`.
 */
import type { Compaction } from "../core/compaction/compaction.ts";
import type { CompactRequest, Decision, Outcome, ContextUsage, Usage } from "../core/engines/contract.ts";
import { windowLimits } from "../core/engines/window.ts";
import { judge } from "../plugins/suite/examine.ts";
import { demand, demandDecision, isPlain, printOfAll } from "../plugins/suite/fault.ts";
import { redactMessage } from "../core/passes/redact-messages.ts";
import { createRedactor } from "../core/redaction/redactor.ts";
import type { Message, Transcript } from "../core/transcript/message.ts";
import { PluginFault } from "../plugins/fault.ts";
import type { SessionContext } from "./context.ts";
import { disabledBy, fallbackEngine } from "./select-engine.ts";
import { HANDOFF_WAIT_MS } from "./summarizer.ts";
import { withTimeLimit } from "./time-limit.ts";

/** Longer than the limits of a plugin's thread; it ends the wait for engines in this thread, unless they block it. */
const EXTERNAL_ENGINE_WAIT_MS = 90_000;

/** Reports an engine that was disabled before the host could listen. */
export function announceDisabledEngine({ state, events }: SessionContext): void {
  if (!state.isUnreported || state.disabledEngine === undefined) return;
  state.isUnreported = false;
  events.emit("engineDisabled", state.disabledEngine);
}

export function decideWithEngine(context: SessionContext, usage: ContextUsage): Decision | Promise<Decision> {
  const { state } = context;
  if (!state.isExternal) return state.engine.decide(state.engineState, usage);
  const failed = (error: unknown): Decision | Promise<Decision> => {
    const engine = isTransient(error) ? fallbackEngine(state.settings) : (disableEngine(context, error), state.engine);
    return engine.decide(state.engineState, usage);
  };
  try {
    const decided = state.engine.decide(state.engineState, usage);
    if (!(decided instanceof Promise)) return checkedDecision(decided);
    return within(EXTERNAL_ENGINE_WAIT_MS, decided).then(checkedDecision).catch(failed);
  } catch (error) {
    return failed(error);
  }
}

function checkedDecision(decision: Decision): Decision {
  demandDecision(decision);
  return decision;
}

export function observeWithEngine(context: SessionContext, usage: Usage): void {
  const { state } = context;
  try {
    const observed = state.engine.observe(state.engineState, usage);
    demand(!state.isExternal || isPlain(observed), "state", () => "the state after a usage is not plain data");
    state.engineState = observed;
  } catch (error) {
    if (!state.isExternal) throw error;
    disableEngine(context, error);
  }
}

export async function compactWithEngine(
  context: SessionContext,
  original: Transcript,
  request: CompactRequest,
): Promise<Outcome> {
  const { state } = context;
  let remark =
    state.disabledEngine === undefined
      ? undefined
      : replacementNotice(state.disabledEngine.engine, state.disabledEngine.because);
  let engine = state.engine;
  if (state.isExternal) {
    try {
      return await compactExternally(context, original, request);
    } catch (error) {
      // If the host aborted, the engine did not fail.
      request.signal?.throwIfAborted();
      const { engine: name, because } = disabledBy(engine.name, error);
      remark = replacementNotice(name, because);
      if (isTransient(error)) engine = fallbackEngine(state.settings);
      else {
        disableEngine(context, error);
        engine = state.engine;
      }
    }
  }
  const outcome = await engine.compact(state.engineState, original, request);
  return remark === undefined ? outcome : withDegradedNote(outcome, remark);
}

async function compactExternally({ state, options }: SessionContext, original: Transcript, request: CompactRequest) {
  const { handoffWaitMs = HANDOFF_WAIT_MS } = options;
  const waitMs = EXTERNAL_ENGINE_WAIT_MS + (request.writers === undefined ? 0 : handoffWaitMs);
  const before = printOfAll(original);
  const outcome: unknown = await within(waitMs, state.engine.compact(state.engineState, original, request));
  demand(printOfAll(original) === before, "undo", () => "the client's own transcript was changed");
  judge(outcome, original, request);
  if (outcome.kind === "unchanged") return outcome;
  return { kind: "compacted", compaction: withRedactedText(outcome.compaction, request) } as const;
}

/** Secrets are masked in what a guest wrote of its own, whatever it did about them itself. */
function withRedactedText(compaction: Compaction, { secrets, measure }: CompactRequest): Compaction {
  const redact = createRedactor(secrets);
  const safe = (message: Message): Message =>
    message.origin === "summary" || message.origin === "note" ? redactMessage(message, redact) : message;
  const after = compaction.after.map(safe);
  if (after.every((message, at) => message === compaction.after[at])) return compaction;
  const grown = measure.messages(after) - measure.messages(compaction.after);
  const { report } = compaction;
  const { tokens, parts } = report;
  return {
    ...compaction,
    after,
    report: {
      ...report,
      tokens: { ...tokens, after: tokens.after + grown },
      parts: { ...parts, handoff: parts.handoff + grown },
    },
  };
}

/** A fault that says nothing against the engine: this once, the built-in does it. */
function isTransient(error: unknown): boolean {
  return error instanceof PluginFault && error.data.kind === "busy";
}

function disableEngine(context: SessionContext, error: unknown): void {
  const { state } = context;
  // Two calls may have been under way.
  if (!state.isExternal) return;
  state.disabledEngine = disabledBy(state.engine.name, error);
  state.isExternal = false;
  state.isUnreported = true;
  state.engine = fallbackEngine(state.settings);
  state.engineState = state.engine.init();
  state.limits = windowLimits(state.engine, state.settings, state.fixedTokens);
  announceDisabledEngine(context);
}

function replacementNotice(engine: string, because: string): string {
  return `compacted by the built-in compressor instead of ${engine}: ${because}`;
}

function withDegradedNote(outcome: Outcome, remark: string): Outcome {
  if (outcome.kind === "unchanged") return { ...outcome, because: `${outcome.because}; ${remark}` };
  const { compaction } = outcome;
  const { report } = compaction;
  return {
    kind: "compacted",
    compaction: { ...compaction, report: { ...report, degraded: [...report.degraded, remark] } },
  };
}

/** What comes of a promise in time; a `PluginFault` otherwise. */
function within<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  return withTimeLimit(ms, promise, () => {
    throw new PluginFault({ kind: "hung", detail: `no answer within ${ms} ms` });
  });
}
