/** The third step: the body is read with the memory of its conversation, then prepared. */
import type { ClientResponse } from "../contract.ts";
import type { GatewayContext } from "./context.ts";
import { faultReason, passOnFault } from "./fault.ts";
import type { ModelRequest, ReceivedRequest } from "./model-request.ts";
import { prepareRequest } from "./prepare.ts";
import { continuing, refuseThread } from "./thread.ts";

/**
 * Without `prepared` where the request goes out as it came: it cannot be read, its provider holds the history, or we failed.
 * A response where its client has to send the whole conversation first.
 */
export async function readAndPrepare(
  context: GatewayContext,
  request: ReceivedRequest,
): Promise<ModelRequest | { readonly response: ClientResponse }> {
  const { record, route, tenant, text } = request;
  if (text === undefined) return asItCame(request);
  try {
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
