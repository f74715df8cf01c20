/** What is answered on a connection where no request came to be: bytes that are not HTTP, headers without end, tunnels. */
import type { Duplex } from "node:stream";
import { errorBody, type Refusal } from "./refusals.ts";
import { FALLBACK } from "./vendor.ts";

const REFUSAL_OF_ERROR: Readonly<Record<string, Pick<Refusal, "status" | "code" | "message">>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: "headers_too_large",
    message: "precis: the request's headers are too large.",
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: "request_too_large",
    message: "precis: the request is too large.",
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: "request_timeout",
    message: "precis: the request did not arrive in time.",
  },
};

const { STATUS_CODES } = process.getBuiltinModule("node:http");

const NOT_HTTP: Pick<Refusal, "status" | "code" | "message"> = {
  status: 400,
  code: "bad_request",
  message: "precis: this is not a valid HTTP request.",
};

/** For `clientError` of Node's server. Where an answer is under way already the connection just ends. */
export function answerWithoutRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  const { _httpMessage: underWay } = socket as { readonly _httpMessage?: { readonly headersSent: boolean } | null };
  if (!socket.writable || error.code === "ECONNRESET" || underWay?.headersSent === true) return void socket.destroy();
  const refusal = REFUSAL_OF_ERROR[error.code ?? ""] ?? NOT_HTTP;
  respondAndEnd(socket, { ...refusal, hint: "Check the client, and any proxy between it and the gateway." });
}

export function refuseTunnel(socket: Duplex): void {
  socket.on("error", () => undefined);
  respondAndEnd(socket, {
    status: 405,
    code: "no_tunnel",
    message: "precis: the gateway does not open tunnels.",
    hint: "Use it as a base URL, not as a forward proxy.",
  });
}

function respondAndEnd(socket: Duplex, refusal: Refusal): void {
  const body = errorBody(FALLBACK, refusal);
  const lines = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}
