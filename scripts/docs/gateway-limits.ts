/** The limits that a client or an operator can meet, as docs/gateway.md lists them: amount, setting, what it bounds. */
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

const LIMIT_TEXTS: Readonly<Partial<Record<keyof GatewayLimits, LimitText>>> = {
  bodyBytes: ["a request's body, also decompressed; above it 413", `${SECTION}.body_mb`],
  bodiesBytes: ["the bodies of all requests under way, also decompressed; above it 503"],
  unfolding: ["compressed bodies that are decompressed at once"],
  unfoldedRatio: ["how many times its size a compressed body may grow, above 1 MB; then 413"],
  connections: ["clients connected at once"],
  requestTimeoutMs: ["the time a client has for its whole request"],
  upstreamHeadersTimeoutMs: ["the time until a provider begins its answer; then 504", `${SECTION}.answer_seconds`],
  upstreamIdleTimeoutMs: ["the time between two parts of its answer", `${SECTION}.answer_seconds`],
  connectTimeoutMs: ["the time to connect to a provider; then 502"],
  breakerFailures: ["failed calls in a row until further ones get a 503 at once"],
  breakerOpenMs: ["how long they do; then one is tried"],
  eventLoopDelayMs: ["mean delay of the event loop; above it requests are forwarded unread"],
  preparing: ["requests prepared at once; further ones are forwarded unread"],
  drainMs: ["how long answers may continue after the gateway is stopped", `${SECTION}.drain_seconds`],
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
