/** An answer as an HTTP response: streamed or whole, with whatever was ordered to go wrong on its way. */
import { fieldsOf, parsed } from "../../src/protocols/fields.ts";
import type { Bill } from "./account.ts";
import type { Admitted } from "./context.ts";
import type { StreamEvent, ReplyToSend } from "./contract.ts";
import type { Refusal } from "../../src/protocols/request-form/openai-refusals.ts";
import type { Fault } from "./faults.ts";
import type { Wire } from "./wire.ts";
import { pause, sseText, streamOf, type BreakOff } from "./stream.ts";

export interface RespondOptions {
  readonly toSend: ReplyToSend;
  readonly fault: Fault | undefined;
  readonly bill: (outputTokens: number) => Bill;
  /** Called with what was delivered, once it is. */
  readonly delivered: (answer: unknown) => void;
}

const EVENT_STREAM = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };
const HALF = 0.5;
const MS = 1_000;

const MID_STREAM: Refusal = { status: 529, reason: "fault", type: "overloaded_error", message: "Overloaded" };

export const respond = {
  answer: (admitted: Admitted, given: RespondOptions): Response | Promise<Response> =>
    admitted.context.record.stream ? streamed(admitted, given) : whole(admitted, given),

  /** HTTP 200, and the error inside of the stream. */
  streamedError: (refusal: Refusal, { wire, context, model, provider }: Admitted): Response => {
    const created = Math.floor(provider.now() / MS);
    const events =
      refusal.body === undefined
        ? wire.streamedError(refusal, { id: context.id, model, created })
        : [foreignError(refusal.body, wire)];
    const text = Array.from(events, sseText).join("");
    return new Response(text, { headers: { ...EVENT_STREAM, ...wire.requestHeaders(context.requestId) } });
  },
};

/** Another server's error as an event: what is no error by its own form is put into one. */
function foreignError(body: string, { errorEvent }: Wire): StreamEvent {
  const value = parsed(body);
  const error = fieldsOf(Array.isArray(value) ? value[0] : value);
  const isError = error["error"] !== undefined || error["type"] === "error" || error["object"] === "error";
  const data = isError ? error : { error };
  return { data, tokens: 0, ...(errorEvent === undefined ? {} : { event: errorEvent }) };
}

function streamed(
  { wire, context, received, provider, model }: Admitted,
  { toSend, fault, bill, delivered }: RespondOptions,
): Response {
  const { id, created } = toSend;
  const body = streamOf(wire.stream(toSend), {
    pace: provider.pace,
    signal: received.request.signal,
    breakOff: received.breakOff,
    fault,
    errors: (): Iterable<StreamEvent> => wire.streamedError(MID_STREAM, { id, model, created }),
    ended: (end, sentTokens) => {
      if (end === "done") delivered(wire.replyBody(toSend));
      context.ended(end, bill(end === "done" && fault === undefined ? toSend.outputTokens : sentTokens));
    },
  });
  return new Response(body, { headers: { ...EVENT_STREAM, ...wire.requestHeaders(context.requestId) } });
}

async function whole(admitted: Admitted, { toSend, fault, bill, delivered }: RespondOptions): Promise<Response> {
  const { wire, context, received, provider } = admitted;
  const { signal } = received.request;
  if (provider.pace !== undefined) await pause((toSend.outputTokens / provider.pace) * MS, signal);
  if (fault?.kind === "stall") await pause(fault.ms, signal);
  const headers = { "content-type": "application/json", ...wire.requestHeaders(context.requestId) };
  if (signal.aborted) {
    context.ended("aborted", bill(toSend.outputTokens));
    return new Response(null, { headers });
  }
  const answer = wire.replyBody(toSend);
  const text = JSON.stringify(answer);
  const start = text.slice(0, Math.floor(text.length * HALF));
  if (fault?.kind === "cut") {
    context.ended("cut", bill(toSend.outputTokens));
    return new Response(breaking(start, received.breakOff), {
      headers: { ...headers, "content-length": String(Buffer.byteLength(text)) },
    });
  }
  if (fault?.kind !== "malformed") delivered(answer);
  context.ended("done", bill(toSend.outputTokens));
  return new Response(fault?.kind === "malformed" ? start : text, { headers });
}

/** Sends what there is, then breaks the connection. */
function breaking(text: string, breakOff: BreakOff): ReadableStream<Uint8Array> {
  let sent = false;
  return new ReadableStream({
    pull: async (controller) => {
      if (sent) await breakOff(controller);
      else controller.enqueue(new TextEncoder().encode(text));
      sent = true;
    },
  });
}
