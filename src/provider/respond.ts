/** An answer as an HTTP response: streamed or whole, with whatever was ordered to go wrong on its way. */
import { fieldsOf, parsed } from "../protocols/fields.ts";
import type { Bill } from "./account.ts";
import type { Admitted } from "./admitted.ts";
import type { Refusal, StreamEvent, ReplyToSend } from "./contract.ts";
import type { Fault } from "./faults.ts";
import type { Wire } from "./wire.ts";
import { pause, sseText, streamOf, type BreakOff } from "./stream.ts";

export interface RespondOptions {
  readonly telling: ReplyToSend;
  readonly fault: Fault | undefined;
  readonly bill: (outputTokens: number) => Bill;
  /** Called with what was delivered, once it is. */
  readonly delivered: (told: unknown) => void;
}

const EVENT_STREAM = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };
const HALF = 0.5;
const MS = 1_000;

const MID_STREAM: Refusal = { status: 529, reason: "fault", type: "overloaded_error", message: "Overloaded" };

export const respond = {
  answer: (admitted: Admitted, given: RespondOptions): Response | Promise<Response> =>
    admitted.visit.record.stream ? streamed(admitted, given) : whole(admitted, given),

  /** HTTP 200, and the error inside of the stream. */
  streamedError: (refusal: Refusal, { wire, visit, model, house }: Admitted): Response => {
    const created = Math.floor(house.now() / MS);
    const events =
      refusal.body === undefined
        ? wire.streamedError(refusal, { id: visit.id, model, created })
        : [foreignError(refusal.body, wire)];
    const text = Array.from(events, sseText).join("");
    return new Response(text, { headers: { ...EVENT_STREAM, ...wire.requestHeaders(visit.requestId) } });
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
  { wire, visit, arrival, house, model }: Admitted,
  { telling, fault, bill, delivered }: RespondOptions,
): Response {
  const { id, created } = telling;
  const body = streamOf(wire.stream(telling), {
    pace: house.pace,
    signal: arrival.request.signal,
    breakOff: arrival.breakOff,
    fault,
    errors: (): Iterable<StreamEvent> => wire.streamedError(MID_STREAM, { id, model, created }),
    ended: (end, sentTokens) => {
      if (end === "done") delivered(wire.tell(telling));
      visit.ended(end, bill(end === "done" && fault === undefined ? telling.outputTokens : sentTokens));
    },
  });
  return new Response(body, { headers: { ...EVENT_STREAM, ...wire.requestHeaders(visit.requestId) } });
}

async function whole(admitted: Admitted, { telling, fault, bill, delivered }: RespondOptions): Promise<Response> {
  const { wire, visit, arrival, house } = admitted;
  const { signal } = arrival.request;
  if (house.pace !== undefined) await pause((telling.outputTokens / house.pace) * MS, signal);
  if (fault?.kind === "stall") await pause(fault.ms, signal);
  const headers = { "content-type": "application/json", ...wire.requestHeaders(visit.requestId) };
  if (signal.aborted) {
    visit.ended("aborted", bill(telling.outputTokens));
    return new Response(null, { headers });
  }
  const told = wire.tell(telling);
  const text = JSON.stringify(told);
  const start = text.slice(0, Math.floor(text.length * HALF));
  if (fault?.kind === "cut") {
    visit.ended("cut", bill(telling.outputTokens));
    return new Response(breaking(start, arrival.breakOff), {
      headers: { ...headers, "content-length": String(Buffer.byteLength(text)) },
    });
  }
  if (fault?.kind !== "malformed") delivered(told);
  visit.ended("done", bill(telling.outputTokens));
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
