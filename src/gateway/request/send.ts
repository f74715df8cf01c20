/**
 * A request goes out to its provider, and again, within a bound, as long as it is refused and can be changed so that it may
 * be accepted. The client sees one answer.
 */
import type { Overflow } from "../../protocols/protocol.ts";
import { refusesNeighbours } from "../../protocols/openai-chat/alternate.ts";
import { thinkingRefusal } from "../quirks/thinking.ts";
import { onwardHeaders } from "../transport/headers.ts";
import type { GatewayContext } from "./context.ts";
import { faultReason, reportFault } from "./fault.ts";
import { leaveWaiting, recallsUnkept } from "./keep.ts";
import { countsTokens, type AnsweredRequest, type ModelRequest, type PreparedRequest } from "./model-request.ts";
import { isAccepted, openAnswer, type OpeningOptions, type ProviderAnswer } from "./open-answer.ts";
import {
  prepareAfterOverflow,
  endRetries,
  prepareWithoutThinking,
  prepareAlternating,
  prepareWithoutItem,
} from "./retry.ts";

/** The request with the answer that counts: to itself, or to what was sent in its place. */
export async function sendUntilAccepted(context: GatewayContext, request: ModelRequest): Promise<AnsweredRequest> {
  try {
    return await sendWithRetries(context, request);
  } catch (error) {
    // Nobody knows whether it was accepted.
    if (request.prepared !== undefined) leaveWaiting(context, request.conversation);
    throw error;
  }
}

async function sendWithRetries(context: GatewayContext, request: ModelRequest): Promise<AnsweredRequest> {
  let answered = await send(context, request);
  let accepted = false;
  try {
    for (let retries = 0; retries < context.limits.refusalRetries; retries++) {
      const again = await retry(context, answered);
      if (again === undefined) break;
      answered = again;
    }
    accepted = isAccepted(answered.answer);
    return answered;
  } finally {
    if (answered.prepared !== undefined) endRetries(context, answered, accepted);
  }
}

/** Sends a request that was refused once more, where it can be changed so that it may be accepted. */
async function retry(context: GatewayContext, refused: AnsweredRequest): Promise<AnsweredRequest | undefined> {
  const { record, client, answer } = refused;
  let discarded = false;
  try {
    const since = record.span.now();
    const again = await changedFor(context, refused);
    if (again === undefined) return undefined;
    record.span.compacted(again.prepared, since);
    discarded = true;
    await answer.body.return();
    record.retried = true;
    record.showPrepared(again);
    return await send(context, again);
  } catch (error) {
    if (client.signal.aborted || discarded) throw error;
    reportFault(context, record, faultReason(error), error);
    return undefined;
  }
}

/**
 * Compacted where it was too large, without the thinking that does not fit where that was in the way, with roles that
 * alternate where they have to, without an item of the provider's own compaction where that may have been.
 */
async function changedFor(context: GatewayContext, refused: AnsweredRequest): Promise<PreparedRequest | undefined> {
  if (refused.prepared === undefined) return undefined;
  const { response, tooLarge, error } = refused.answer;
  const overflow: Overflow | undefined = refused.answer.reader.state.overflow;
  if (tooLarge && overflow !== undefined) return prepareAfterOverflow(context, refused, overflow);
  const { status } = response;
  if (error !== undefined) {
    if (thinkingRefusal(status, error) === "bound") return prepareWithoutThinking(context, refused);
    if (refusesNeighbours(status, error)) return prepareAlternating(context, refused);
  }
  return status === 400 || status === 422 ? prepareWithoutItem(context, refused) : undefined;
}

async function send(context: GatewayContext, request: ModelRequest): Promise<AnsweredRequest> {
  const body = request.outgoing?.body ?? request.text;
  return { ...request, answer: await sendBody(context, request, { body, holds: chooseHold(request) }) };
}

/** Small requests fit any window: their streams are not held for a moment. */
const HELD_TOKENS_MIN = 4_000;

function chooseHold(request: ModelRequest): OpeningOptions["holds"] {
  if (countsTokens(request)) return "nothing";
  if (request.prepared === undefined) return request.continues === undefined ? "nothing" : "small";
  return request.prepared.tokens < HELD_TOKENS_MIN && !recallsUnkept(request) ? "small" : "all";
}

interface SendOptions extends Pick<OpeningOptions, "holds"> {
  /** The request's own text goes out as the bytes that came. */
  readonly body: string | undefined;
}

/** Sends what is to be sent, the bytes that came or another body, and looks at how the answer begins. */
export async function sendBody(
  { sender, limits }: Pick<GatewayContext, "sender" | "limits">,
  request: ModelRequest,
  { body, holds }: SendOptions,
): Promise<ProviderAnswer> {
  const { client, record, destination, route, raw, text } = request;
  const rewritten = body !== undefined && body !== text;
  const headers = onwardHeaders(client.headers, rewritten ? "rewritten" : "same");
  record.sent();
  const response = await record.span.upstream(destination.upstream, () =>
    sender.send({
      to: destination,
      tenant: record.tenant,
      method: client.method,
      headers: request.outgoing?.editHeaders?.(headers) ?? headers,
      body: rewritten ? Buffer.from(body) : raw,
      signal: client.signal,
    }),
  );
  return openAnswer(response, { protocol: route.protocol, holds, limits });
}
