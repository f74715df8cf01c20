/** A request as a program has it, an object or a text, read as its protocol has it. */
import { PrecisError } from "../core/errors.ts";
import { createDecoder, createForeignCheck } from "../protocols/index.ts";
import { type Decoded, type Protocol } from "../protocols/protocol.ts";

/**
 * A request body as an object (or its JSON text), or its array of messages alone. The SDKs' own types of a body fit as
 * they are: what a body says beside its messages is not looked at here.
 */
export type WireRequest = string | readonly unknown[] | WireBody;

/** Of Chat and Messages, or of Responses, whose input may also be left out. */
export type WireBody =
  | { readonly messages: readonly unknown[] }
  | { readonly input?: string | readonly unknown[] | null | undefined };

/** What has been read before is not read again. */
export function createReader(protocol: Protocol): (request: unknown) => Decoded {
  const decoder = createDecoder(protocol);
  const refuseForeign = createForeignCheck();
  return (request) => {
    const decoded = decoder.decode(bodyText(request));
    refuseForeign(decoded);
    return decoded;
  };
}

/** @throws PrecisError `body_not_json` for what JSON cannot hold. */
function bodyText(request: unknown): string {
  if (typeof request === "string") return request;
  let text: string | undefined;
  try {
    text = JSON.stringify(request);
  } catch (cause) {
    throw notJson(cause);
  }
  if (text === undefined) throw notJson();
  return text;
}

function notJson(cause?: unknown): PrecisError {
  return new PrecisError("The request cannot be written as JSON.", {
    code: "body_not_json",
    place: "request",
    hint: "Pass the request body as an object or as its JSON text, or the array of its messages.",
    cause,
  });
}
