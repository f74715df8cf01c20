/** What the gateway itself answers where it cannot do its work: an error in the words of the request's protocol. */
import { PrecisError } from "../../core/errors.ts";
import type { Vendor } from "../../core/protocols.ts";
import { vendors } from "../../protocols/registry.ts";
import type { ClientRequest, ClientResponse, HeaderLines } from "../contract.ts";
import { vendorOf } from "./headers.ts";

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly headers?: HeaderLines;
}

/** What some functions give in place of their result: the answer to send. */
export interface Refused {
  readonly refused: ClientResponse;
}

const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  bad_request: 400,
  client_gone: 499,
  gateway_busy: 503,
  upstream_unreachable: 502,
  upstream_broke_off: 502,
  upstream_timeout: 504,
  upstream_circuit_open: 503,
};

const INTERNAL_STATUS = 500;

export function refuse(request: Pick<ClientRequest, "target" | "headers">, refusal: Refusal): ClientResponse {
  const body = Buffer.from(errorBody(vendorOf(request), refusal));
  return {
    status: refusal.status,
    headers: [
      ["content-type", "application/json"],
      ["content-length", String(body.length)],
      ...(refusal.headers ?? []),
    ],
    body,
  };
}

/** For whatever a handle threw. Only errors of ours tell their message: others may quote what they worked on. */
export function refuseError(request: Pick<ClientRequest, "target" | "headers">, error: unknown): ClientResponse {
  if (error instanceof PrecisError) {
    const { code, message, hint } = error;
    const { retryAfterSeconds } = (error.cause ?? {}) as { readonly retryAfterSeconds?: number };
    const headers: HeaderLines = retryAfterSeconds === undefined ? [] : [["retry-after", String(retryAfterSeconds)]];
    return refuse(request, { status: statusOf(error), code, message, hint, headers });
  }
  return refuse(request, {
    status: INTERNAL_STATUS,
    code: "internal_fault",
    message: "precis: the gateway failed internally.",
    hint: "Send the request again; see the gateway's log.",
  });
}

/** How long a client that is turned away for want of room is asked to wait. */
const BUSY_RETRY_SECONDS = 2;

export function gatewayBusy(
  message = "precis: the gateway has reached its limit of request bodies in memory.",
  hint = "Send the request again in a moment, or raise the gateway's limit on bodies.",
): PrecisError {
  const cause = { retryAfterSeconds: BUSY_RETRY_SECONDS };
  return new PrecisError(message, { code: "gateway_busy", hint, retryable: true, cause });
}

export function statusOf(error: unknown): number {
  return (error instanceof PrecisError ? STATUS_OF_CODE[error.code] : undefined) ?? INTERNAL_STATUS;
}

export function errorBody(vendor: Vendor, { status, code, message, hint }: Refusal): string {
  return JSON.stringify(vendors[vendor].errorBody({ status, code, message: `${message} ${hint}` }));
}
