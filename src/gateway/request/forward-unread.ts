/** Requests whose body is not even read: of any other route of a provider's API, or of a model's while the gateway has too much to do. */
import { isEventStream } from "../../protocols/answers/reader.ts";
import type { ClientRequest, ClientResponse } from "../contract.ts";
import { onwardHeaders } from "../transport/headers.ts";
import type { Destination } from "../transport/upstreams.ts";
import { headerOf } from "../transport/vendor.ts";
import type { GatewayContext } from "./context.ts";
import type { ArrivingRequest } from "./model-request.ts";
import { admit } from "./receive.ts";
import type { RequestRecord } from "./record.ts";
import { respondRefused, respondUnread } from "./respond.ts";

export async function forwardUnread(
  context: Pick<GatewayContext, "sender">,
  { method, headers, body, signal }: ClientRequest,
  { record, destination }: { readonly record: RequestRecord; readonly destination: Destination },
): Promise<ClientResponse> {
  record.sent();
  const response = await record.span.upstream(destination.upstream, () =>
    context.sender.send({ to: destination, method, headers: onwardHeaders(headers, "same"), body, signal }),
  );
  const streamed = isEventStream(headerOf(response.headers, "content-type"));
  return respondUnread(record, { response, streamed, body: response.body });
}

/** A tenant's rates hold all the same. */
export async function forwardOverloaded(
  context: GatewayContext,
  arriving: ArrivingRequest,
  tenant: string,
): Promise<ClientResponse> {
  const { client, record, route } = arriving;
  record.protocol = route.protocol;
  record.tenant = tenant;
  const refused = admit(context, arriving, tenant);
  if (refused !== undefined) return respondRefused(record, refused);
  record.treatment = { kind: "untouched", because: "overloaded" };
  return forwardUnread(context, client, arriving);
}
