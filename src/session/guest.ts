/**
 * An engine that is not built in is a guest: what it answers is held against its contract before it is used. One that
 * throws, hangs or breaks a promise is put out of service, and the session goes on with the built-in `compressor`.
 */
import type { Compaction } from "../core/compaction/compaction.ts";
import type { CompactRequest, Decision, Outcome, Situation, Usage } from "../core/engines/contract.ts";
import { windowLimits } from "../core/engines/window.ts";
import { judge } from "../core/engines/suite/examine.ts";
import { demand } from "../core/engines/suite/fault.ts";
import { isPlain, printOfAll } from "../core/engines/suite/print.ts";
import { demandDecision } from "../core/engines/suite/shape.ts";
import { redactMessage } from "../core/passes/redact-messages.ts";
import { createRedactor } from "../core/redaction/redactor.ts";
import type { Message, Transcript } from "../core/transcript/message.ts";
import { PluginFault } from "../plugins/fault.ts";
import type { Desk } from "./desk.ts";
import { containedBy, standIn } from "./seat.ts";
import { HANDOFF_WAIT_MS } from "./summarizer.ts";
import { withTimeLimit } from "./time-limit.ts";

/** Above the limits of a plugin's own thread: for guests in this one, as far as they let go of it. */
const GUEST_WAIT_MS = 90_000;

/** Tells of a guest that was put out of service while nobody could be told. */
export function announce({ live, events }: Desk): void {
  if (!live.untold || live.contained === undefined) return;
  live.untold = false;
  events.emit("contained", live.contained);
}

export function decideBy(desk: Desk, situation: Situation): Decision | Promise<Decision> {
  const { live } = desk;
  if (!live.guest) return live.engine.decide(live.engineState, situation);
  const failed = (error: unknown): Decision | Promise<Decision> => {
    const engine = passing(error) ? standIn(live.settings) : (contain(desk, error), live.engine);
    return engine.decide(live.engineState, situation);
  };
  try {
    const decided = live.engine.decide(live.engineState, situation);
    if (!(decided instanceof Promise)) return judged(decided);
    return within(GUEST_WAIT_MS, decided).then(judged).catch(failed);
  } catch (error) {
    return failed(error);
  }
}

function judged(decision: Decision): Decision {
  demandDecision(decision);
  return decision;
}

export function observeBy(desk: Desk, usage: Usage): void {
  const { live } = desk;
  try {
    const state = live.engine.observe(live.engineState, usage);
    demand(!live.guest || isPlain(state), "state", () => "the state after a usage is not plain data");
    live.engineState = state;
  } catch (error) {
    if (!live.guest) throw error;
    contain(desk, error);
  }
}

export async function compactBy(desk: Desk, original: Transcript, request: CompactRequest): Promise<Outcome> {
  const { live } = desk;
  let remark = live.contained === undefined ? undefined : insteadOf(live.contained.engine, live.contained.because);
  let engine = live.engine;
  if (live.guest) {
    try {
      return await compactAsGuest(desk, original, request);
    } catch (error) {
      // The host's own end is nobody's fault.
      request.signal?.throwIfAborted();
      const { engine: name, because } = containedBy(engine.name, error);
      remark = insteadOf(name, because);
      if (passing(error)) engine = standIn(live.settings);
      else {
        contain(desk, error);
        engine = live.engine;
      }
    }
  }
  const outcome = await engine.compact(live.engineState, original, request);
  return remark === undefined ? outcome : remarked(outcome, remark);
}

async function compactAsGuest({ live, options }: Desk, original: Transcript, request: CompactRequest) {
  const { handoffWaitMs = HANDOFF_WAIT_MS } = options;
  const waitMs = GUEST_WAIT_MS + (request.writers === undefined ? 0 : handoffWaitMs);
  const before = printOfAll(original);
  const outcome: unknown = await within(waitMs, live.engine.compact(live.engineState, original, request));
  demand(printOfAll(original) === before, "undo", () => "the client's own transcript was changed");
  judge(outcome, original, request);
  if (outcome.kind === "unchanged") return outcome;
  return { kind: "compacted", compaction: redacted(outcome.compaction, request) } as const;
}

/** Secrets are masked in what a guest wrote of its own, whatever it did about them itself. */
function redacted(compaction: Compaction, { secrets, measure }: CompactRequest): Compaction {
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
function passing(error: unknown): boolean {
  return error instanceof PluginFault && error.data.kind === "busy";
}

function contain(desk: Desk, error: unknown): void {
  const { live } = desk;
  // Two calls may have been under way.
  if (!live.guest) return;
  live.contained = containedBy(live.engine.name, error);
  live.guest = false;
  live.untold = true;
  live.engine = standIn(live.settings);
  live.engineState = live.engine.init();
  live.limits = windowLimits(live.engine, live.settings);
  announce(desk);
}

function insteadOf(engine: string, because: string): string {
  return `the built-in compressor did this instead of the engine ${engine}: ${because}`;
}

function remarked(outcome: Outcome, remark: string): Outcome {
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
