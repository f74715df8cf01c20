/**
 * One request's way through the gateway, from top to bottom as docs/architecture.md describes it. Whatever of ours fails on
 * the way to the provider, the request goes on as it came.
 */
import { PrecisError } from "../../core/errors.ts";
import { answerCompressRoute, compressRouteOf } from "../compress/compress.ts";
import type { ClientRequest, ClientResponse, RequestHandler } from "../contract.ts";
import { routeOf } from "../routes.ts";
import type { Owner } from "../tenants/owner.ts";
import { statusOf, type Refused } from "../transport/refusals.ts";
import { answerWithRecall } from "./answer-with-recall.ts";
import { answerCompactRequest } from "./compact-request.ts";
import { takeChatCommand } from "./chat-command.ts";
import type { GatewayContext } from "./context.ts";
import { forwardOverloaded, forwardUnread } from "./forward-unread.ts";
import { keepOnceAccepted, prepareAppend, recallsUnkept } from "./keep.ts";
import type { ArrivingRequest } from "./model-request.ts";
import { readAndPrepare } from "./read.ts";
import { receive } from "./receive.ts";
import { openRecord, type RequestRecord } from "./record.ts";
import { respond, respondRefused } from "./respond.ts";
import { sendUntilAccepted } from "./send.ts";
import { replayAfterRefusal } from "./thread.ts";

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
      record.over(client.signal.aborted ? "aborted" : failureOutcome(error));
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
  const context = isolated
    ? { ...shared, ...shared.isolatedHistory(), compactAhead: nothing, watchIdle: nothing }
    : shared;
  const received = await receive(context, arriving, tenant);
  if ("response" in received) return received.response;
  const arrived = await takeChatCommand(context, received);
  if ("response" in arrived) return arrived.response;
  const request = await context.overload.during(() => readAndPrepare(context, arrived));
  if ("response" in request) return request.response;
  context.whenPrepared?.();
  const compacted = await answerCompactRequest(context, request);
  if (compacted !== undefined) return compacted;
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

/** Whose failure it was. */
function failureOutcome(error: unknown): "upstream_failed" | "turned_away" {
  const upstream = error instanceof PrecisError && error.code.startsWith("upstream_");
  return upstream ? "upstream_failed" : "turned_away";
}
