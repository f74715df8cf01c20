/** Every limit of the gateway as docs/gateway.md lists it: its amount, the setting that changes it, what it bounds. */
import { GATEWAY_LIMITS, type GatewayLimits } from "../../src/gateway/limits.ts";

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
  bodiesBytes: ["the bodies of all requests under way, as sent and decompressed; above it 503"],
  unfolding: ["compressed bodies that are decompressed at once, the tenant that has least of them first"],
  unfoldingWaitMs: ["how long one waits for its turn; then 503"],
  unfoldedRatio: ["how many times its size a compressed body may grow, above 1 MB; then 413"],
  readBodyBytes: ["a body that is read; larger ones are forwarded unread"],
  readMessages: ["messages of a body that is read; bodies with more are forwarded unread"],
  largeBodyBytes: ["bodies of this size or more are processed in a separate thread"],
  largeBodyObjects: ["bodies with this many JSON objects or more are processed there too"],
  largeRequests: ["requests in that thread and on their way to it; above it 503"],
  largeWaitMs: ["how long a request waits for its place in the thread; then it is forwarded unread"],
  largeHeapBytes: ["memory of that thread, half of it for what requests weigh; above it the thread is replaced"],
  largePreparingBytes: ["what the requests may weigh that the thread prepares at once"],
  largeSilenceMs: [
    "how long one request may keep the thread busy, so that it hears nothing; then the thread is replaced",
  ],
  connections: ["clients connected at once"],
  headersTimeoutMs: ["the time a client has for a request's headers"],
  requestTimeoutMs: ["the time a client has for its whole request"],
  clientIdleTimeoutMs: ["how long a client may stop reading its answer; then its connection is closed"],
  upstreamHeadersTimeoutMs: ["the time until a provider begins its answer; then 504", `${SECTION}.answer_seconds`],
  upstreamIdleTimeoutMs: ["the time between two parts of a provider's answer", `${SECTION}.answer_seconds`],
  connectTimeoutMs: ["the time to connect to a provider; then 502"],
  upstreamConnections: ["connections to one provider: as many as clients"],
  breakerFailures: ["calls in a row that do not reach a provider until further ones get a 503 at once"],
  breakerOpenMs: ["how long they do; then one is let through, and an answer to it ends that"],
  eventLoopDelayMs: ["the mean delay of the event loop over two seconds; above it requests are forwarded unread"],
  preparing: ["requests that are read and prepared at once; above it further ones are forwarded unread"],
  conversations: ["decoded conversations in memory; others are decoded again"],
  conversationBytes: ["characters of their bodies in memory"],
  examinedBytes: ["a non-streaming answer that is read for usage and errors; longer ones are only relayed"],
  eventBytes: ["one event of a stream that is read; longer ones are only relayed"],
  openingBytes: ["the beginning of a stream that is held back to detect an overflow error"],
  openingMs: ["how long that beginning is held back"],
  refusalRetries: ["how often a request that was refused as too large is made smaller and retried"],
  commitWaitMs: ["how long the end of an answer waits until its request is on the disk"],
  background: ["parallel compactions in the background"],
  idleLookMs: ["how often idle conversations are looked through, where `compression.idle` is not off"],
  idleLeadMs: ["how long before its provider's cache expires an idle conversation is compacted"],
  backgroundWaiting: ["queued compactions in the background; others are made when they are due"],
  drainMs: ["how long answers in progress may continue after the gateway is stopped", `${SECTION}.drain_seconds`],
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
