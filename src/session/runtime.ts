/**
 * The runtime state machine behind every door, over transcripts in core's form: find the compaction that stands for
 * a conversation, put it in place, decide whether another is due, make it, and remember what was removed. The
 * client's own history is never altered.
 */
import { hash } from "node:crypto";
import type { CompactionReason } from "../core/compaction/compaction.ts";
import { createRequestKeeper } from "../core/compaction/run/keep-requests.ts";
import { createChain } from "../core/transcript/links.ts";
import { createMeasure } from "../core/transcript/measure.ts";
import type { Transcript } from "../core/transcript/message.ts";
import { createMemoryStore } from "../store/memory.ts";
import { initialFactor } from "./calibration.ts";
import { canWait, makeAhead, takeAhead } from "./ahead.ts";
import type { CompactOptions, Prepared, Runtime, RuntimeOptions, RuntimeReport, WaitingForMain } from "./contract.ts";
import { callTool, toolsOf } from "./model-tools.ts";
import { createEvents } from "./events.ts";
import { createIngest } from "./ingest.ts";
import { begin, restored, saved, useSettings } from "./live.ts";
import { recall } from "./recall/search.ts";
import { createOutgoing } from "./outgoing.ts";
import { overflowIn } from "./provider-error.ts";
import { withoutMedia } from "./recover.ts";
import { asksForTooMuch, learnRefusal } from "./refusals.ts";
import { createSituation } from "./situation.ts";
import { benchOf, type Desk } from "./desk.ts";
import { untilAborted } from "./until-aborted.ts";
import { compact, due, look, observe, record, settle } from "./turn.ts";

const sha256 = (text: string): string => hash("sha256", text);

export function createRuntime(options: RuntimeOptions = {}): Runtime {
  const { chain = createChain(sha256), ingestLimitTokens = 0 } = options;
  const estimate = createMeasure(options);
  const desk: Desk = {
    options,
    store: options.store ?? createMemoryStore(),
    tenant: options.tenant ?? "local",
    chain,
    estimate,
    kept: new Set(),
    ingest: ingestLimitTokens > 0 ? createIngest(ingestLimitTokens, { estimate, chain }) : undefined,
    events: createEvents(),
    situation: createSituation(),
    live: begin(options, options.state),
    keepRequests: options.settings?.keepRequests === "all" ? createRequestKeeper() : undefined,
    outgoing: createOutgoing(options),
  };
  const { live, situation } = desk;
  return {
    prepare: (transcript, waiting) => prepare(desk, transcript, waiting),
    compact: (transcript, request = {}) => compactNow(desk, transcript, request),
    observe: (usage) => observe(desk, usage),
    standing: async (transcript) => settle(desk, await look(desk, transcript)),
    ahead: (transcript, waiting = {}) => makeAhead(desk, transcript, waiting),
    recover: (error, transcript, waiting) => recover(desk, { error, transcript, ...waiting }),
    recall: (idOrWords, choice) => recall(desk.store, desk.tenant, idOrWords, choice),
    tools: () => toolsOf(desk),
    callTool: (call, bounds) => callTool(desk, call, bounds),
    undo: () => undo(desk),
    report: () => reportOf(desk),
    modelChanged: ({ model, contextLength, maxOutputTokens = 0 }) => {
      const { settings } = live;
      live.stated = { contextLength, maxOutputTokens };
      if (model === undefined || model !== live.model) {
        live.factor = initialFactor(model);
        situation.forget();
      } else if (settings.contextLength === contextLength && settings.maxOutputTokens === maxOutputTokens) return;
      live.model = model;
      useSettings(live, options, { ...settings, contextLength, maxOutputTokens });
    },
    reset: () => {
      situation.forget();
      Object.assign(live, begin(options));
    },
    on: desk.events.on,
    state: () => saved(live),
    restore: (before) => {
      situation.forget();
      restored(live, before);
    },
  };
}

/** Reasons that leave time for a model to write. */
const PATIENT: ReadonlySet<CompactionReason> = new Set(["threshold", "cost"]);

async function prepare(desk: Desk, transcript: Transcript, waiting: WaitingForMain = {}): Promise<Prepared> {
  const { signal } = waiting;
  const view = await look(desk, transcript, signal);
  const decided = due(desk, view);
  const decision = decided instanceof Promise ? await untilAborted(signal, () => decided) : decided;
  if (decision.kind === "none") {
    if (decision.because !== undefined) desk.events.emit("degraded", { because: [decision.because] });
    return settle(desk, view);
  }
  const { reason, because } = decision;
  const made = await takeAhead(desk, view, { because, signal });
  if (made !== undefined) return { ...settle(desk, view, { compaction: made }), ahead: true };
  if (PATIENT.has(reason) && canWait(desk, view)) return settle(desk, view);
  const models = desk.options.modelsAhead !== true;
  const outcome = await compact(desk, view, {
    ...waiting,
    models,
    reason,
    ...(because === undefined ? {} : { because }),
  });
  return settle(desk, view, outcome);
}

const compactNow = async (
  desk: Desk,
  transcript: Transcript,
  request: CompactOptions & WaitingForMain,
): ReturnType<Runtime["compact"]> => {
  const view = await look(desk, transcript, request.signal);
  const room = request.budget ?? desk.live.limits.thresholdTokens;
  if (view.tokens <= room && (request.force === false || request.budget !== undefined)) {
    const because = `its ${view.tokens} tokens are within ${room}`;
    return { kind: "unchanged", because, transcript: settle(desk, view).transcript };
  }
  const outcome = await compact(desk, view, request);
  const sent = settle(desk, view, outcome);
  return { ...outcome, transcript: sent.transcript };
};

/** An overflow teaches that the window is smaller than what was sent, and compacts; a payload gives up media bytes first. */
async function recover(
  desk: Desk,
  { error, transcript, ...waiting }: WaitingForMain & { readonly error: unknown; readonly transcript: Transcript },
): Promise<Prepared | undefined> {
  const { signal } = waiting;
  const overflow = await untilAborted(signal, () => overflowIn(error, signal));
  if (overflow === undefined || asksForTooMuch(overflow)) return undefined;
  const { live, options } = desk;
  const view = await look(desk, transcript, signal);
  if (overflow.kind === "payload") {
    const by = { engine: live.engine.name, state: live.engineState };
    const lighter = withoutMedia(view.original, benchOf(desk), {
      ...by,
      keepsRequests: desk.keepRequests !== undefined,
    });
    if (lighter !== undefined) return settle(desk, view, { compaction: await record(desk, view, lighter, signal) });
  }
  const unlearn = learnRefusal(desk, view.current, overflow);
  try {
    const outcome = await compact(desk, view, {
      ...waiting,
      models: options.modelsAhead !== true,
      reason: overflow.kind === "payload" ? "payload" : "overflow",
    });
    return settle(desk, view, outcome);
  } catch (failure) {
    if (signal?.aborted === true) unlearn();
    throw failure;
  }
}

/** Takes the last compaction back. Its record stays, marked; nothing automatic replaces it. */
async function undo({ store, tenant, situation, live }: Desk): Promise<boolean> {
  if (live.lastCovers === undefined) return false;
  await store.undoCompaction(tenant, live.lastCovers);
  situation.forget();
  live.lastCovers = undefined;
  return true;
}

function reportOf({ live }: Desk): RuntimeReport {
  return {
    engine: live.engine.name,
    compactions: live.compactions,
    savedTokens: live.savedTokens,
    tokens: live.tokens,
    thresholdTokens: live.limits.thresholdTokens,
    ...(live.last === undefined ? {} : { last: live.last }),
    ...(live.contained === undefined ? {} : { contained: live.contained }),
  };
}
