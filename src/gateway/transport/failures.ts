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

/** The other side is not who it should be, as far as this machine knows: to ask again changes nothing. */
const NOT_TRUSTED: ReadonlySet<string> = new Set([
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** A proxy on the way that would not open it; undici has no code of its own for the first. */
const PROXY_REFUSED = /^Proxy response \((\d+)\)/;
const PROXY_FAILED: ReadonlySet<string> = new Set(["UND_ERR_PRX_CONN", "UND_ERR_PRX_TLS"]);

export function clientDisconnected(): PrecisError {
  return new PrecisError("The client disconnected before its answer.", {
    code: "client_gone",
    hint: "No action is needed: the call to the provider was aborted.",
  });
}

/** Why there was no answer, for the log: our code and the connection's own. Undefined for what is not the provider's. */
export function failureText(error: unknown): string | undefined {
  if (!(error instanceof PrecisError) || !error.code.startsWith("upstream_")) return undefined;
  const { code, message } = (error.cause ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  if (typeof code !== "string") return error.code;
  return `${error.code}: ${code}${code === "UND_ERR_SOCKET" && typeof message === "string" ? `, ${message}` : ""}`;
}

/** `connected` distinguishes a connection that was reset from one that was never made. */
export function upstreamFailure(cause: unknown, upstream: Upstream, connected: boolean): PrecisError {
  const code = (cause as { readonly code?: unknown }).code;
  const sign = typeof code === "string" ? code : "";
  const { name, origin } = upstream;
  if (CANNOT_BE_SENT.has(sign))
    return new PrecisError("precis: this request cannot be forwarded.", {
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
  const refusal = proxyRefusal(cause, sign);
  if (refusal !== undefined)
    return new PrecisError(`precis: the proxy on the way to ${name} (${origin}) ${refusal}.`, {
      code: "upstream_unreachable",
      hint: "Check HTTPS_PROXY and HTTP_PROXY where the gateway was started; NO_PROXY lists hosts that need none.",
      retryable: true,
      cause,
    });
  if (NOT_TRUSTED.has(sign))
    return new PrecisError(`precis: the certificate of ${name} (${origin}) is not trusted here (${sign}).`, {
      code: "upstream_unreachable",
      hint: "Start the gateway with NODE_EXTRA_CA_CERTS naming the file of its authority, or correct the upstream's URL.",
      cause,
    });
  if (connected || BROKE_OFF.has(sign) || sign.startsWith("HPE_"))
    return new PrecisError(
      `precis: the provider ${name} (${origin}) ended the connection before its answer was complete${sign === "" ? "" : ` (${sign})`}.`,
      {
        code: "upstream_broke_off",
        hint: "Send the request again.",
        retryable: true,
        cause,
      },
    );
  return new PrecisError(
    `precis: the provider ${name} (${origin}) cannot be reached${sign === "" ? "" : ` (${sign})`}.`,
    {
      code: "upstream_unreachable",
      hint: "Check the upstream's URL, this machine's network and HTTPS_PROXY if it needs one, then send the request again.",
      retryable: true,
      cause,
    },
  );
}

/** What a proxy did instead of opening the way. */
function proxyRefusal(cause: unknown, sign: string): string | undefined {
  const status = PROXY_REFUSED.exec((cause as Error).message)?.[1];
  if (status !== undefined) return `refused with ${status}`;
  return PROXY_FAILED.has(sign) ? `cannot be used (${sign})` : undefined;
}
