/** The first step of a request to a model: its body arrives within its bounds, or goes to the thread for large requests. */
import type { ClientResponse, RequestEvent } from "../contract.ts";
import type { GatewayContext } from "./context.ts";
import { type ArrivingRequest, type ReceivedRequest } from "./model-request.ts";
import { type RequestRecord } from "./record.ts";
import { passOnFault } from "./fault.ts";
import { respondRefused } from "./respond.ts";
import { isLarge, threadLost } from "../large/large-requests.ts";
import { receiveBody, type ReceivedBody } from "../transport/request-body.ts";

/** What is given in place of a request that is answered already: refused here, or answered by the thread. */
interface AnsweredEarly {
  readonly response: ClientResponse;
}

export async function receive(
  context: GatewayContext,
  arriving: ArrivingRequest,
  tenant: string,
): Promise<ReceivedRequest | AnsweredEarly> {
  const { client, record } = arriving;
  const { limits, unfolding } = context;
  const body = await receiveBody(client, limits, unfolding(tenant, client.signal));
  if ("refused" in body) return { response: respondRefused(record, body.refused) };
  const { raw } = body;
  record.bytesIn = raw.length;
  const request = { ...arriving, tenant, raw };
  const response = isLarge(body.plain, limits)
    ? await answerInThread(context, { client, record, tenant }, body)
    : "none";
  if (typeof response !== "string") return { response };
  if (response === "none") return { ...request, text: readableText(context, body, record) };
  // The event loop does not read it either.
  if (response === "late") record.treatment = { kind: "untouched", because: "overloaded" };
  else passOnFault(context, record, { because: "internal_fault", error: threadLost() });
  return { ...request, text: undefined };
}

interface Threaded extends Pick<ArrivingRequest, "client" | "record"> {
  readonly tenant: string;
}

/** From the thread for large requests; `none` where there is no such thread, else why it did not answer. */
export async function answerInThread(
  { large, threads, loopback }: GatewayContext,
  { client, record, tenant }: Threaded,
  { raw, plain }: Pick<ReceivedBody, "raw" | "plain">,
): Promise<ClientResponse | "none" | "late" | "lost"> {
  if (large === undefined) return "none";
  const over = (event: RequestEvent): void => {
    if (event.thread !== undefined) threads.keep(tenant, event.thread);
    record.overInThread(event);
  };
  record.inThread = true;
  const response = await large.answer({ tenant, client, raw, plain, loopback: loopback(), over });
  if (typeof response === "string") record.inThread = false;
  return response;
}

/** Undefined for a body that goes out unread. */
function readableText(
  { limits }: GatewayContext,
  { text, plain }: ReceivedBody,
  record: RequestRecord,
): string | undefined {
  if (text !== undefined) return text;
  const because = plain.length > limits.readBodyBytes ? "too_large_to_read" : "not_text";
  record.treatment = { kind: "untouched", because };
  return undefined;
}
