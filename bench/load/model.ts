/** What sessions cost, fitted to the measured shapes. */
import type { LoadFigures, ShapeFigures } from "./figures.ts";
import { fitCosts, sumOf } from "./fit.ts";

/** Compactions begin at half of the window. */
const THRESHOLD_SHARE = 0.5;

/** Of many turns, in the units that the costs are in. */
export interface Amounts {
  readonly turns: number;
  /** Of request bodies: every turn sends all turns before it. */
  readonly sentKb: number;
  readonly messages: number;
  readonly newTokens: number;
  readonly newKb: number;
  readonly compactions: number;
  /** Thousands of tokens that were compacted. */
  readonly compactedKtok: number;
}

export type Costs = Readonly<Record<Cost, readonly number[]>>;
export type Cost = keyof typeof COSTS;

interface CostDefinition {
  readonly of: (amounts: Amounts) => readonly number[];
  readonly measured: (shape: ShapeFigures) => number;
}

/** Each is a sum over the amounts that it is said to follow from. */
export const COSTS = {
  gatewayMs: {
    of: ({ turns, sentKb, compactedKtok }) => [turns, sentKb, compactedKtok],
    measured: ({ used }) => used.gateway,
  },
  databaseMs: {
    of: ({ turns, newKb, compactedKtok }) => [turns, newKb, compactedKtok],
    measured: ({ used }) => used.database,
  },
  clientMs: { of: ({ turns, sentKb }) => [turns, sentKb], measured: ({ used }) => used.client },
  upstreamMs: { of: ({ turns, sentKb }) => [turns, sentKb], measured: ({ used }) => used.upstream },
  transactions: {
    of: ({ turns, compactions }) => [turns, compactions],
    measured: ({ transactions }) => transactions,
  },
  walKb: { of: ({ turns, newKb, compactedKtok }) => [turns, newKb, compactedKtok], measured: ({ walBytes }) => walBytes / 1_000 }, // prettier-ignore
  rows: { of: ({ turns, compactedKtok }) => [turns, compactedKtok], measured: ({ storedRows }) => storedRows },
  storedKb: {
    of: ({ turns, newKb, compactedKtok }) => [turns, newKb, compactedKtok],
    measured: ({ storedBytes }) => storedBytes / 1_000,
  },
} as const satisfies Readonly<Record<string, CostDefinition>>;

const COST_NAMES = Object.keys(COSTS) as readonly Cost[];

function amountsOf(shape: ShapeFigures): Amounts {
  const { turns, bytes, messages, newTokens, newBytes, compactions, windowTokens } = shape;
  const compactedKtok = (compactions * windowTokens * THRESHOLD_SHARE) / 1_000;
  return { turns, sentKb: bytes / 1_000, messages, newTokens, newKb: newBytes / 1_000, compactions, compactedKtok };
}

export function fittedCosts(shapes: readonly ShapeFigures[]): Costs {
  const fitted = COST_NAMES.map((name) => {
    const { of, measured } = COSTS[name];
    return [
      name,
      fitCosts(shapes.map((shape) => ({ amounts: of(amountsOf(shape)), total: measured(shape) }))),
    ] as const;
  });
  return Object.fromEntries(fitted) as Costs;
}

export function costOf(costs: Costs, name: Cost, amounts: Amounts): number {
  return sumOf(COSTS[name].of(amounts), costs[name]);
}

/** Others use the machine too: as many cores as the measured processes had where gateways were at full load. */
export function coresGot(rows: readonly LoadFigures[]): number {
  const loaded = rows.filter(({ gateways }) => gateways > 0);
  return Math.max(
    ...loaded.map(({ perSecond, usedPerRequest }) => (perSecond * sum(Object.values(usedPerRequest))) / 1_000),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, one) => total + one, 0);
}
