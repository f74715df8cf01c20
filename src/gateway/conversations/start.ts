/** A conversation that nobody knows begins: its session starts from what the store has of it. */
import type { RuntimeOptions, RuntimeState, Runtime } from "../../session/contract.ts";
import { createRuntime } from "../../session/runtime.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { rootOf, type ConversationStart, type Conversation } from "./conversations.ts";
import { carryThinking } from "../quirks/thinking.ts";
import type { ModelKnowledge, ServedModel } from "../models/models.ts";
import { createPending, type CheckedStore, type Pending } from "./pending.ts";
import type { HistoryContext } from "../request/context.ts";
import { countsTokens, type PreparedRequest, type ReceivedRequest } from "../request/model-request.ts";
import { builtInName } from "../../core/engines/names.ts";
import { thresholdText } from "../../session/threshold.ts";
import { type CompactionTiming, type Postponement, windowOriginText, type WindowInUse } from "../../session/timing.ts";
import type { EmitEvent, NoticeEvent } from "../contract.ts";
import type { HookSession, OperatorHooks } from "../../session/operator-hooks/operator-hooks.ts";

/** A conversation of no more messages begins now: nothing of it was kept before. */
const NEW_MESSAGES_MAX = 3;

type First = ReceivedRequest & Pick<PreparedRequest, "reading" | "model" | "upstream" | "caching">;

/** `relative` is a conversation that begins the same way. */
export async function startConversation(
  context: HistoryContext,
  request: First,
  relative: Conversation | undefined,
): Promise<ConversationStart> {
  const { tenant, reading, model, upstream, caching } = request;
  const { store, models, mode } = context;
  const known = models.of(tenant, model, upstream);
  const isNew = relative !== undefined || reading.links.length <= NEW_MESSAGES_MAX;
  const [state, repeats] = isNew
    ? [undefined, false]
    : await Promise.all([store.getState(tenant, rootOf(reading)), firstRequestSent(context, request)]);
  const sent = repeats ? reading.links.length : 0;
  const pricing = { economy: caching.economy };
  // What was only observed is not to be found by anybody else.
  const pending = createPending(mode === "observe" ? createMemoryStore() : withinQuota(context, tenant));
  const runtime = createRuntime({
    ...conversationOptions(context, { tenant, model, known, store: pending.store }),
    ...sharedAhead(context, tenant, pending),
    mainAhead: context.runtime.mainAhead === true || context.remote?.isFor(request) === true,
    economy: () => pricing.economy,
    // What is known of the model is newer than what the session knew.
    ...(isState(state) ? { state: { ...state, factor: known.factor } } : {}),
  });
  emitSessionNotices(runtime, tenant, context.onEvent);
  if (mode !== "observe") announceWindow(context, request);
  return { runtime, sent, pricing, pending };
}

/** The store, as far as the tenant may add to it. */
function withinQuota({ store, storeQuota }: HistoryContext, tenant: string): CheckedStore {
  const { findCompaction, putCompaction, undoCompaction, putOriginals, getOriginal, search, getState, putState } =
    store;
  return {
    findCompaction,
    putCompaction,
    undoCompaction,
    putOriginals,
    getOriginal,
    search,
    getState,
    putState,
    checkWritable: async (bytes) => {
      storeQuota.check(tenant);
      await store.checkWritable(bytes);
    },
  };
}

interface ConversationParts {
  readonly tenant: string;
  readonly model: string;
  readonly known: ModelKnowledge;
  readonly store: NonNullable<RuntimeOptions["store"]>;
}

/** How every session of a conversation is made, in a gateway or for a job. */
export function conversationOptions(context: HistoryContext, { tenant, model, known, store }: ConversationParts) {
  const { runtime, mode, chain } = context;
  const { window, factor, ...images } = known;
  return {
    ...runtime,
    settings: { ...runtime.settings, contextLength: window.tokens },
    store,
    enabled: mode !== "off",
    tenant,
    model,
    factor,
    ...images,
    chain,
    modelsAhead: true,
    // The gateway offers it by rules of its own.
    recall: { tool: "off" },
    sharedBudget: context.tenantSpend.budgetOf(tenant),
    amend: carryThinking,
    // What is only observed is no compaction.
    ...(mode === "observe" ? {} : hooksOf(context, { tenant, model })),
  } as const satisfies RuntimeOptions;
}

/** What is made ahead is found by every gateway on the store; it goes from there with the request that brings it into effect. */
function sharedAhead(
  { mode, store: { jobs } }: HistoryContext,
  tenant: string,
  pending: Pending,
): Pick<RuntimeOptions, "sharedAhead"> {
  if (jobs === undefined || mode !== "rewrite") return {};
  return {
    sharedAhead: {
      put: (compaction) => jobs.putPrepared(tenant, compaction),
      find: (links) => jobs.findPrepared(tenant, links),
      // A later one takes its place where this fails.
      drop: ({ covers }) => pending.add(() => jobs.dropPrepared(tenant, covers).catch(() => undefined)),
    },
  };
}

/** Whether a request went out before this process began: its messages were kept before it was answered. */
async function firstRequestSent({ store }: HistoryContext, request: First): Promise<boolean> {
  return !countsTokens(request) && store.isStored(request.tenant, request.reading.links.at(-1)!);
}

function isState(state: unknown): state is RuntimeState {
  return typeof state === "object" && state !== null && "schemaVersion" in state;
}

function emitSessionNotices(runtime: Runtime, tenant: string, onEvent: EmitEvent): void {
  const notice = (code: NoticeEvent["code"], message: string): void =>
    onEvent({ kind: "notice", code, tenant, message });
  runtime.on("pressure", ({ tokens, ...timing }) =>
    notice("pressure", `a conversation has ${shown(tokens)} tokens and ${describeMoment(timing)}`),
  );
  runtime.on("postponed", ({ tokens, by, because, ...timing }) => {
    const above = `a conversation has ${shown(tokens)} tokens, above its threshold of ${shown(timing.thresholdTokens)}`;
    const why = publicReason({ by, because }, runtime.report().engine);
    if (by === "back_off") notice("backed_off", `${above}, and is not compacted now: ${why}`);
    else notice("postponed", `${above}, and ${describeWait(timing)}: ${why}`);
  });
  runtime.on("degraded", ({ because, report }) => {
    // A back-off has a notice of its own.
    if (report !== undefined) notice("degraded", `a compaction is poorer than it should be: ${because.join("; ")}`);
  });
  runtime.on("modelResting", ({ because }) => notice("model_resting", because));
  runtime.on("irreducible", ({ smallest, limit, because }) =>
    notice(
      "irreducible",
      `the smallest valid request has ${shown(smallest)} tokens, and the limit is ${shown(limit)}: ${because}`,
    ),
  );
  // What the engine said may quote the conversation.
  runtime.on("engineDisabled", ({ engine, because }) =>
    notice("engine_disabled", `the engine ${engine} was disabled: ${because}`),
  );
}

function describeMoment({ thresholdTokens, compactsAtTokens, set }: CompactionTiming): string {
  if (compactsAtTokens === undefined) return "is not compacted automatically";
  const own = set === undefined ? "" : ` (set for this session: ${thresholdText(set)})`;
  if (compactsAtTokens <= thresholdTokens) return `is compacted at ${shown(compactsAtTokens)}${own}`;
  return `is compacted when its price is justified, at ${shown(compactsAtTokens)} at the latest; its threshold is ${shown(thresholdTokens)}${own}`;
}

function describeWait({ compactsAtTokens }: CompactionTiming): string {
  return compactsAtTokens === undefined
    ? "is not compacted"
    : `is compacted at ${shown(compactsAtTokens)} at the latest`;
}

/** An engine that is not ours may quote the conversation. */
function publicReason({ by, because }: Postponement, engine: string): string {
  return by === "back_off" && builtInName(engine) === undefined ? `the engine ${engine} rests` : because;
}

function shown(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

interface WindowNotice {
  readonly code: Extract<NoticeEvent["code"], `window_${string}`>;
  readonly window: WindowInUse;
}

export function emitWindowNotice(
  { onEvent, now }: NoticeContext,
  { tenant, model }: ServedModel,
  { code, window }: WindowNotice,
): void {
  const name = model === "" ? "a model" : model;
  const origin = windowOriginText(window, now());
  const counts = `the window of ${name} counts as ${window.tokens.toLocaleString("en-US")} tokens, ${origin}`;
  const message = {
    window_learned: counts,
    window_remembered: `${counts}. The dashboard can forget it`,
    window_forgotten: `a request larger than a learned window was accepted: ${counts}`,
  }[code];
  onEvent({ kind: "notice", code, tenant, message, window });
}

type NoticeContext = Pick<HistoryContext, "onEvent" | "now">;

/** Once for each learned window that comes from before this process. */
function announceWindow(context: NoticeContext & Pick<HistoryContext, "models">, served: ServedModel): void {
  const window = context.models.unannounced(served);
  if (window !== undefined) emitWindowNotice(context, served, { code: "window_remembered", window });
}

interface HookContext {
  readonly hooks: OperatorHooks | undefined;
  readonly onEvent: EmitEvent;
}

export function hooksOf(
  { hooks, onEvent }: HookContext,
  session: Pick<HookSession, "tenant" | "model">,
): Pick<RuntimeOptions, "hooks"> {
  if (hooks === undefined) return {};
  // What a command said may quote the conversation.
  const onFailure: HookSession["onFailure"] = ({ message }) =>
    onEvent({ kind: "notice", code: "hook_failed", tenant: session.tenant, message });
  return { hooks: hooks.forSession({ ...session, onFailure }) };
}
