/**
 * A request that continues a thread at its provider. It goes on as it came while the thread has room; where a compaction is
 * due, the client is told what makes it send the whole conversation, and that is compacted like any other.
 */
import { definitions } from "../../protocols/registry.ts";
import type { ThreadForm, ThreadRefusal } from "../../protocols/definition.ts";
import { applyEdits } from "../../protocols/json.ts";
import type { ClientResponse } from "../contract.ts";
import type { ReadRequest } from "../conversations/conversations.ts";
import { droppingThinking, thinkingRefusal } from "../quirks/thinking.ts";
import { threadUseOf } from "../conversations/threads.ts";
import type { GatewayContext } from "./context.ts";
import { countsTokens, type AnsweredRequest, type ModelRequest, type ReceivedRequest } from "./model-request.ts";
import type { RequestRecord } from "./record.ts";
import { ownResponse, respondRefused } from "./respond.ts";

/** What the gateway answers by itself to a request that uses a thread; undefined where the request goes on. */
export function refuseThread(
  context: GatewayContext,
  request: ReceivedRequest,
  { decoded }: ReadRequest,
): ClientResponse | undefined {
  const use = threadUseOf(decoded);
  const { threads } = context;
  if (use === undefined || countsTokens(request)) return undefined;
  if (threads.policy === "refuse") return refusedWith(request.record, threadForm(request).unsupported());
  if (use.kind === "create" || threads.policy === "pass") return undefined;
  const held = threads.find(request.tenant, use.previousId);
  if (held?.replayTokens === undefined) return undefined;
  const newTokens = context.caching.measure.messages(decoded.transcript.messages);
  return held.tokens + newTokens < held.replayTokens ? undefined : askedToReplay(context, request, use.previousId);
}

/** The request as it goes on: what was told to the provider of the thread's thinking is told again. */
export function continuing(context: GatewayContext, request: ReceivedRequest, { decoded }: ReadRequest): ModelRequest {
  const use = threadUseOf(decoded);
  if (use?.kind !== "continue") return { ...request, prepared: undefined };
  const { previousId } = use;
  const held = context.threads.find(request.tenant, previousId);
  const continued = { ...request, prepared: undefined, continues: previousId };
  if (held?.dropsThinking !== true) return continued;
  const { bodyEdits, editHeaders } = droppingThinking(decoded);
  return { ...continued, outgoing: { body: applyEdits(decoded.body, bodyEdits(decoded)), editHeaders } };
}

/**
 * What the client is answered where its provider refuses to continue a thread for a reason that a replay puts right;
 * undefined for every other answer.
 */
export async function replayAfterRefusal(
  context: GatewayContext,
  request: AnsweredRequest,
): Promise<ClientResponse | undefined> {
  if (request.prepared !== undefined || request.continues === undefined) return undefined;
  if (context.mode !== "rewrite" || context.threads.policy !== "replay") return undefined;
  const { response, tooLarge, error, body } = request.answer;
  const bound = error !== undefined && thinkingRefusal(response.status, error) === "bound";
  if (!tooLarge && !bound) return undefined;
  const replay = askedToReplay(context, request, request.continues);
  if (replay !== undefined) await body.return();
  return replay;
}

function askedToReplay(
  { threads }: GatewayContext,
  request: ReceivedRequest,
  previousId: string,
): ClientResponse | undefined {
  const refusal = threads.refusal(request.tenant, previousId, threadForm(request));
  return refusal && refusedWith(request.record, refusal);
}

function threadForm({ route }: ReceivedRequest): ThreadForm {
  return definitions[route.protocol].threads!;
}

function refusedWith(record: RequestRecord, refusal: ThreadRefusal): ClientResponse {
  record.treatment = { kind: "untouched", because: "thread_replay" };
  return respondRefused(record, ownResponse(record, refusal));
}
