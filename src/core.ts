/**
 * `precis/core`: a request counted, checked and compacted, on any host: a browser and an edge worker too. It holds what
 * every request needs; what makes a compaction is loaded when the first one is made.
 */
import "./platform/refuse-old-node.ts";
import type { Outcome } from "./core/engines/contract.ts";
import { createMeasure } from "./core/transcript/measure.ts";
import { violationsOf, type Violation } from "./core/transcript/oracle.ts";
import { detectProtocol, protocols } from "./protocols/index.ts";
import { type ProtocolName } from "./core/protocols.ts";
import type { CompactOptions, SessionOptions } from "./session/contract.ts";
import { readSafely } from "./session/provider-error.ts";
import { createReader, type WireRequest } from "./session/read-request.ts";

export { PrecisError } from "./core/errors.ts";
export type { Violation } from "./core/transcript/oracle.ts";
export type { ProtocolName } from "./core/protocols.ts";
export type { SessionOptions } from "./session/contract.ts";
export type { WireBody, WireRequest } from "./session/read-request.ts";

export interface RequestOptions {
  /** How the request is written; told by its shape where it is not given, and OpenAI's Chat Completions where that says nothing. */
  readonly protocol?: ProtocolName;
}

export interface CountOptions extends RequestOptions {
  /** What an image counts; 1,500 where it is not given. */
  readonly imageTokens?: number;
}

/** Those of a session, and those of the compaction: its budget in tokens, its focus, a signal that ends it. */
export interface CompactRequestOptions extends SessionOptions, Pick<CompactOptions, "budget" | "focus" | "signal"> {}

const DEFAULT_PROTOCOL: ProtocolName = "openai-chat";

function protocolOf(request: WireRequest): ProtocolName {
  const text = typeof request === "string" ? request : readSafely(() => JSON.stringify(request));
  return detectProtocol(text ?? "") ?? DEFAULT_PROTOCOL;
}

/**
 * The tokens of a request, its system prompt and tools included: an estimate that needs no tokenizer (docs/estimates.md).
 *
 * @throws PrecisError `body_not_json`, `body_without_messages`, `message_malformed` or `protocol_mismatch`.
 */
export function countTokens(request: WireRequest, options: CountOptions = {}): number {
  const { protocol = protocolOf(request), ...how } = options;
  return createMeasure(how).transcript(createReader(protocols[protocol])(request).transcript);
}

/**
 * What a provider would refuse in a request: nothing where it is valid.
 *
 * @throws PrecisError as `countTokens` does.
 */
export function checkRequest(request: WireRequest, options: RequestOptions = {}): readonly Violation[] {
  const protocol = protocols[options.protocol ?? protocolOf(request)];
  return violationsOf(createReader(protocol)(request).transcript, protocol.rules);
}

/**
 * A smaller request that says the same, in the shape that came in, with the compaction behind it; or the request as it
 * came, and why. It keeps nothing: a conversation of many requests is better served by `createSession` of `precis`.
 *
 * @throws PrecisError as `createSession` and its `compact` do; the signal's reason where it aborts.
 */
export async function compact<Request extends WireRequest>(
  request: Request,
  { budget, focus, signal, ...options }: CompactRequestOptions = {},
): Promise<Outcome & { readonly request: Request }> {
  const { createSession } = await import("./session/session.ts");
  const how = { budget, focus, signal };
  const stated = Object.fromEntries(Object.entries(how).filter(([, value]) => value !== undefined));
  return createSession(options).compact(request, stated);
}
