/** Survival probes: what they call standing, that nothing and everything are distinguished, and what an engine loses. */
import { describe, expect, it } from "vitest";
import { plantedIn, SCENES, isPresent, type Scene } from "../../src/measure/probes/scenes.ts";
import { survival, survivalBaselines, SURVIVAL_SEEDS } from "../../src/measure/probes/survival.ts";
import { createDraw } from "../../../provider/src/random.ts";

const plantedOf = (scene: Scene) => {
  const random = createDraw(3);
  return plantedIn(scene, (below) => Math.floor(random() * below));
};

describe("what is planted", () => {
  it.each(SCENES)("stands in the words that say it, and not where the name or the rule is gone: %s", (scene) => {
    const planted = plantedOf(scene);
    for (const one of planted) {
      const saying = planted
        .flatMap(({ says }) => says.flat())
        .map(({ says }) => says)
        .filter((says) => one.needs.every((need) => says.includes(need)));
      expect(saying, one.variant).toHaveLength(1);
      expect(isPresent(`before\n${saying[0]!}\nafter`, one), one.variant).toBe(true);
      for (const need of one.needs) expect(isPresent(saying[0]!.replaceAll(need, "it"), one), one.variant).toBe(false);
    }
  });

  it("does not stand while an overruled value is told by itself", () => {
    for (const one of plantedOf("update")) {
      const [first, then] = one.says.flat().map(({ says }) => says) as [string, string];
      expect(isPresent(first, one), one.variant).toBe(false);
      expect(isPresent(`${first}\n${then}`, one), one.variant).toBe(true);
      expect(isPresent(`${first}\n${"x".repeat(1_000)}\n${then}`, one), one.variant).toBe(false);
    }
  });
});

describe("the baselines", () => {
  it("tell nothing from everything, and everything from what is up to date", () => {
    for (const { contestant, scene, variant, stands: told } of SURVIVAL_SEEDS.flatMap(survivalBaselines))
      expect(told, `${contestant}, ${scene}, ${variant}`).toBe(contestant === "everything" && scene !== "update");
  });
});

describe("the default engine", () => {
  it("is asked about every scene and variant, and keeps what is plainly said", { timeout: 120_000 }, async () => {
    const entrant = { name: "compressor", engine: "compressor" };
    const outcomes = await survival(entrant, 1);
    const nothing = survivalBaselines(1).filter(({ contestant }) => contestant === "nothing");
    expect(outcomes.map(({ scene, variant }) => [scene, variant])).toEqual(
      nothing.map(({ scene, variant }) => [scene, variant]),
    );
    const lost = outcomes.filter((one) => !one.stands).map(({ scene, variant }) => `${scene}: ${variant}`);
    expect(lost.filter((one) => /^length|phrasing: (?:order|request|permission)/.test(one))).toEqual([]);
  });
});
