/** What went wrong on the way to a provider, told in three codes: not reached, too slow, broken off. */
import { PrecisError } from "../../core/errors.ts";
import type { Upstream } from "./upstreams.ts";

const TOO_SLOW: ReadonlySet<string> = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

/** An upstream that refuses what undici cannot send says nothing about the network. */
const CANNOT_BE_SENT: ReadonlySet<string> = new Set([
  "UND_ERR_INVALID_ARG",
  "UND_ERR_NOT_SUPPORTED",
  "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
]);

/** The connection was there. */
const BROKE_OFF: ReadonlySet<string> = new Set([
  "UND_ERR_SOCKET",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  "UND_ERR_HEADERS_OVERFLOW",
  "UND_ERR_ABORTED",
  "UND_ERR_CLOSED",
  "UND_ERR_DESTROYED",
  "EPIPE",
]);

export function clientGone(): PrecisError {
  return new PrecisError("The client left before its answer.", {
    code: "client_gone",
    hint: "Nothing is left to do: the call to the provider was ended.",
  });
}

/** `connected` tells a connection that was reset from one that was never made. */
export function upstreamFailure(cause: unknown, upstream: Upstream, connected: boolean): PrecisError {
  const code = (cause as { readonly code?: unknown }).code;
  const sign = typeof code === "string" ? code : "";
  const { name, origin } = upstream;
  if (CANNOT_BE_SENT.has(sign))
    return new PrecisError("precis: this request cannot be sent on.", {
      code: "bad_request",
      hint: "Its path, a header or its length is not valid HTTP.",
      cause,
    });
  if (TOO_SLOW.has(sign))
    return new PrecisError(`precis: the provider ${name} (${origin}) did not answer in time.`, {
      code: "upstream_timeout",
      hint: "Send the request again, or raise the gateway's upstream timeouts.",
      retryable: true,
      cause,
    });
  if (connected || BROKE_OFF.has(sign) || sign.startsWith("HPE_"))
    return new PrecisError(`precis: the provider ${name} (${origin}) broke off before its answer was whole.`, {
      code: "upstream_broke_off",
      hint: "Send the request again.",
      retryable: true,
      cause,
    });
  return new PrecisError(
    `precis: the provider ${name} (${origin}) cannot be reached${sign === "" ? "" : ` (${sign})`}.`,
    {
      code: "upstream_unreachable",
      hint: "Check the upstream's URL and this machine's network, then send the request again.",
      retryable: true,
      cause,
    },
  );
}
