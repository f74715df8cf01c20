/** A conversation that nobody knows begins: its session starts from what the store has of it. */
import type { RuntimeOptions, RuntimeState } from "../../session/contract.ts";
import { createRuntime } from "../../session/runtime.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { rootOf, type ConversationStart, type Conversation } from "../conversations.ts";
import { carryThinking } from "../knowledge/thinking/index.ts";
import type { ModelKnowledge } from "../models.ts";
import { createPending, type CheckedStore, type Pending } from "../pending.ts";
import type { HistoryContext } from "./context.ts";
import { hooksOf } from "../operator-hooks.ts";
import { emitSessionNotices } from "./session-notices.ts";
import { announceWindow } from "./window-notices.ts";
import { countsTokens, type PreparedRequest, type ReceivedRequest } from "./model-request.ts";

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

export interface ConversationParts {
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
