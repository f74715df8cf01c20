/**
 * A client's own `POST /responses/compact`. It goes to the provider like any other request, or the conversation is compacted
 * here and the provider is not asked: what comes back then is plain items, which the client sends in its next request.
 */
import type { Compaction } from "../../core/compaction/compaction.ts";
import { compactedAnswer, compactedEvents } from "../../protocols/openai-responses/compacted.ts";
import { memberText } from "../../protocols/json.ts";
import { protocols } from "../../protocols/index.ts";
import type { Prepared } from "../../session/contract.ts";
import type { ClientResponse } from "../contract.ts";
import type { GatewayContext } from "./context.ts";
import { faultReason, passOnFault } from "./fault.ts";
import { keepAnsweredHere } from "./keep.ts";
import type { ModelRequest, PreparedRequest } from "./model-request.ts";
import { inTurn, reportCompaction } from "./prepare.ts";
import { treatmentOf } from "./outgoing.ts";
import { respondHere } from "./respond.ts";

// It works on what the client itself sees: calls that were answered here are no part of its history.

/** What is aimed for where the engine's own figures would keep everything. */
const RESULT_SHARE = 0.2;

/** Undefined where the provider is to answer it: as configured, or because nothing can be done here. */
export async function answerCompactRequest(
  context: GatewayContext,
  request: ModelRequest,
): Promise<ClientResponse | undefined> {
  if (request.route.asks !== "compact" || context.compactRequests !== "local") return undefined;
  if (request.prepared === undefined || context.mode !== "rewrite") return undefined;
  const { record, client } = request;
  try {
    const compacted = await compactHere(context, request);
    await keepAnsweredHere(context, compacted);
    return respondWith(context, compacted);
  } catch (error) {
    if (client.signal.aborted) throw error;
    passOnFault(context, record, { because: faultReason(error), error });
    return undefined;
  }
}

/** Of what the client itself sees: calls that were answered here are no part of its history. */
async function compactHere(context: GatewayContext, request: PreparedRequest): Promise<PreparedRequest> {
  const { conversation, reading, client } = request;
  const { runtime, pending } = conversation;
  const { transcript } = reading.decoded;
  const started = performance.now();
  const { prepared, compaction } = await inTurn(conversation, async () => {
    pending.broughtBy(reading.links.at(-1));
    const made = await compactOnce(request, client.signal);
    return { compaction: made, prepared: await runtime.standing(transcript) };
  });
  const done = { ...request, prepared: { ...prepared, ...(compaction === undefined ? {} : { compaction }) } };
  if (compaction !== undefined) reportCompaction(context, done, compaction, performance.now() - started);
  return done;
}

/** By the engine's own figures; where they would keep everything, by a budget. */
async function compactOnce(
  { conversation: { runtime }, reading: { decoded }, prepared }: PreparedRequest,
  signal: AbortSignal,
): Promise<Compaction | undefined> {
  const { transcript } = decoded;
  const asked = { reason: "explicit", signal } as const;
  // An item of the provider's would leave the client's new history to that provider alone.
  const readable = await runtime.withoutRemote(transcript, { ...asked, because: READABLE });
  if (readable?.compaction !== undefined) return readable.compaction;
  const budgets = [undefined, Math.max(1, Math.floor(prepared.before * RESULT_SHARE))];
  for (const budget of budgets) {
    const size = budget === undefined ? {} : { budget };
    const outcome = await runtime.compact(transcript, { ...asked, ...size });
    if (outcome.kind === "compacted") return outcome.compaction;
  }
  return undefined;
}

const READABLE = "its client asked for a compaction, which any provider is to be able to read";

function respondWith(
  context: GatewayContext,
  { record, reading: { decoded }, prepared }: PreparedRequest,
): ClientResponse {
  const { transcript }: Prepared = prepared;
  const request = protocols[decoded.protocol].splice(decoded, transcript);
  const answer = { id: `resp_${record.id}`, createdAt: Math.floor(context.now() / 1_000), request };
  record.treatment = treatmentOf(prepared, undefined);
  record.streamed = memberText(request, "stream") === "true";
  return record.streamed
    ? respondHere(record, { contentType: "text/event-stream", body: compactedEvents(answer), streamed: true })
    : respondHere(record, { contentType: "application/json", body: compactedAnswer(answer), streamed: false });
}
