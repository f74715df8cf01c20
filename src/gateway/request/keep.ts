/** What is kept of a request, and when: once its provider accepts it, and before its answer ends. */
import { defined } from "../../core/defined.ts";
import { headerOf } from "../transport/headers.ts";
import type { Conversation } from "../conversations/conversations.ts";
import { archiveRestart } from "../history/archive.ts";
import { jobOf } from "../background/job.ts";
import { withTimeLimit } from "../../session/time-limit.ts";
import type { GatewayContext } from "./context.ts";
import { reportFault } from "./fault.ts";
import { countsTokens, type AnsweredRequest, type ModelRequest, type PreparedRequest } from "./model-request.ts";
import { isAccepted } from "./open-answer.ts";

type KeepContext = Pick<
  GatewayContext,
  "mode" | "store" | "storeHealth" | "conversations" | "limits" | "onEvent" | "runtime" | "remote" | "storeQuota"
>;

/** The client's own name for its session. */
const SESSION_HEADER = "x-precis-session";

type Append = () => Promise<unknown>;

/** Makes a request's messages ready to be kept; undefined where there are none. */
export function prepareAppend(context: KeepContext, request: ModelRequest): Append | undefined {
  const { store } = context;
  if (request.prepared === undefined || countsTokens(request)) return undefined;
  const { reading, conversation, client, tenant } = request;
  const { links, decoded } = reading;
  if (links.length === 0) return undefined;
  const session = headerOf(client.headers, SESSION_HEADER);
  const job = jobOf(context, request);
  const chain = {
    links,
    messages: decoded.transcript.messages,
    ...defined({ session, job }),
  };
  const fresh = decoded.transcript.messages.slice(conversation.kept ?? 0);
  return async () => {
    await store.appendChain(tenant, chain);
    context.storeQuota.added(
      tenant,
      fresh.reduce((bytes, { wire }) => bytes + (wire?.raw.length ?? 0), 0),
    );
  };
}

/** A request that is sent once more brings nothing that is not kept. */
function bringsMessages({ client, reading, conversation }: PreparedRequest): boolean {
  return headerOf(client.headers, SESSION_HEADER) !== undefined || reading.links.length > (conversation.kept ?? 0);
}

/**
 * Keeps what a request brought once it is seen to be accepted; the end of its answer waits for that, within a bound. Nothing
 * is kept of one that is refused. Where nothing was seen before the answer's end, the call to what is returned decides.
 */
export function keepOnceAccepted(
  context: KeepContext,
  request: AnsweredRequest,
  append: Append | undefined,
): () => Promise<void> {
  if (request.prepared === undefined || countsTokens(request)) return () => Promise.resolve();
  let keeping: Promise<void> | undefined;
  const keep = (): Promise<void> => (keeping ??= keepOrLeave(context, request, append));
  void request.answer.begun.then(keep);
  return keep;
}

/** Whether the model may recall what is not kept yet: then it has to be known whether the request is accepted. */
export function recallsUnkept(request: ModelRequest): boolean {
  return (
    request.prepared !== undefined &&
    request.outgoing.hiddenTools.size > 0 &&
    request.conversation.pending.waiting() > 0
  );
}

/** Requests of one conversation that were not accepted and whose compactions wait in memory. */
const WAITING_REQUESTS_MAX = 4;

/** What a request that was not accepted brought goes on waiting for one that is, within a bound. */
export function leaveWaiting({ conversations }: Pick<KeepContext, "conversations">, conversation: Conversation): void {
  if (conversation.pending.waiting() > WAITING_REQUESTS_MAX) conversations.forget(conversation);
}

async function keepOrLeave(
  context: KeepContext,
  request: PreparedRequest & AnsweredRequest,
  append: Append | undefined,
): Promise<void> {
  const { answer, conversation } = request;
  if (!isAccepted(answer)) {
    const isStranger = refusesSender(answer.response.status, answer.error);
    const bringsSomething = conversation.kept === undefined || conversation.pending.waiting() > 0;
    if (isStranger && bringsSomething) context.conversations.forget(conversation);
    return leaveWaiting(context, conversation);
  }
  // What waits is kept with its conversation, which may have been deleted meanwhile: without it, nobody would find it.
  const waits = conversation.pending.waiting() > 0;
  if (!waits && (append === undefined || !bringsMessages(request) || context.storeQuota.isFull(request.tenant))) return;
  return withTimeLimit(context.limits.commitWaitMs, write(context, request, append), () => undefined);
}

async function write(
  { mode, store, storeHealth, onEvent }: KeepContext,
  { reading: { links, decoded }, conversation, record, tenant, prepared: { compaction } }: PreparedRequest,
  append: Append | undefined,
): Promise<void> {
  try {
    // Handed over together: a database writes both at once, and the answer's end waits once.
    await Promise.all([conversation.pending.keep(links), append?.()]);
    if (compaction !== undefined && mode === "rewrite")
      await archiveRestart(store, tenant, compaction, { links, messages: decoded.transcript.messages });
    storeHealth.fails = false;
    conversation.kept = Math.max(conversation.kept ?? 0, links.length);
  } catch (error) {
    storeHealth.fails = true;
    reportFault({ onEvent }, record, "store_unavailable", error);
  }
}

const BY_STATUS: ReadonlySet<number> = new Set([401, 403]);
/** Google answers so with a 400 (https://ai.google.dev/gemini-api/docs/troubleshooting, `API_KEY_INVALID`). */
const INVALID_KEY = /API_KEY_INVALID|API key not valid/;

function refusesSender(status: number, error: string | undefined): boolean {
  return BY_STATUS.has(status) || (status === 400 && error !== undefined && INVALID_KEY.test(error));
}
