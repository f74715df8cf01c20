/** Survival probes: what they call standing, that nothing and everything are told apart, and what an engine loses. */
import { describe, expect, it } from "vitest";
import { createDraw } from "../../../src/lab/provider/random.ts";
import { plantedIn, SCENES, stands } from "../../../src/lab/eval/probes/scenes.ts";
import { survival, survivalBaselines, SURVIVAL_SEEDS } from "../../../src/lab/eval/probes/survival.ts";

const plantedOf = (scene: (typeof SCENES)[number], seed: number) => {
  const random = createDraw(seed);
  return plantedIn(scene, (below) => Math.floor(random() * below));
};

describe("what is planted", () => {
  it("stands in its own words, and not where the name or the rule is gone", () => {
    for (const scene of SCENES)
      for (const one of plantedOf(scene, 3)) {
        const said = one.says.length > 0 ? one : plantedOf(scene, 3).find(({ variant }) => variant === one.variant)!;
        const last = said.says.at(scene === "flood" ? 0 : -1)!.says;
        expect(stands(`before\n${last}\nafter`, one), one.variant).toBe(true);
        for (const need of one.needs) expect(stands(last.replaceAll(need, "it"), one), one.variant).toBe(false);
      }
  });

  it("does not stand while an overruled value is told by itself", () => {
    for (const one of plantedOf("update", 3)) {
      const [first, then] = one.says.map(({ says }) => says) as [string, string];
      expect(stands(first, one), one.variant).toBe(false);
      expect(stands(`${first}\n${then}`, one), one.variant).toBe(true);
      expect(stands(`${first}\n${"x".repeat(1_000)}\n${then}`, one), one.variant).toBe(false);
    }
  });
});

describe("the baselines", () => {
  it("tell nothing from everything, and everything from what is up to date", () => {
    for (const { contestant, scene, variant, stands: told } of SURVIVAL_SEEDS.flatMap(survivalBaselines))
      expect(told, `${contestant}, ${scene}, ${variant}`).toBe(contestant === "everything" && scene !== "update");
  });
});

describe("an engine", () => {
  it("is asked about every scene and variant, the same way each time", { timeout: 120_000 }, async () => {
    const entrant = { name: "compressor", engine: "compressor" };
    const outcomes = await survival(entrant, 1);
    const variants = survivalBaselines(1).filter(({ contestant }) => contestant === "nothing");
    expect(outcomes.map(({ scene, variant }) => [scene, variant])).toEqual(
      variants.map(({ scene, variant }) => [scene, variant]),
    );
    expect(await survival(entrant, 1)).toEqual(outcomes);
    const kept = outcomes.filter(({ scene, variant }) => scene === "phrasing" && variant === "order");
    expect(kept).toMatchObject([{ stands: true }]);
  });
});
