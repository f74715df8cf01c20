/** What a recorded session costs through the gateway, by the provider's own account. */
import { performance } from "node:perf_hooks";
import type { Transcript } from "../../../src/core/transcript/message.ts";
import type { CompactionEvent, GatewayEvent } from "../../../src/gateway/contract.ts";
import { createGateway, type GatewayOptions } from "../../../src/gateway/index.ts";
import { replayAsAgent } from "../../../src/provider/agent.ts";
import { createProvider } from "../../../src/provider/provider.ts";
import type { ProtocolName } from "../../../src/protocols/index.ts";
import { PROTOCOL_MODELS } from "../../provider/models.ts";
import { retypedBody } from "./retyping.ts";

/** Prices of today, and no bound thinking, which would keep compactions from their moment. */
const modelOf = (protocol: ProtocolName): string =>
  protocol === "anthropic-messages" ? "claude-sonnet-4-5" : PROTOCOL_MODELS[protocol];

export interface Billing {
  readonly protocol: ProtocolName;
  /** Undefined for a window without an end, in which nothing is compacted. */
  readonly windowTokens: number | undefined;
  readonly schedule?: "threshold" | "cost";
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
  readonly tookMs: number;
}

/** Where a compaction began: what would have gone out without it, against what its engine's threshold was. */
export interface Began extends Pick<CompactionEvent, "reason" | "because" | "dueTokens"> {
  readonly thresholdTokens: number;
}

/** Half of a window against its safety net. */
const HYGIENE_PER_THRESHOLD = 0.85 / 0.5;

/** At the threshold or above, at the safety net, or where prices speak for it, as its reason says. */
export function beginsWhereItShould({ reason, because, dueTokens, thresholdTokens }: Began): boolean {
  if (reason === "threshold") return dueTokens >= thresholdTokens;
  if (reason === "cost") return because !== undefined;
  return reason === "hygiene" && dueTokens >= Math.floor(thresholdTokens * HYGIENE_PER_THRESHOLD);
}

const ENDLESS_TOKENS = 10_000_000;

export async function bill(recording: Transcript, billing: Billing): Promise<Billed> {
  const { protocol, windowTokens = ENDLESS_TOKENS, schedule = "threshold", retypes = false, restoreBytes } = billing;
  const provider = createProvider({ replay: recording.messages, every: { windowTokens } });
  const far = await provider.listen();
  const made: CompactionEvent[] = [];
  const began: Began[] = [];
  let passed = 0;
  const onEvent = (event: GatewayEvent): void => {
    if (event.kind === "compaction") made.push(event);
    if (event.kind !== "request" || event.timing === undefined) return;
    const { thresholdTokens, postponed } = event.timing;
    for (const { reason, because, dueTokens } of made.splice(0))
      began.push({ reason, because, dueTokens, thresholdTokens });
    if (postponed === "prices") passed++;
  };
  const caching = protocol === "anthropic-messages" ? "native" : "openai";
  const options: GatewayOptions = {
    upstreams: { provider: { url: far.url, caching } },
    contextLength: windowTokens,
    mode: billing.windowTokens === undefined ? "off" : "rewrite",
    caching: { schedule, ...(restoreBytes === undefined ? {} : { restoreBytes }) },
    tenant: { name: "local" },
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
    tookMs,
  };
}
