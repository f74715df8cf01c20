/** Where the model may call tools of ours, its calls are answered on the way, and the client sees an answer without them. */
import type { GatewayContext } from "./context.ts";
import { countsTokens, type AnsweredRequest } from "./model-request.ts";
import { sendBody } from "./send.ts";

export async function answerWithRecall(context: GatewayContext, request: AnsweredRequest): Promise<AnsweredRequest> {
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
