/** Every limit of the gateway as docs/gateway.md lists it: its amount, the setting that changes it, what it bounds. */
import { GATEWAY_LIMITS, type GatewayLimits } from "../limits.ts";

export interface LimitRow {
  readonly name: keyof GatewayLimits;
  /** With its unit, as a person reads it. */
  readonly amount: string;
  /** Where a setting changes it. */
  readonly setting?: string;
  readonly meaning: string;
}

type LimitText = readonly [meaning: string, setting?: string];

const SECTION = "gateway.limits";

const LIMIT_TEXTS: Readonly<Record<keyof GatewayLimits, LimitText>> = {
  bodyBytes: ["a request's body, as sent and decompressed; above it 413", `${SECTION}.body_mb`],
  bodiesBytes: ["the bodies of all requests under way; above it 503"],
  readBodyBytes: ["a body that is read; larger ones are only forwarded", `${SECTION}.read_mb`],
  readMessages: ["messages of a body that is read; what has more is only forwarded"],
  largeBodyBytes: ["a body of this size is worked on in a thread of its own"],
  largeBodyObjects: ["a body of so many JSON objects is worked on in that thread too"],
  largeRequests: ["requests in that thread at once; above it 503"],
  largeHeapBytes: ["that thread's memory; above it the thread is ended and its requests are forwarded as they came"],
  connections: ["clients connected at once", `${SECTION}.connections`],
  headersTimeoutMs: ["the time a client has for a request's headers"],
  requestTimeoutMs: ["the time a client has for its whole request"],
  clientIdleTimeoutMs: ["how long a client may leave off taking its answer; then its connection ends"],
  upstreamHeadersTimeoutMs: ["the time a provider has to begin its answer; then 504", `${SECTION}.answer_seconds`],
  upstreamIdleTimeoutMs: ["how long a provider may be silent within an answer", `${SECTION}.idle_seconds`],
  connectTimeoutMs: ["the time to connect to a provider; then 502", `${SECTION}.connect_seconds`],
  upstreamConnections: ["connections to one provider: as many as clients"],
  conversations: ["conversations whose reading is remembered; others are read anew"],
  conversationBytes: ["characters of their bodies that are remembered", `${SECTION}.memory_mb`],
  examinedBytes: ["an answer that is no stream, looked at for its usage and errors; all of it is relayed"],
  eventBytes: ["one event of a stream that is looked at; all of it is relayed"],
  openingBytes: ["a stream's beginning that is held back to see whether the window is full"],
  openingMs: ["how long that beginning is held back"],
  refusalRetries: ["how often a request that is refused as too large is made smaller and sent again"],
  commitWaitMs: ["how long an answer's end waits for its request to be on the disk", `${SECTION}.commit_wait_seconds`],
  background: ["compactions made ahead at a time"],
  backgroundWaiting: ["compactions that wait to be made ahead; others are made when they are due"],
  drainMs: ["how long answers under way may go on after the gateway was told to stop", `${SECTION}.drain_seconds`],
};

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

export const LIMITS: readonly LimitRow[] = (Object.entries(LIMIT_TEXTS) as [keyof GatewayLimits, LimitText][]).map(
  ([name, [meaning, setting]]) => ({
    name,
    amount: amountOf(name, GATEWAY_LIMITS[name]),
    meaning,
    ...(setting === undefined ? {} : { setting }),
  }),
);

function amountOf(name: string, value: number): string {
  if (name.endsWith("Bytes")) return value < MEBIBYTE ? `${value / KIBIBYTE} KB` : `${value / MEBIBYTE} MB`;
  if (!name.endsWith("Ms")) return value.toLocaleString("en-US");
  return value < MINUTE_MS ? `${value / SECOND_MS} s` : `${value / MINUTE_MS} min`;
}
