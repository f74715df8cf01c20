/**
 * Constraint probes: what was said once, early, has to be in the context after every one of ten compactions. Runs
 * without a budget, at the size that the policy gives, because that is what an agent lives with.
 */
import { createDraw } from "../../../../provider/src/random.ts";
import { engineOf } from "../contest.ts";
import { roundsOf } from "../drift.ts";
import type { Drift, ExaminedEngine } from "../plan.ts";
import { PROBE_KINDS, probesFrom, statesValue, type Draw, type ProbeKind } from "./plant.ts";
import { workWith } from "./work.ts";

export const PROBE_CYCLES = 10;
export const PROBE_SEEDS: readonly number[] = [1, 2, 3, 4, 5];
/** Small, so that ten cycles stay cheap; each fills the half of it at which the default engine compacts. */
const PROBE_WINDOW_TOKENS = 64_000;
const CYCLE_TOKENS = PROBE_WINDOW_TOKENS / 2;
/** The probes are said in the first cycles. */
const PLANTING_CYCLES = 3;

export interface ProbeOutcome {
  readonly contestant: string;
  readonly way: Drift["way"];
  readonly seed: number;
  readonly kind: ProbeKind;
  readonly planted: number;
  /** Kept after each cycle, of those planted by then. */
  readonly kept: readonly number[];
  readonly plantedBy: readonly number[];
  /** Sentences that the last context does not tell. */
  readonly lost: readonly string[];
}

export async function probe(entrant: ExaminedEngine, seed: number): Promise<readonly ProbeOutcome[]> {
  const random = createDraw(seed);
  const draw: Draw = (below) => Math.floor(random() * below);
  const probes = probesFrom(draw).map((one, at) => ({ ...one, cycle: at % PLANTING_CYCLES }));
  const parts = Array.from({ length: PROBE_CYCLES }, (_, cycle) =>
    workWith(
      probes.filter((one) => one.cycle === cycle),
      CYCLE_TOKENS,
      draw,
    ),
  );
  const outcomes: ProbeOutcome[] = [];
  for (const way of ["session", "result"] as const) {
    const texts: string[] = [];
    await roundsOf({ engine: engineOf(entrant, PROBE_WINDOW_TOKENS), way }, parts, ({ text }) => texts.push(text));
    for (const kind of PROBE_KINDS) {
      const own = probes.filter((one) => one.kind === kind);
      const by = (cycle: number): typeof own => own.filter((one) => one.cycle <= cycle);
      outcomes.push({
        contestant: entrant.name,
        way,
        seed,
        kind,
        planted: own.length,
        kept: texts.map((text, cycle) => by(cycle).filter((one) => statesValue(text, one)).length),
        plantedBy: texts.map((_, cycle) => by(cycle).length),
        lost: own.filter((one) => !statesValue(texts.at(-1)!, one)).map(({ says }) => says),
      });
    }
  }
  return outcomes;
}
