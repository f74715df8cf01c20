/** Every bound of the gateway, named with its unit. */
const KB = 1024;
const MB = 1024 * KB;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const GATEWAY_LIMITS = Object.freeze({
  /** Larger bodies are refused with a 413, compressed or not. */
  bodyBytes: 64 * MB,
  /** The bodies of all requests under way; further ones are asked to come again. */
  bodiesBytes: 512 * MB,
  /** Bodies decompressed at once, and how long one waits for its turn; further ones are asked to come again. */
  unfolding: 4,
  unfoldingWaitMs: 30 * SECOND,
  /** How many times its size a compressed body may grow, above a megabyte; more is refused with a 413. */
  unfoldedRatio: 200,
  /** Larger bodies are relayed and not read. */
  readBodyBytes: 64 * MB,
  /** A body of more messages is relayed and not read: each weighs far more in memory than its bytes. */
  readMessages: 20_000,
  /** A body of that many bytes, or of that many JSON objects, is worked on in a thread of its own. */
  largeBodyBytes: 128 * KB,
  largeBodyObjects: 2_000,
  /** Requests in that thread or on their way to it; further ones are asked to come again. */
  largeRequests: 1_024,
  /** How long one may be on its way to the thread; after that it goes on unread. */
  largeWaitMs: 5 * MINUTE,
  /** That thread's memory, and what of it requests may take that are prepared at once. A thread that needs more is ended. */
  largeHeapBytes: 2_048 * MB,
  largePreparingBytes: 64 * MB,
  /** How long that thread may hear nothing, as one compaction keeps it busy: it is ended then as well. */
  largeSilenceMs: 30 * SECOND,
  /** Clients at a time. */
  connections: 1_024,
  /** How long a client may take to send its headers, and its whole request. */
  headersTimeoutMs: 30 * SECOND,
  requestTimeoutMs: 5 * MINUTE,
  /** How long a client may leave off taking its answer. */
  clientIdleTimeoutMs: 10 * MINUTE,
  /** How long the provider may take to begin its answer, and to go on with it. */
  upstreamHeadersTimeoutMs: 10 * MINUTE,
  upstreamIdleTimeoutMs: 10 * MINUTE,
  connectTimeoutMs: 10 * SECOND,
  /** Connections to one provider: as many as there are clients, so that none waits for one. */
  upstreamConnections: 1_024,
  /** Calls in a row that do not reach a provider until further ones are refused at once, and for how long. */
  breakerFailures: 5,
  breakerOpenMs: 10 * SECOND,
  /** Above this mean delay of the event loop, or this many requests that are being prepared, requests are forwarded unread. */
  eventLoopDelayMs: 500,
  preparing: 256,
  /** Conversations whose reading is remembered, and the bodies they may hold. */
  conversations: 128,
  conversationBytes: 64 * MB,
  /** Of an answer, this much is looked at for usage and errors when it is not a stream; and of one event of a stream. */
  examinedBytes: 4 * MB,
  eventBytes: MB,
  /** A stream's beginning is held back at most this long, in bytes, to see whether it says that the window is full. */
  openingBytes: 64 * KB,
  /** And at most this long. */
  openingMs: 2 * SECOND,
  /** How often a request that its provider refuses is made smaller and sent once more. */
  refusalRetries: 4,
  /** How long the end of an answer waits for its request to be kept. */
  commitWaitMs: 5 * SECOND,
  /** Compactions made ahead at a time. */
  background: 1,
  /** And waiting to be made; further ones are left until they are due. */
  backgroundWaiting: 32,
  /** How long a stop waits for requests under way. */
  drainMs: 10 * SECOND,
});

export type GatewayLimits = { readonly [Name in keyof typeof GATEWAY_LIMITS]: number };
