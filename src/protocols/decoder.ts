/**
 * A decoder that remembers: clients send their whole history with every request, so all but its end has been read
 * before. What is the same bytes at the same place comes out as the same objects, and work memoised by message holds.
 */
import type { Decoded, Protocol } from "./protocol.ts";

export interface Decoder {
  /** @throws PrecisError as `Protocol.decode` does; the memory then stays as it was. */
  readonly decode: (body: string) => Decoded;
}

/** Remembers the last body, so it is meant for one conversation. */
export function createDecoder(protocol: Protocol): Decoder {
  let previous: Decoded | undefined;
  return {
    decode: (body) => (previous = protocol.decode(body, previous)),
  };
}
