/** Constraint probes: what a person said once stands after ten compactions, and the probe itself can fail. */
import { describe, expect, it } from "vitest";
import { createDraw } from "../../../provider/src/random.ts";
import { probesFrom, PROBE_KINDS, statesValue } from "../../src/measure/probes/plant.ts";
import { probe, PROBE_CYCLES, PROBE_SEEDS } from "../../src/measure/probes/probes.ts";

const FULL = Number(process.env["PRECIS_TEST_RUNS"] ?? 500) > 500;
const SEEDS = FULL ? PROBE_SEEDS : PROBE_SEEDS.slice(0, 1);

const probesOf = (seed: number) => {
  const random = createDraw(seed);
  return probesFrom((below) => Math.floor(random() * below));
};

describe("the default engine", () => {
  it.each(SEEDS)("keeps every prohibition, decision and fact of seed %i through ten compactions", async (seed) => {
    const outcomes = await probe({ name: "compressor", engine: "compressor" }, seed);
    expect(outcomes.map(({ lost }) => lost).flat()).toEqual([]);
    for (const { kept, planted } of outcomes) {
      expect(kept).toHaveLength(PROBE_CYCLES);
      expect(kept.at(-1)).toBe(planted);
    }
    expect(new Set(outcomes.map(({ kind, way }) => `${kind} ${way}`)).size).toBe(2 * PROBE_KINDS.length);
  });
});

describe("a probe", () => {
  it("is told where its parts stand near each other, and not where one is gone", () => {
    for (const seed of [1, 2, 3])
      for (const one of probesOf(seed)) {
        expect(statesValue(`before\n- ${one.says}\nafter`, one)).toBe(true);
        expect(statesValue(one.says.replace(one.needs[0]!, "it"), one)).toBe(false);
        expect(statesValue(one.says.replaceAll(one.needs[1]!, "—"), one)).toBe(false);
        expect(statesValue(`${one.needs[0]!} ${" ".repeat(1_000)} ${one.needs[1]!}`, one)).toBe(false);
      }
  });

  it("differs from seed to seed, and not from run to run", () => {
    const said = (seed: number): string =>
      probesOf(seed)
        .map(({ says }) => says)
        .join("\n");
    expect(said(1)).toBe(said(1));
    expect(said(1)).not.toBe(said(2));
    expect(new Set(probesOf(5).map(({ says }) => says)).size).toBe(12);
  });
});
