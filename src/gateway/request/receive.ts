/** The first step of a request to a model: its tenant may send it, and its body arrives within its bounds, or goes to the thread for large requests. */
import type { ClientRequest, ClientResponse, RequestEvent } from "../contract.ts";
import { isLarge, threadLost } from "../large/large-requests.ts";
import type { Refused } from "../transport/refusals.ts";
import type { Owner } from "../tenants/owner.ts";
import { receiveBody, type ReceivedBody } from "../transport/request-body.ts";
import type { GatewayContext } from "./context.ts";
import { passOnFault } from "./fault.ts";
import type { ArrivingRequest, ReceivedRequest } from "./model-request.ts";
import type { RequestRecord } from "./record.ts";
import { respondRefused } from "./respond.ts";

/** What is given in place of a request that is answered already: refused here, or answered by the thread. */
interface AnsweredEarly {
  readonly response: ClientResponse;
}

export function tenantOf(
  { tenants, tenant: policy, loopback, credentialNames }: GatewayContext,
  client: Pick<ClientRequest, "headers" | "target">,
): Owner | Refused {
  return tenants.ownerOf(client, { policy, loopback: loopback(), credentialNames });
}

/** Counts the request for its tenant, until it is over; what to answer where that has too many. */
export function admit(
  { tenantRates }: Pick<GatewayContext, "tenantRates">,
  { client, record }: Pick<ArrivingRequest, "client" | "record">,
  tenant: string,
): ClientResponse | undefined {
  const admitted = tenantRates.enter(tenant, client);
  if ("refused" in admitted) return admitted.refused;
  record.whenOver(admitted.leave);
  return undefined;
}

export async function receive(
  context: GatewayContext,
  arriving: ArrivingRequest,
  tenant: string,
): Promise<ReceivedRequest | AnsweredEarly> {
  const { client, record, route } = arriving;
  const { limits, large } = context;
  record.protocol = route.protocol;
  record.tenant = tenant;
  const refused = admit(context, arriving, tenant);
  if (refused !== undefined) return { response: respondRefused(record, refused) };
  const body = await receiveBody(client, limits);
  if ("refused" in body) return { response: respondRefused(record, body.refused) };
  const { raw, plain } = body;
  record.bytesIn = raw.length;
  const request = { ...arriving, tenant, raw };
  if (large === undefined || !isLarge(plain, limits)) return { ...request, text: textOf(context, body, record) };
  const over = (event: RequestEvent): void => {
    if (event.thread !== undefined) context.threads.keep(tenant, event.thread);
    record.overInThread(event);
  };
  const response = await large.answer({ client, raw, loopback: context.loopback(), over });
  if (response !== undefined) return { response };
  // The event loop does not read it either.
  passOnFault(context, record, { because: "internal_fault", error: threadLost() });
  return { ...request, text: undefined };
}

/** Undefined for a body that goes out unread. */
function textOf({ limits }: GatewayContext, { text, plain }: ReceivedBody, record: RequestRecord): string | undefined {
  if (text !== undefined) return text;
  const because = plain.length > limits.readBodyBytes ? "too_large_to_read" : "not_text";
  record.treatment = { kind: "untouched", because };
  return undefined;
}
