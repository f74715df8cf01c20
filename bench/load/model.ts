/** What sessions cost, fitted to the measured shapes, and the measured loads as the simulation has them. */
import { quantile } from "../stopwatch.ts";
import type { LoadFigures, LoadResults, ShapeFigures } from "./figures.ts";
import { fitCosts, sumOf } from "./fit.ts";
import { simulate, type Demand } from "./simulation.ts";

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

export const COST_NAMES = Object.keys(COSTS) as readonly Cost[];

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

/** What the fit says of a shape over what was measured, less one. */
export function fitError(costs: Costs, name: Cost, shape: ShapeFigures): number {
  return costOf(costs, name, amountsOf(shape)) / COSTS[name].measured(shape) - 1;
}

export interface SimulatedPoint {
  readonly measured: LoadFigures;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** Every measured load through gateways, as the simulation has it. */
export function simulatedPoints({
  shapes,
  full,
  paced,
}: Pick<LoadResults, "shapes" | "full" | "paced">): readonly SimulatedPoint[] {
  const costs = fittedCosts(shapes);
  const waitMs = waitOf(shapes);
  const cores = coresGot(full.rows);
  return [full, paced].flatMap(({ rows, atOnce, sessions, bytes, windowTokens }) =>
    rows
      .filter(({ gateways }) => gateways > 0)
      .map((measured) => {
        const session = demandsOf(costs, {
          bytes,
          windowTokens,
          turns: Math.round(measured.requests / sessions),
          waitMs,
        });
        const { offeredPerSecond } = measured;
        const { perSecond, latenciesMs } = simulate({
          sessions: Array.from({ length: sessions }, () => session),
          atOnce,
          gateways: measured.gateways,
          cores,
          ...(offeredPerSecond === undefined ? {} : { perSecond: offeredPerSecond }),
        });
        return { measured, perSecond, p50Ms: quantile(latenciesMs, 0.5), p95Ms: quantile(latenciesMs, 0.95) };
      }),
  );
}

/** Others use the machine too: as many cores as the measured processes had where gateways were at full load. */
export function coresGot(rows: readonly LoadFigures[]): number {
  const loaded = rows.filter(({ gateways }) => gateways > 0);
  return Math.max(
    ...loaded.map(({ perSecond, usedPerRequest }) => (perSecond * sum(Object.values(usedPerRequest))) / 1_000),
  );
}

/** What a turn takes with nothing else under way, less its processor time: the disk, the network and the scheduler. */
function waitOf(shapes: readonly ShapeFigures[]): number {
  const waits = shapes
    .filter(({ compactions }) => compactions === 0)
    .map(({ through, direct, used, turns }) => through.p50Ms - direct.p50Ms - (used.gateway + used.database) / turns);
  return Math.max(0, quantile(waits, 0.5));
}

interface SessionShape {
  readonly bytes: number;
  readonly windowTokens: number;
  readonly turns: number;
  readonly waitMs: number;
}

const BYTES_A_TOKEN = 4;

/** A session whose bodies grow evenly, with a compaction behind each turn at which its threshold is reached again. */
function demandsOf(costs: Costs, { bytes, windowTokens, turns, waitMs }: SessionShape): readonly Demand[] {
  const thresholdTokens = windowTokens * THRESHOLD_SHARE;
  const newKb = bytes / turns / 1_000;
  let heldTokens = 0;
  return Array.from({ length: turns }, (_, at) => {
    heldTokens += (newKb * 1_000) / BYTES_A_TOKEN;
    const isDue = heldTokens >= thresholdTokens;
    if (isDue) heldTokens = thresholdTokens * KEPT_SHARE;
    const amounts = {
      turns: 1,
      sentKb: newKb * (at + 1),
      newKb,
      messages: 2,
      newTokens: 0,
      compactions: 0,
      compactedKtok: 0,
    };
    const compaction = { ...NOTHING, compactedKtok: isDue ? thresholdTokens / 1_000 : 0 };
    return {
      clientMs: costOf(costs, "clientMs", amounts),
      gatewayMs: costOf(costs, "gatewayMs", amounts),
      behindMs: costOf(costs, "gatewayMs", compaction),
      databaseMs: costOf(costs, "databaseMs", amounts),
      upstreamMs: costOf(costs, "upstreamMs", amounts),
      waitMs,
    };
  });
}

/** A compaction leaves about that much. */
const KEPT_SHARE = 0.4;
const NOTHING: Amounts = { turns: 0, sentKb: 0, newKb: 0, messages: 0, newTokens: 0, compactions: 0, compactedKtok: 0 };

function sum(values: readonly number[]): number {
  return values.reduce((total, one) => total + one, 0);
}
