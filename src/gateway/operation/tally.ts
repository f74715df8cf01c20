/** What became of all requests so far: for the status page, and for the last words of `precis serve`. */
import type { Usage } from "../../core/engines/contract.ts";
import type { GatewayEvent, Outcome, RequestEvent, Sizes, Tell, Treatment, UntouchedReason } from "../contract.ts";

export interface Totals {
  readonly requests: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly treatments: Readonly<Record<Treatment["kind"], number>>;
  readonly untouched: Readonly<Partial<Record<UntouchedReason, number>>>;
  /** Refused as too large, and answered when sent once more. */
  readonly retried: number;
  readonly compactions: number;
  /** Of these, made before they were due. */
  readonly ahead: number;
  /** Estimated tokens of rewritten requests. */
  readonly context: Sizes;
  /** The same of requests that would have been rewritten. */
  readonly observed: Sizes;
  readonly usage: Usage;
}

export interface Tally {
  readonly tell: Tell;
  readonly totals: () => Totals;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] extends object ? Mutable<T[Key]> : T[Key] };

export function createTally(): Tally {
  const totals: Mutable<Totals> = {
    requests: 0,
    outcomes: { answered: 0, refused: 0, turned_away: 0, aborted: 0, upstream_failed: 0 },
    treatments: { passed: 0, unchanged: 0, untouched: 0, rewritten: 0, observed: 0 },
    untouched: {},
    retried: 0,
    compactions: 0,
    ahead: 0,
    context: { before: 0, after: 0 },
    observed: { before: 0, after: 0 },
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
  return { tell: (event) => add(totals, event), totals: () => structuredClone(totals) };
}

function add(totals: Mutable<Totals>, event: GatewayEvent): void {
  if (event.kind === "compaction") {
    totals.compactions++;
    if (event.ahead) totals.ahead++;
  } else if (event.kind === "request") addRequest(totals, event);
}

function addRequest(totals: Mutable<Totals>, { outcome, treatment, retried, usage }: RequestEvent): void {
  totals.requests++;
  totals.outcomes[outcome]++;
  totals.treatments[treatment.kind]++;
  if (retried && outcome === "answered") totals.retried++;
  if (treatment.kind === "untouched")
    totals.untouched[treatment.because] = (totals.untouched[treatment.because] ?? 0) + 1;
  if (treatment.kind === "rewritten") addSizes(totals.context, treatment.tokens);
  if (treatment.kind === "observed") addSizes(totals.observed, treatment.tokens);
  if (usage === undefined) return;
  totals.usage.input += usage.input;
  totals.usage.output += usage.output;
  totals.usage.cacheRead += usage.cacheRead;
  totals.usage.cacheWrite += usage.cacheWrite;
}

function addSizes(to: Mutable<Sizes>, { before, after }: Sizes): void {
  to.before += before;
  to.after += after;
}
