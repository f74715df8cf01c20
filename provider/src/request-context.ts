/** One request's way through the provider, from its arrival to the line in the account: opened once, closed once. */
import { hash } from "node:crypto";
import { keyName, type Bill } from "./account.ts";
import type { Refusal } from "../../src/protocols/request-form/openai-refusals.ts";
import type { Fault } from "./faults.ts";
import type { ProviderContext } from "./context.ts";
import type { Outcome, RequestRecord } from "./record.ts";
import type { BreakOff, StreamEnd } from "./stream.ts";
import type { Wire } from "./wire.ts";

export interface IncomingRequest {
  readonly request: Request;
  /** `performance.now()` when the connection closed, if it did. */
  readonly closedMs: () => number | undefined;
  readonly breakOff: BreakOff;
}

export interface RequestContext {
  readonly record: RequestRecord;
  /** The key itself, for what is kept per key; empty where none was given. */
  readonly secret: string;
  readonly requestId: string;
  /** What ids of this request are made of. */
  readonly id: string;
  readonly refuse: (refusal: Refusal) => Response;
  /** The refusal that is no response of its own, because the response has begun. */
  readonly refused: (refusal: Refusal) => void;
  readonly faulted: (fault: Fault) => void;
  readonly ended: (end: StreamEnd, bill: Bill) => void;
  /** For what is neither refused nor billed. */
  readonly done: () => void;
}

const ID_HEX = 24;
const OUTCOMES: Readonly<Record<StreamEnd, Outcome>> = { done: "answered", cut: "cut", aborted: "aborted" };

export function beginRequest(
  provider: ProviderContext,
  wire: Wire,
  { request, closedMs }: IncomingRequest,
): RequestContext {
  const { books, recorder, now, onRequest } = provider;
  const startedMs = performance.now();
  const url = new URL(request.url);
  const { pathname } = url;
  const secret = wire.keyOf(request.headers, url);
  const key = secret === "" ? "no key" : keyName(secret);
  const open = { atMs: now(), method: request.method, path: pathname, protocol: wire.protocol, key };
  const record = recorder.add({ ...open, model: "", stream: false, body: "", status: 200, outcome: "open" });
  const id = hash("sha256", `${provider.seed} ${record.index}`).slice(0, ID_HEX);
  const requestId = `req_${id}`;
  books.request(key);
  const close = (outcome: Outcome): void => {
    if (record.outcome !== "open") return;
    record.outcome = outcome;
    record.tookMs = performance.now() - startedMs;
    onRequest(record);
  };
  const refused = (refusal: Refusal): void => {
    record.reason = refusal.reason;
    record.message = refusal.message;
    if (refusal.reason !== "fault") books.reject(key, refusal.reason);
    close("refused");
  };
  return {
    record,
    secret,
    requestId,
    id,
    refused,
    refuse: (refusal) => {
      record.status = refusal.status;
      refused(refusal);
      const headers = { ...wire.requestHeaders(requestId), ...refusal.headers };
      const { status, body } = refusal;
      if (body === undefined) return Response.json(wire.errorBody(refusal, requestId), { status, headers });
      const type = body.startsWith("<") ? "text/html" : "application/json";
      return new Response(body, { status, headers: { ...headers, "content-type": type } });
    },
    faulted: (fault) => {
      record.fault = fault.kind;
      books.fault(key, fault.kind);
    },
    ended: (end, bill) => {
      Object.assign(record, bill);
      if (end === "aborted") {
        const noticedMs = performance.now();
        record.abort = { closedMs: closedMs() ?? noticedMs, noticedMs };
        books.abort(key, bill);
      } else books.answer(key, bill);
      close(OUTCOMES[end]);
    },
    done: () => close("answered"),
  };
}
