/**
 * The runtime state machine behind every door, over transcripts in core's form: find the compaction in effect for
 * a conversation, put it in place, decide whether another is due, make it, and remember what was removed. The
 * client's own history is never altered.
 */
import type { Compaction, CompactionReason } from "../core/compaction/compaction.ts";
import { createMessageKeeper } from "../core/compaction/keep-messages.ts";
import { createChain } from "../core/transcript/links.ts";
import { createMeasure } from "../core/transcript/measure.ts";
import { requestChars } from "../protocols/media-limits.ts";
import type { Transcript, Message } from "../core/transcript/message.ts";
import { sha256 } from "../platform/sha256.ts";
import { createMemoryStore } from "../store/memory.ts";
import { initialFactor, createState, restoreState, saveState, useSettings, windowInUse, withModel } from "./state.ts";
import {
  canWait,
  compactAhead,
  findPreparedElsewhere,
  takePreparedCompaction,
  compactWithoutRemote,
} from "./compact-ahead.ts";
import type { CompactOptions, Prepared, Runtime, RuntimeOptions, RuntimeReport, WaitingForMain } from "./contract.ts";
import { WISH_REASON, callTool, readRoom, toolsOf } from "./model-tools.ts";
import { createEvents } from "./events.ts";
import { createIngest, type ConversationView, type SessionContext, createContextUsage } from "./context.ts";
import { recall } from "./recall/search.ts";
import { addPin, listPins, pinContext, removePin } from "./pins.ts";
import { editConversation } from "./edit-by-hand.ts";
import { overflowIn } from "./provider-error.ts";
import {
  withinMediaLimits,
  withoutMedia,
  littleRoom,
  decideCompaction,
  settleRequest,
  viewConversation,
} from "./turn.ts";
import { asksForTooMuch, learnRefusal, observe } from "./learn-window.ts";
import type { ScheduledDecision } from "./economy.ts";
import { postpone, timingOf } from "./postpone.ts";
import type { Postponement } from "./timing.ts";
import { untilAborted } from "./time-limit.ts";
import { compactView, recordCompaction } from "./make-compaction.ts";
import { redactMessage } from "../core/passes/redact-messages.ts";
import { createRedactor } from "../core/redaction/redactor.ts";

export function createRuntime(given: RuntimeOptions = {}): Runtime {
  const engine = given.perModel?.(given.model ?? "")?.engine;
  const options = engine === undefined ? given : { ...given, engine };
  const { chain = createChain(sha256), ingestLimitTokens = 0 } = options;
  const estimate = createMeasure(options);
  const keepsRequests = options.settings?.keepRequests === "all";
  const context: SessionContext = {
    options,
    store: options.store ?? createMemoryStore(),
    tenant: options.tenant ?? "local",
    chain,
    estimate,
    kept: new Set(),
    ingest: ingestLimitTokens > 0 ? createIngest(ingestLimitTokens, { estimate, chain }) : undefined,
    events: createEvents(),
    contextUsage: createContextUsage(),
    state: createState(options, options.state),
    keepMessages: createMessageKeeper({ keepsRequests }),
    keepsRequests,
    pinned: new Map(),
    outgoing: createOutgoing(options),
  };
  const { state, contextUsage } = context;
  return {
    prepare: (transcript, waiting) => prepare(context, transcript, waiting),
    compact: (transcript, request = {}) => compactNow(context, transcript, request),
    observe: (usage) => observe(context, usage),
    standing: async (transcript) => settleRequest(context, await viewConversation(context, transcript)),
    ahead: (transcript, how = {}) => compactAhead(context, transcript, how),
    recover: (error, transcript, waiting) => recover(context, { error, transcript, ...waiting }),
    withoutRemote: (transcript, asked) => compactWithoutRemote(context, transcript, asked),
    recall: (idOrWords, choice) => recall(context.store, context.tenant, idOrWords, choice),
    tools: () => toolsOf(context),
    callTool: (call, bounds) => callTool(context, call, bounds),
    undo: () => undo(context),
    pin: (transcript, what) => {
      state.ahead = undefined;
      return addPin(pinContext(context, transcript), what);
    },
    drop: (transcript, what) => editConversation(context, transcript, { ...what, how: "drop" }),
    unpin: (transcript, id) => removePin(pinContext(context, transcript), id),
    pins: (transcript) => listPins(pinContext(context, transcript)),
    report: () => makeReport(context),
    modelChanged: (model) => changeModel(context, model),
    reset: () => {
      contextUsage.forget();
      Object.assign(state, createState(options));
    },
    on: context.events.on,
    state: () => saveState(state, timingOf(context)),
    restore: (before) => {
      contextUsage.forget();
      restoreState(state, before);
    },
  };
}

function changeModel(
  { state, options, contextUsage }: SessionContext,
  { model, contextLength, maxOutputTokens = 0, window = { from: "setting" } }: Parameters<Runtime["modelChanged"]>[0],
): void {
  const { settings } = state;
  state.stated = { contextLength, maxOutputTokens };
  state.statedWindow = state.window = window;
  if (model === undefined || model !== state.model) {
    state.factor = initialFactor(model);
    contextUsage.forget();
  } else if (settings.contextLength === contextLength && settings.maxOutputTokens === maxOutputTokens) return;
  state.model = model;
  useSettings(state, options, withModel({ ...settings, contextLength, maxOutputTokens }, options, model));
}

/** Reasons that leave time for a model to write. */
const PATIENT: ReadonlySet<CompactionReason> = new Set(["threshold", "cost"]);

async function prepare(
  context: SessionContext,
  transcript: Transcript,
  waiting: WaitingForMain = {},
): Promise<Prepared> {
  const { signal } = waiting;
  const came = await viewConversation(context, transcript, signal);
  const compaction = await lighten(context, came, signal);
  if (compaction === undefined) return prepareView(context, came, waiting);
  const prepared = await prepareView(context, await viewConversation(context, transcript, signal), waiting);
  return { compaction, dueTokens: came.tokens, ...prepared };
}

async function prepareView(
  context: SessionContext,
  view: ConversationView,
  waiting: WaitingForMain,
): Promise<Prepared> {
  const { signal } = waiting;
  if (context.state.wish !== undefined) return grantWish(context, view, waiting);
  await findPreparedElsewhere(context, view);
  const decided = decideCompaction(context, view);
  const decision = decided instanceof Promise ? await untilAborted(signal, () => decided) : decided;
  if (decision.kind === "none" || decision.kind === "wait") {
    postpone(context, view, findPostponement(view, decision));
    return settleRequest(context, view);
  }
  const { reason, because, urgency } = decision;
  const made = await takePreparedCompaction(context, view, { reason, because, signal });
  const writing = made === undefined && PATIENT.has(reason) && canWait(context, view);
  postpone(context, view, writing ? BEING_WRITTEN : undefined);
  if (made !== undefined) return { ...settleRequest(context, view, { compaction: made }), ahead: true };
  if (writing) return settleRequest(context, view);
  const models = context.options.modelsAhead !== true && (reason !== "hygiene" || urgency === "soon");
  const outcome = await compactView(context, view, {
    ...waiting,
    models,
    reason,
    ...(because === undefined ? {} : { because }),
  });
  if (outcome.kind === "unchanged" && context.state.futile !== undefined)
    postpone(context, view, { by: "back_off", because: littleRoom(context.state) });
  return settleRequest(context, view, outcome);
}

/** Without the pictures that its provider is known to refuse; recorded before anything else is decided; undefined where nothing has to leave. */
async function lighten(
  context: SessionContext,
  view: ConversationView,
  signal?: AbortSignal,
): Promise<Compaction | undefined> {
  const { standing, original } = view;
  if (context.options.enabled === false || standing.undone) return undefined;
  const lighter = withinMediaLimits(context, original, standing.compaction);
  if (lighter === undefined || lighter === standing.compaction) return undefined;
  return recordCompaction(context, view, lighter, signal);
}

/** Once, whatever comes of it: a model that calls again has to be called again. */
async function grantWish(context: SessionContext, view: ConversationView, waiting: WaitingForMain): Promise<Prepared> {
  const { focus } = context.state.wish!;
  context.state.wish = undefined;
  postpone(context, view, undefined);
  const outcome = await compactView(context, view, {
    ...waiting,
    models: context.options.modelsAhead !== true,
    reason: "explicit",
    because: WISH_REASON,
    ...(focus === "" ? {} : { focus }),
  });
  return settleRequest(context, view, outcome);
}

const BEING_WRITTEN: Postponement = Object.freeze({
  by: "writing",
  because: "a model writes the handoff while requests go on",
});

/** Why nothing is compacted; undefined where nothing is due. */
function findPostponement(
  view: ConversationView,
  decision: Extract<ScheduledDecision, { readonly kind: "none" | "wait" }>,
): Postponement | undefined {
  const { because } = decision;
  if (decision.kind === "wait") return { by: view.standing.undone ? "undone" : "prices", because: decision.because };
  if (because === undefined) return undefined;
  return { by: "back_off", because };
}

const compactNow = async (
  context: SessionContext,
  transcript: Transcript,
  request: CompactOptions & WaitingForMain,
): ReturnType<Runtime["compact"]> => {
  const { messages, signal } = request;
  if (messages !== undefined)
    return editConversation(context, transcript, {
      messages,
      how: "compact",
      ...(signal === undefined ? {} : { signal }),
    });
  const view = await viewConversation(context, transcript, signal);
  const room = request.budget ?? context.state.limits.thresholdTokens;
  if (view.tokens <= room && (request.force === false || request.budget !== undefined)) {
    const compaction = await lighten(context, view, signal);
    const { transcript: sent } = settleRequest(context, view, compaction === undefined ? {} : { compaction });
    if (compaction !== undefined) return { kind: "compacted", compaction, transcript: sent };
    return { kind: "unchanged", because: `its ${view.tokens} tokens are within ${room}`, transcript: sent };
  }
  const outcome = await compactView(context, view, request);
  const sent = settleRequest(context, view, outcome);
  return { ...outcome, transcript: sent.transcript };
};

/** What is refused gives way to a request of at most this share of its characters: ids and marks differ by a few. */
const SMALLER_SHARE_MAX = 0.99;

/** An overflow teaches that the window is smaller than what was sent, and compacts; a payload gives up media bytes first. */
async function recover(
  context: SessionContext,
  { error, transcript, ...waiting }: WaitingForMain & { readonly error: unknown; readonly transcript: Transcript },
): Promise<Prepared | undefined> {
  const { signal } = waiting;
  const overflow = await untilAborted(signal, () => overflowIn(error, signal));
  if (overflow === undefined || asksForTooMuch(overflow)) return undefined;
  const { options } = context;
  const view = await viewConversation(context, transcript, signal);
  const lighter = overflow.kind === "payload" ? withoutMedia(context, view) : undefined;
  if (lighter !== undefined)
    return settleRequest(context, view, { compaction: await recordCompaction(context, view, lighter, signal) });
  const unlearn = learnRefusal(context, view.current, overflow);
  try {
    const outcome = await compactView(context, view, {
      ...waiting,
      models: options.modelsAhead !== true,
      reason: overflow.kind === "payload" ? "payload" : "overflow",
    });
    const prepared = settleRequest(context, view, outcome);
    const charsMax = requestChars(view.current) * SMALLER_SHARE_MAX;
    return requestChars(prepared.transcript) <= charsMax ? prepared : undefined;
  } catch (failure) {
    if (signal?.aborted === true) unlearn();
    throw failure;
  }
}

/** Takes the last compaction back. Its record stays, marked; nothing automatic replaces it. */
async function undo({ store, tenant, contextUsage, state }: SessionContext): Promise<boolean> {
  if (state.lastCovers === undefined) return false;
  await store.undoCompaction(tenant, state.lastCovers);
  contextUsage.forget();
  state.lastCovers = undefined;
  return true;
}

function makeReport(context: SessionContext): RuntimeReport {
  const { state } = context;
  const room = readRoom(context);
  return {
    engine: state.engine.name,
    compactions: state.compactions,
    savedTokens: state.savedTokens,
    tokens: state.tokens,
    window: windowInUse(state),
    timing: timingOf(context),
    thresholdTokens: state.limits.thresholdTokens,
    ...(state.last === undefined ? {} : { last: state.last }),
    ...(state.disabledEngine === undefined ? {} : { disabledEngine: state.disabledEngine }),
    ...(room === undefined ? {} : { room }),
  };
}

/** The transcript itself where nothing is to be masked. */
export function createOutgoing({ redactOutgoing = false, secrets }: RuntimeOptions): (sent: Transcript) => Transcript {
  if (!redactOutgoing) return (sent) => sent;
  const redact = createRedactor(secrets);
  const known = new WeakMap<Message, Message>();
  const safe = (message: Message): Message => {
    const masked = known.get(message) ?? redactMessage(message, redact);
    known.set(message, masked);
    return masked;
  };
  return (sent) => {
    const system = sent.system.map(safe);
    const messages = sent.messages.map(safe);
    return changed(system, sent.system) || changed(messages, sent.messages) ? { ...sent, system, messages } : sent;
  };
}

function changed(now: readonly Message[], before: readonly Message[]): boolean {
  return now.some((message, at) => message !== before[at]);
}
