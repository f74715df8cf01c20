/** Requests whose body is not even read: of any other route of a provider's API, or of a model's while the gateway has too much to do. */
import { isEventStream } from "../../protocols/answers/reader.ts";
import type { ClientRequest, ClientResponse } from "../contract.ts";
import { onwardHeaders } from "../transport/headers.ts";
import type { Destination } from "../transport/upstreams.ts";
import { headerOf } from "../transport/vendor.ts";
import type { GatewayContext } from "./context.ts";
import type { ArrivingRequest } from "./model-request.ts";
import type { RequestRecord } from "./record.ts";
import { respondUnread } from "./respond.ts";

export async function forwardUnread(
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

export async function forwardOverloaded(context: GatewayContext, arriving: ArrivingRequest): Promise<ClientResponse> {
  arriving.record.treatment = { kind: "untouched", because: "overloaded" };
  return forwardUnread(context, arriving.client, arriving);
}
