/** Every bound of the gateway, named with its unit. */
export interface GatewayLimits {
  /** Larger bodies are refused with a 413, compressed or not. */
  readonly bodyBytes: number;
  /** The bodies of all requests under way; further ones are asked to come again. */
  readonly bodiesBytes: number;
  /** Bodies decompressed at once, and how long one waits for its turn; further ones are asked to come again. */
  readonly unfolding: number;
  readonly unfoldingWaitMs: number;
  /** How many times its size a compressed body may grow, above a megabyte; more is refused with a 413. */
  readonly unfoldedRatio: number;
  /** Larger bodies are relayed and not read. */
  readonly readBodyBytes: number;
  /** A body of more messages is relayed and not read: each weighs far more in memory than its bytes. */
  readonly readMessages: number;
  /** A body of that many bytes, or of that many JSON objects, is worked on in a thread of its own. */
  readonly largeBodyBytes: number;
  readonly largeBodyObjects: number;
  /** Requests in that thread or on their way to it; further ones are asked to come again. */
  readonly largeRequests: number;
  /** How long one may be on its way to the thread; after that it goes on unread. */
  readonly largeWaitMs: number;
  /** That thread's memory, and what of it requests may take that are prepared at once. A thread that needs more is ended. */
  readonly largeHeapBytes: number;
  readonly largePreparingBytes: number;
  /** How long that thread may hear nothing, as one compaction keeps it busy: it is ended then as well. */
  readonly largeSilenceMs: number;
  /** Clients at a time. */
  readonly connections: number;
  /** How long a client may take to send its headers, and its whole request. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How long a client may leave off taking its answer. */
  readonly clientIdleTimeoutMs: number;
  /** How long the provider may take to begin its answer, and to go on with it. */
  readonly upstreamHeadersTimeoutMs: number;
  readonly upstreamIdleTimeoutMs: number;
  readonly connectTimeoutMs: number;
  /** Connections to one provider: as many as there are clients, so that none waits for one. */
  readonly upstreamConnections: number;
  /** Calls in a row that do not reach a provider until further ones are refused at once, and for how long. */
  readonly breakerFailures: number;
  readonly breakerOpenMs: number;
  /** Above this mean delay of the event loop, or this many requests that are being prepared, requests are forwarded unread. */
  readonly eventLoopDelayMs: number;
  readonly preparing: number;
  /** Conversations whose reading is remembered, and the bodies they may hold. */
  readonly conversations: number;
  readonly conversationBytes: number;
  /** Of an answer, this much is looked at for usage and errors when it is not a stream; and of one event of a stream. */
  readonly examinedBytes: number;
  readonly eventBytes: number;
  /** A stream's beginning is held back at most this long, in bytes, to see whether it says that the window is full. */
  readonly openingBytes: number;
  /** And at most this long. */
  readonly openingMs: number;
  /** How often a request that its provider refuses is made smaller and sent once more. */
  readonly refusalRetries: number;
  /** How long the end of an answer waits for its request to be kept. */
  readonly commitWaitMs: number;
  /** Compactions made ahead at a time. */
  readonly background: number;
  /** And waiting to be made; further ones are left until they are due. */
  readonly backgroundWaiting: number;
  /** How long a stop waits for requests under way. */
  readonly drainMs: number;
}

const KB = 1024;
const MB = 1024 * KB;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const GATEWAY_LIMITS: GatewayLimits = Object.freeze({
  bodyBytes: 64 * MB,
  bodiesBytes: 512 * MB,
  unfolding: 4,
  unfoldingWaitMs: 30 * SECOND,
  unfoldedRatio: 200,
  readBodyBytes: 64 * MB,
  readMessages: 20_000,
  largeBodyBytes: 128 * KB,
  largeBodyObjects: 2_000,
  largeRequests: 1_024,
  largeWaitMs: 5 * MINUTE,
  largeHeapBytes: 2_048 * MB,
  largePreparingBytes: 64 * MB,
  largeSilenceMs: 30 * SECOND,
  connections: 1_024,
  headersTimeoutMs: 30 * SECOND,
  requestTimeoutMs: 5 * MINUTE,
  clientIdleTimeoutMs: 10 * MINUTE,
  upstreamHeadersTimeoutMs: 10 * MINUTE,
  upstreamIdleTimeoutMs: 10 * MINUTE,
  connectTimeoutMs: 10 * SECOND,
  upstreamConnections: 1_024,
  breakerFailures: 5,
  breakerOpenMs: 10 * SECOND,
  eventLoopDelayMs: 500,
  preparing: 256,
  conversations: 128,
  conversationBytes: 64 * MB,
  examinedBytes: 4 * MB,
  eventBytes: MB,
  openingBytes: 64 * KB,
  openingMs: 2 * SECOND,
  refusalRetries: 4,
  commitWaitMs: 5 * SECOND,
  background: 1,
  backgroundWaiting: 32,
  drainMs: 10 * SECOND,
});
