/** What became of all requests so far: for whoever asks the gateway, and for the last words of `precis serve`. */
import type { Usage } from "../../core/engines/contract.ts";
import type { PostponedBy } from "../../session/timing.ts";
import type {
  CompactionEvent,
  GatewayEvent,
  NoticeEvent,
  Outcome,
  RequestEvent,
  RequestTiming,
  TokenSizes,
  Treatment,
  UntouchedReason,
} from "../contract.ts";

function noTotals() {
  const nothingMissed = { tokens: 0, usd: 0 };
  return {
    requests: 0,
    outcomes: { answered: 0, refused: 0, turned_away: 0, aborted: 0, upstream_failed: 0 } satisfies Counts<Outcome>,
    treatments: {
      passed: 0,
      unchanged: 0,
      untouched: 0,
      rewritten: 0,
      command: 0,
      observed: 0,
    } satisfies Counts<Treatment["kind"]>,
    untouched: {} as Partial<Counts<UntouchedReason>>,
    /** Refused as too large, and answered when sent once more. */
    retried: 0,
    compactions: 0,
    /** Of these, made before they were due. */
    ahead: 0,
    /** What the compactions of each engine came to (Dual Compression chapter, 16.6). */
    engines: {} as Record<string, EngineTotals>,
    /** Compactions whose results may be missing requests of the user, and these requests, counted again in every compaction. */
    lost: { compactions: 0, requests: 0 },
    /** Estimated tokens of rewritten requests. */
    context: { before: 0, after: 0 },
    /** The same of requests that would have been rewritten. */
    observed: { before: 0, after: 0 },
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } satisfies Usage,
    cache: {
      /** Against reading everything at full price, what writing cost more taken off. */
      savedUsd: 0,
      /** Sent before, and read afresh all the same. */
      missed: { ...nothingMissed },
      /** Of that, on the request that a compaction rewrote. */
      missedByCompaction: { ...nothingMissed },
    },
    /** When conversations are compacted, by model, as of its newest request. */
    timing: {} as Record<string, ModelTiming>,
    notices: {} as Partial<Record<NoticeEvent["code"], { count: number; message: string }>>,
  };
}

type Counts<Name extends string> = Record<Name, number>;
type Summing = ReturnType<typeof noTotals>;
type Fixed<Value> = { readonly [Key in keyof Value]: Fixed<Value[Key]> };
export type Totals = Fixed<Summing>;

export interface EngineTotals {
  readonly compactions: number;
  readonly savedTokens: number;
  /** What a compaction saved on average, as a share of what was sent before it. */
  readonly averageRatio: number;
  /** Messages that stay in a shorter form, counted anew in every compaction. */
  readonly shortened: number;
  /** Sessions that began anew from a summary, each archived as it was. */
  readonly restarts: number;
}

export interface ModelTiming extends Omit<RequestTiming, "postponed">, Pick<RequestEvent, "window"> {
  /** Requests whose conversations were above the threshold and waited, by the reason. */
  readonly postponed: Readonly<Partial<Record<PostponedBy, number>>>;
}

/** Models of which it is told when their conversations are compacted: those asked last. */
const MODELS_MAX = 20;

export function createTally() {
  const totals = noTotals();
  return {
    onEvent: (event: GatewayEvent): void => add(totals, event),
    totals: (): Totals => structuredClone(totals),
  };
}

function add(totals: Summing, event: GatewayEvent): void {
  if (event.kind === "compaction") {
    totals.compactions++;
    if (event.ahead) totals.ahead++;
    if (event.lostRequests > 0) totals.lost.compactions++;
    totals.lost.requests += event.lostRequests;
    addEngine(totals, event);
  } else if (event.kind === "request") addRequest(totals, event);
  else if (event.kind === "notice") {
    const { code, message } = event;
    totals.notices[code] = { count: (totals.notices[code]?.count ?? 0) + 1, message };
  }
}

const NOTHING: EngineTotals = { compactions: 0, savedTokens: 0, averageRatio: 0, shortened: 0, restarts: 0 };

function addEngine({ engines }: Summing, { engine, tokens, shortened, restarted }: CompactionEvent): void {
  const { before, after } = tokens;
  const so = engines[engine] ?? NOTHING;
  const compactions = so.compactions + 1;
  engines[engine] = {
    compactions,
    savedTokens: so.savedTokens + before - after,
    averageRatio: so.averageRatio + ((before - after) / before - so.averageRatio) / compactions,
    shortened: so.shortened + shortened,
    restarts: so.restarts + (restarted ? 1 : 0),
  };
}

function addRequest(totals: Summing, event: RequestEvent): void {
  const { outcome, treatment, retried, usage } = event;
  totals.requests++;
  totals.outcomes[outcome]++;
  totals.treatments[treatment.kind]++;
  if (retried && outcome === "answered") totals.retried++;
  if (treatment.kind === "untouched")
    totals.untouched[treatment.because] = (totals.untouched[treatment.because] ?? 0) + 1;
  if (treatment.kind === "rewritten") addSizes(totals.context, treatment.tokens);
  if (treatment.kind === "observed") addSizes(totals.observed, treatment.tokens);
  addCache(totals, event);
  addTiming(totals, event);
  if (usage === undefined) return;
  totals.usage.input += usage.input;
  totals.usage.output += usage.output;
  totals.usage.cacheRead += usage.cacheRead;
  totals.usage.cacheWrite += usage.cacheWrite;
}

function addCache({ cache: totals }: Summing, { cache, treatment }: RequestEvent): void {
  if (cache === undefined) return;
  totals.savedUsd += cache.savedUsd - cache.surchargeUsd;
  const { missedTokens = 0, missedUsd = 0 } = cache;
  totals.missed.tokens += missedTokens;
  totals.missed.usd += missedUsd;
  if (treatment.kind !== "rewritten" || !treatment.fresh) return;
  totals.missedByCompaction.tokens += missedTokens;
  totals.missedByCompaction.usd += missedUsd;
}

function addTiming(totals: Summing, { model, window, timing }: RequestEvent): void {
  if (timing === undefined) return;
  const { postponed, ...figures } = timing;
  const { [model]: before, ...others } = totals.timing;
  const counts = { ...before?.postponed };
  if (postponed !== undefined) counts[postponed] = (counts[postponed] ?? 0) + 1;
  const kept = Object.entries(others).slice(1 - MODELS_MAX);
  totals.timing = Object.fromEntries([...kept, [model, { window, ...figures, postponed: counts }]]);
}

function addSizes(to: { before: number; after: number }, { before, after }: TokenSizes): void {
  to.before += before;
  to.after += after;
}
