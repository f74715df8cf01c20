/**
 * One request's way through the gateway, from top to bottom as docs/architecture.md describes it. Whatever of ours fails on
 * the way to the provider, the request goes on as it came.
 */
import { answerCompressRoute, compressRouteOf } from "../compress-route.ts";
import type { ClientRequest, ClientResponse, RequestHandler } from "../contract.ts";
import { routeOf } from "./routes.ts";
import type { Owner } from "../tenants/owner.ts";
import { failureText } from "../transport/failures.ts";
import { statusOf, type Refused } from "../transport/refusals.ts";
import { takeChatCommand } from "./chat-command.ts";
import type { GatewayContext } from "./context.ts";
import { keepOnceAccepted, prepareAppend, recallsUnkept } from "./keep.ts";
import {
  type ArrivingRequest,
  type ReceivedRequest,
  type ModelRequest,
  countsTokens,
  type AnsweredRequest,
} from "./model-request.ts";
import { openRecord, type RequestRecord } from "./record.ts";
import { passOnFault, faultReason } from "./fault.ts";
import { respond, respondRefused, respondUnread } from "./respond.ts";
import { sendUntilAccepted, sendBody } from "./send.ts";
import { replayAfterRefusal, continuing, refuseThread } from "./thread.ts";
import { prepareRequest } from "./prepare.ts";
import { isEventStream } from "../../protocols/answers/reader.ts";
import { onwardHeaders, headerOf } from "../transport/headers.ts";
import type { Destination } from "../transport/upstreams.ts";
import { receive } from "./receive.ts";

export function createRequestHandler(context: GatewayContext): RequestHandler {
  return async (client) => {
    const opening = context.spans.open(client);
    const span = opening instanceof Promise ? await opening : opening;
    const record = openRecord(client, context.onEvent, span);
    try {
      // Who may ask, and how much, is decided before what is asked for: another spelling of a path is no way around it.
      const owner = admitted(context, client, record);
      if ("refused" in owner) return respondRefused(record, owner.refused);
      const own = compressRouteOf(client);
      if (own !== undefined) return await answerCompressRoute(context, own, { client, record, owner });
      const destination = context.upstreams.pick(client);
      if ("refused" in destination) return respondRefused(record, destination.refused);
      record.upstream = destination.upstream.name;
      const route = routeOf(client.method, destination.target);
      if (route === undefined) return await forwardUnread(context, client, { record, destination });
      const arriving = { client, record, destination, route };
      record.protocol = route.protocol;
      // There may be no time to read it.
      if (context.overload.isOver()) return await forwardOverloaded(context, arriving);
      return await handleModelRequest(context, arriving, owner);
    } catch (error) {
      record.status = statusOf(error);
      record.failure = failureText(error);
      record.over(client.signal.aborted ? "aborted" : record.failure === undefined ? "turned_away" : "upstream_failed");
      throw error;
    }
  };
}

const nothing = (): void => undefined;

async function handleModelRequest(
  shared: GatewayContext,
  arriving: ArrivingRequest,
  { tenant, isolated }: Owner,
): Promise<ClientResponse> {
  const context = isolated ? { ...shared, ...shared.isolatedHistory(), compactAhead: nothing } : shared;
  const received = await receive(context, arriving, tenant);
  if ("response" in received) return received.response;
  const arrived = await takeChatCommand(context, received);
  if ("response" in arrived) return arrived.response;
  const request = await context.overload.during(() => readAndPrepare(context, arrived));
  if ("response" in request) return request.response;
  context.whenPrepared?.();
  const accepting = sendUntilAccepted(context, request);
  // The provider works on the request meanwhile.
  const append = prepareAppend(context, request);
  const accepted = await accepting;
  const replay = await replayAfterRefusal(context, accepted);
  if (replay !== undefined) return replay;
  const keep = keepOnceAccepted(context, accepted, append);
  // What the model may recall from now on has to be in the store.
  if (recallsUnkept(accepted)) await keep();
  const answered = await answerWithRecall(context, accepted);
  return respond(context, answered, keep);
}

/** Whose the request is, which is counted for its tenant until it is over. */
function admitted(context: GatewayContext, client: ClientRequest, record: RequestRecord): Owner | Refused {
  const { tenants, tenant: policy, loopback, credentialNames, tenantRates } = context;
  const owner = tenants.ownerOf(client, { policy, loopback: loopback(client.headers), credentialNames });
  if ("refused" in owner) return owner;
  record.tenant = owner.tenant;
  const entered = tenantRates.enter(owner.tenant, client);
  if ("refused" in entered) return entered;
  record.whenOver(entered.leave);
  return owner;
}

/**
 * Without `prepared` where the request goes out as it came: it cannot be read, its provider holds the history, or we failed.
 * A response where its client has to send the whole conversation first.
 */
async function readAndPrepare(
  context: GatewayContext,
  request: ReceivedRequest,
): Promise<ModelRequest | { readonly response: ClientResponse }> {
  const { record, route, tenant, text } = request;
  if (text === undefined) return asItCame(request);
  try {
    // Nothing of the requests before was kept, and this one is not to go on without.
    if (context.onFault === "refuse" && context.storeHealth.fails) await context.storeHealth.check();
    const reading = context.conversations.read(tenant, route, text);
    record.model = reading.decoded.transcript.model ?? "";
    const response = refuseThread(context, request, reading);
    if (response !== undefined) return { response };
    if (reading.decoded.locked !== undefined) {
      record.treatment = { kind: "untouched", because: "held_by_provider" };
      return continuing(context, request, reading);
    }
    const since = record.span.now();
    const prepared = await prepareRequest(context, request, reading);
    record.span.compacted(prepared.prepared, since);
    record.showPrepared(prepared);
    record.restored = reading.restored ?? 0;
    // Nothing of what came before was kept either; the operator and the client are told.
    if (context.storeHealth.fails && record.treatment.kind === "unchanged")
      record.treatment = { kind: "untouched", because: "store_unavailable" };
    if (context.storeQuota.isFull(tenant) && record.treatment.kind === "unchanged")
      record.treatment = { kind: "untouched", because: "tenant_store_full" };
    return prepared;
  } catch (error) {
    passOnFault(context, record, { because: faultReason(error), error });
    return asItCame(request);
  }
}

function asItCame(request: ReceivedRequest): ModelRequest {
  return { ...request, prepared: undefined };
}

async function forwardUnread(
  context: Pick<GatewayContext, "sender">,
  { method, headers, body, signal }: ClientRequest,
  { record, destination }: { readonly record: RequestRecord; readonly destination: Destination },
): Promise<ClientResponse> {
  record.sent();
  const response = await record.span.upstream(destination.upstream, () =>
    context.sender.send({
      to: destination,
      tenant: record.tenant,
      method,
      headers: onwardHeaders(headers, "same"),
      body,
      signal,
    }),
  );
  const streamed = isEventStream(headerOf(response.headers, "content-type"));
  return respondUnread(record, { response, streamed, body: response.body });
}

async function forwardOverloaded(context: GatewayContext, arriving: ArrivingRequest): Promise<ClientResponse> {
  arriving.record.treatment = { kind: "untouched", because: "overloaded" };
  return forwardUnread(context, arriving.client, arriving);
}

async function answerWithRecall(context: GatewayContext, request: AnsweredRequest): Promise<AnsweredRequest> {
  const { recall } = context;
  if (recall === undefined || request.prepared === undefined) return request;
  if (request.outgoing.hiddenTools.size === 0 || countsTokens(request)) return request;
  const answer = await recall.withoutRecalls({
    request,
    resend: (body) => sendBody(context, request, { body, holds: "all" }),
    failed: () => request.record.over("upstream_failed"),
    signal: request.client.signal,
  });
  return { ...request, answer };
}
