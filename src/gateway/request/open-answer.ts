/**
 * The beginning of an answer, looked at before any of it goes on: a request that was too large can still be sent again,
 * smaller, as long as its client has seen nothing.
 */
import type { Usage } from "../../core/engines/contract.ts";
import { createAnswerReader, isEventStream, openingOf, type AnswerReader } from "../../protocols/answers/reader.ts";
import type { ProtocolName } from "../../core/protocols.ts";
import { startTimeLimit, unlessAborted } from "../../session/time-limit.ts";
import type { GatewayLimits } from "../limits.ts";
import { plainly, resumed, watched, type Chunks, type ByteWatcher } from "./relay.ts";
import type { ProviderResponse } from "../transport/send.ts";
import { headerOf } from "../transport/headers.ts";

export interface ProviderAnswer {
  readonly response: ProviderResponse;
  readonly streamed: boolean;
  readonly reader: AnswerReader;
  readonly body: Chunks;
  /** It says that the request was too large, and holds no content. */
  readonly tooLarge: boolean;
  /** What an error says, where it could be looked at. */
  readonly error: string | undefined;
  /** Settles when content, an error or the end was seen; never where it breaks off before. */
  readonly begun: Promise<void>;
  readonly spent?: () => Usage | undefined;
  /** Set where more may follow the end of what the reader reads: recalls are answered within it. */
  readonly goesOn?: true;
}

export type OpeningLimits = Pick<
  GatewayLimits,
  "openingBytes" | "openingMs" | "examinedBytes" | "eventBytes" | "readBodyBytes"
>;

export interface OpeningOptions {
  readonly protocol: ProtocolName;
  /** Whether it could be sent again: otherwise nothing is held back. A `small` one is not held as a stream. */
  readonly holds: "all" | "small" | "nothing";
  readonly limits: OpeningLimits;
}

const ERROR_STATUS_MIN = 400;

/** Whether its provider took the request, by what was seen until now: it succeeded, and does not open with an error. */
export function isAccepted({
  response: { status },
  reader: { state },
}: Pick<ProviderAnswer, "response" | "reader">): boolean {
  return status >= 200 && status < 300 && (state.began || !(state.failed || state.overflow !== undefined));
}

export async function openAnswer(
  response: ProviderResponse,
  { protocol, holds, limits }: OpeningOptions,
): Promise<ProviderAnswer> {
  const streamed = isEventStream(headerOf(response.headers, "content-type"));
  const { status } = response;
  const reader = createAnswerReader(protocol, {
    streamed,
    status,
    eventBytesMax: limits.eventBytes,
    bodyBytesMax: limits.examinedBytes,
  });
  const encoding = headerOf(response.headers, "content-encoding");
  const begun = Promise.withResolvers<void>();
  const unfoldedMax = streamed ? limits.readBodyBytes : limits.examinedBytes;
  const source = watched(response.body, plainly(encoding, openingWatcher(reader, begun.resolve), unfoldedMax));
  const plain = encoding === undefined || encoding === "identity";
  const opened = (body: Chunks, read: readonly Uint8Array[] = []): ProviderAnswer => ({
    response,
    streamed,
    reader,
    body,
    tooLarge: openingOf(reader.state) === "overflow",
    begun: begun.promise,
    error: status >= ERROR_STATUS_MIN && plain ? Buffer.concat(read).toString() : undefined,
  });
  // What is decompressed beside the relay is not known in time to hold anything back.
  const inTime = !streamed || plain;
  const asStream = streamed && status < ERROR_STATUS_MIN;
  if (holds === "nothing" || (holds === "small" && asStream) || !inTime) return opened(source);
  const held = await hold(source, {
    bytesMax: asStream ? limits.openingBytes : limits.examinedBytes,
    msMax: asStream ? limits.openingMs : undefined,
    // A whole body says what it is at its end.
    decided: () => asStream && openingOf(reader.state) !== "undecided",
  });
  return opened(resumed(held.read, held.rest), held.read);
}

/** Resolves when the reader knows what the answer opens with. */
function openingWatcher(reader: AnswerReader, onEvent: () => void): ByteWatcher {
  return {
    push: (chunk) => {
      reader.push(chunk);
      if (openingOf(reader.state) !== "undecided") onEvent();
    },
    end: () => {
      reader.end();
      onEvent();
    },
  };
}

interface Holding {
  readonly bytesMax: number;
  readonly msMax: number | undefined;
  readonly decided: () => boolean;
}

interface Held {
  readonly read: readonly Uint8Array[];
  readonly rest: AsyncIterator<Uint8Array>;
}

async function hold(source: Chunks, { bytesMax, msMax, decided }: Holding): Promise<Held> {
  const read: Uint8Array[] = [];
  const limit = msMax === undefined ? undefined : startTimeLimit(msMax);
  let bytes = 0;
  try {
    while (!decided() && bytes < bytesMax) {
      const pending = source.next();
      const next = await (limit === undefined ? pending : unlessAborted(limit.signal, pending, () => undefined));
      if (next === undefined) return { read, rest: after(pending, source) };
      if (next.done === true) break;
      read.push(next.value);
      bytes += next.value.length;
    }
    return { read, rest: source };
  } finally {
    limit?.clear();
  }
}

async function* after(pending: Promise<IteratorResult<Uint8Array, void>>, source: Chunks): Chunks {
  const next = await pending;
  if (next.done === true) return;
  yield next.value;
  yield* source;
}
