/** What a recorded session costs through the gateway, by the provider's own account. */
import { performance } from "node:perf_hooks";
import type { Schedule } from "../../../src/core/caching/schedule.ts";
import type { Transcript } from "../../../src/core/transcript/message.ts";
import type { CompactionEvent, GatewayEvent } from "../../../src/gateway/contract.ts";
import { createGateway, type GatewayOptions } from "../../../src/gateway/index.ts";
import { replayAsAgent } from "../../support/agent/replay.ts";
import { createProvider } from "../../../provider/src/provider.ts";
import type { ProtocolName } from "../../../src/core/protocols.ts";
import { PROTOCOL_MODELS } from "../../../provider/test/models.ts";
import { retypedBody } from "./retyping.ts";

/** Prices of today, and no bound thinking, which would keep compactions from their moment. */
const modelOf = (protocol: ProtocolName): string =>
  protocol === "anthropic-messages" ? "claude-sonnet-4-5" : PROTOCOL_MODELS[protocol];

export interface Billing {
  readonly protocol: ProtocolName;
  /** Undefined for a window without an end, in which nothing is compacted. */
  readonly windowTokens: number | undefined;
  readonly schedule?: Schedule;
  /** The agent writes its messages again in another form in every second request. */
  readonly retypes?: boolean;
  /** Whether such a message goes out in its former bytes. */
  readonly restoreBytes?: boolean;
}

export interface Billed {
  readonly usd: number;
  readonly turns: number;
  readonly compactions: number;
  readonly inputTokens: number;
  readonly readTokens: number;
  readonly writtenTokens: number;
  readonly outputTokens: number;
  /** Each compaction, in order. */
  readonly began: readonly Began[];
  /** Requests above the threshold that went on because of the prices. */
  readonly passed: number;
  readonly refused: boolean;
  /** The largest request. */
  readonly largestTokens: number;
  /** At how many tokens its compactions were made at the latest. */
  readonly limitTokens: number;
  readonly tookMs: number;
}

/** Where a compaction began: what would have gone out without it, against its engine's threshold and the limit. */
export interface Began extends Pick<CompactionEvent, "reason" | "because" | "dueTokens"> {
  readonly schedule: Schedule;
  readonly thresholdTokens: number;
  readonly limitTokens: number;
}

/** Between threshold and limit, at the limit, or where prices speak for it, as its reason says. */
export function beginsWhereItShould(began: Began): boolean {
  const { schedule, reason, because, dueTokens, thresholdTokens, limitTokens } = began;
  if (reason === "hygiene") return dueTokens >= limitTokens;
  if (schedule !== "threshold" && because === undefined) return false;
  return reason === "cost" ? schedule === "cost" : reason === "threshold" && dueTokens >= thresholdTokens;
}

/** Of a window less the requested output, what a conversation may take before it is compacted in any case. */
const LIMIT_SHARE = 0.85;

/** Without compactions the session would never have exceeded the window that it was billed for. */
export function fitsWindow(without: Billed, { limitTokens }: Billed): boolean {
  return without.largestTokens <= limitTokens / LIMIT_SHARE;
}

const ENDLESS_TOKENS = 10_000_000;

export async function bill(recording: Transcript, billing: Billing): Promise<Billed> {
  const { protocol, windowTokens = ENDLESS_TOKENS, schedule = "auto", retypes = false, restoreBytes } = billing;
  const provider = createProvider({ replay: recording.messages, every: { windowTokens } });
  const far = await provider.listen();
  const made: CompactionEvent[] = [];
  const began: Began[] = [];
  let [passed, largestTokens, limitTokens] = [0, 0, 0];
  const onEvent = (event: GatewayEvent): void => {
    if (event.kind === "compaction") made.push(event);
    if (event.kind !== "request" || event.timing === undefined) return;
    const { thresholdTokens, compactsAtTokens = 0, postponed } = event.timing;
    largestTokens = Math.max(largestTokens, event.usage?.input ?? 0);
    limitTokens = Math.max(limitTokens, compactsAtTokens);
    for (const { reason, because, dueTokens } of made.splice(0))
      began.push({ schedule, reason, because, dueTokens, thresholdTokens, limitTokens: compactsAtTokens });
    if (postponed === "prices") passed++;
  };
  const caching = protocol === "anthropic-messages" ? "native" : "openai";
  const options: GatewayOptions = {
    upstreams: { provider: { url: far.url, caching } },
    contextLength: windowTokens,
    mode: billing.windowTokens === undefined ? "off" : "rewrite",
    caching: { schedule, ...(restoreBytes === undefined ? {} : { restoreBytes }) },
    tenant: { name: "local" },
    // On a busy machine requests would be forwarded unread, and without markers.
    limits: { eventLoopDelayMs: Number.MAX_SAFE_INTEGER },
    onEvent,
  };
  const gateway = createGateway(options);
  const listening = await gateway.listen();
  const started = performance.now();
  const model = modelOf(protocol);
  const rewrite = (body: string, turn: number): string =>
    retypes && turn % 2 === 1 ? retypedBody(body, protocol) : body;
  const run = await replayAsAgent({ url: listening.url, protocol, model, recording, rewrite });
  const tookMs = performance.now() - started;
  await gateway.settled();
  await listening.close();
  await gateway.close();
  await far.close();
  const { usd, tokens } = provider.account().total;
  return {
    usd,
    turns: run.turns,
    compactions: began.length,
    began,
    passed,
    inputTokens: tokens.input,
    readTokens: tokens.cacheRead,
    writtenTokens: tokens.cacheWrite,
    outputTokens: tokens.output,
    refused: run.refusal !== undefined,
    largestTokens,
    limitTokens,
    tookMs,
  };
}
