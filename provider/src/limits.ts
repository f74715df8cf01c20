/** Every bound of the provider, each of which can be set where it starts. */

export interface Limits {
  /** Of a request body, as sent and as decompressed; the vendor's own where it is undefined. */
  readonly bodyBytes: number | undefined;
  readonly connections: number;
  /** Requests kept for looking at; the oldest go first. */
  readonly recordedRequests: number;
  /** Bytes of bodies kept with them. */
  readonly recordedBytes: number;
  /** Prefixes that the cache remembers. */
  readonly cacheEntries: number;
  /** Answers that `previous_response_id` and `previous_message_id` can name. */
  readonly storedResponses: number;
}

export const LIMITS: Limits = Object.freeze({
  bodyBytes: undefined,
  connections: 256,
  recordedRequests: 1_000,
  recordedBytes: 64 * 1024 * 1024,
  cacheEntries: 200_000,
  storedResponses: 1_000,
});
