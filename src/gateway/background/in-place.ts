/**
 * The model of a conversation as the writer of its handoffs: asked behind the request that went out last, at the same
 * upstream, with the credential that request came with. Both are held in memory for one job in the
 * background, and are gone with it; no report quotes what the upstream says.
 */
import type { Writer } from "../../core/handoff/model/writer.ts";
import type { Registry } from "../../models/registry/registry.ts";
import { protocols } from "../../protocols/index.ts";
import { definitions } from "../../protocols/registry.ts";
import { createInPlaceWriter } from "../../session/in-place.ts";
import type { HeaderLines } from "../contract.ts";
import type { GatewayLimits } from "../limits.ts";
import type { ModelBook } from "../models/models.ts";
import { plainAnswer } from "../recall/recall.ts";
import { countsTokens, type PreparedRequest } from "../request/model-request.ts";
import { onwardHeaders } from "../transport/headers.ts";
import type { ProviderResponse, Sender } from "../transport/send.ts";

export interface InPlaceParts {
  readonly sender: Sender;
  readonly models: ModelBook;
  readonly registry: Registry;
  readonly limits: Pick<GatewayLimits, "examinedBytes">;
}

/** Undefined where the request was not one that a model answers. */
export function inPlaceWriterFor(request: PreparedRequest, parts: InPlaceParts): Writer | undefined {
  if (countsTokens(request)) return undefined;
  const { sender, models, registry, limits } = parts;
  const { destination, route, tenant, model, upstream, reading, outgoing } = request;
  const { wholeAnswerPath } = definitions[route.protocol].followUp;
  const path = wholeAnswerPath?.(destination.path) ?? destination.path;
  return createInPlaceWriter({
    model,
    windowTokens: models.of(tenant, model, upstream).window.tokens,
    registry,
    quotes: false,
    request: () => protocols[route.protocol].decode(outgoing.body, reading.decoded),
    send: sendBehind(sender, request, { path, bytesMax: limits.examinedBytes }),
  });
}

interface Behind {
  readonly path: string;
  readonly bytesMax: number;
  readonly onStatus?: (status: number) => void;
}

/** Sends a body of the gateway's own the way the conversation's request went, with its credential, and reads the whole answer. */
export function sendBehind(
  sender: Sender,
  request: PreparedRequest,
  { path, bytesMax, onStatus }: Behind,
): (text: string, signal?: AbortSignal) => Promise<WholeAnswer> {
  const { client, destination, tenant, outgoing } = request;
  const onward = onwardHeaders(client.headers, "rewritten");
  const headers = plainHeaders(outgoing.editHeaders?.(onward) ?? onward);
  return async (text, signal = new AbortController().signal) => {
    const body = Buffer.from(text);
    const to = { ...destination, path };
    const response = await sender.send({ to, tenant, method: client.method, headers, body, signal });
    onStatus?.(response.status);
    return readAnswer(response, bytesMax);
  };
}

/** About the request as its client sent it: another one under the same name would be answered with the answer to that. */
const OF_THE_CLIENTS_REQUEST: ReadonlySet<string> = new Set(["accept", "idempotency-key", "x-idempotency-key"]);

function plainHeaders(lines: HeaderLines): HeaderLines {
  const kept = lines.filter(([name]) => !OF_THE_CLIENTS_REQUEST.has(name.toLowerCase()));
  return [...plainAnswer(kept), ["accept", "application/json"]];
}

interface WholeAnswer {
  readonly status: number;
  /** Only those that say how long to wait. */
  readonly headers: Headers;
  readonly body: string;
}

async function readAnswer({ status, headers, body }: ProviderResponse, bytesMax: number): Promise<WholeAnswer> {
  const read: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Error("The answer is longer than any record.");
    read.push(chunk);
  }
  const waits = headers.filter(([name]) => /^retry-after(?:-ms)?$/i.test(name));
  return {
    status,
    headers: new Headers(waits.map(([name, value]) => [name, value])),
    body: Buffer.concat(read).toString(),
  };
}
