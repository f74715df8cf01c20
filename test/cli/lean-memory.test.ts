/** How much memory V8 may take for speed: none beside one person's agents, more in a gateway that many share. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LEAN_START } from "../../src/cli/gateway/lean-memory.ts";

const MODULE = join(import.meta.dirname, "../../src/cli/gateway/lean-memory.ts");

/** Megabytes that the young generation takes once much was made that lives for a while, in a process that is started lean. */
function youngMb(call: string): number {
  const script = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { keepMemoryLean, useMemoryForSpeed } from ${JSON.stringify(MODULE)};
    ${call}
    let kept = [];
    let most = 0;
    for (let round = 0; round < 400; round++) {
      kept = [...kept.slice(-20_000), ...Array.from({ length: 4_000 }, (_, at) => ({ round, at }))];
      const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
      most = Math.max(most, young.space_size);
    }
    console.log(most / 1024 / 1024);`;
  return Number(printed(script));
}

function printed(script: string, ...flags: readonly string[]): string {
  const file = join(mkdtempSync(join(tmpdir(), "precis-lean-")), "script.mjs");
  writeFileSync(file, script);
  return execFileSync(process.execPath, [...LEAN_START.flags, ...flags, "--no-warnings", file], { encoding: "utf8" });
}

it("optimises what ran for a thousand requests, and not only for thousands", () => {
  const script = `
    import { setImmediate as turn } from "node:timers/promises";
    import { keepMemoryLean } from ${JSON.stringify(MODULE)};
    keepMemoryLean();
    function step(list) {
      let sum = 0;
      for (const one of list) sum += one.weight;
      return sum;
    }
    for (let request = 0; request < 2_000; request++) {
      step([{ weight: request }, { weight: 1 }]);
      if (request % 100 === 0) await turn();
    }
    const TURBOFAN = 1 << 6;
    const isOptimised = () => (%GetOptimizationStatus(step) & TURBOFAN) !== 0;
    // It is compiled beside the program, which may take a while on a busy machine.
    for (let wait = 0; wait < 500 && !isOptimised(); wait++) {
      await new Promise((resume) => setTimeout(resume, 10));
      step([{ weight: wait }]);
    }
    console.log(isOptimised());`;
  expect(printed(script, "--allow-natives-syntax").trim()).toBe("true");
});

it("keeps the young generation at what it began with beside one person's agents", () => {
  expect(youngMb("keepMemoryLean();")).toBeLessThanOrEqual(6);
});

it.skipIf(process.platform !== "linux")("lets it grow in a gateway that many share, up to a bound", () => {
  const grown = youngMb("keepMemoryLean(); useMemoryForSpeed();");
  expect(grown).toBeGreaterThan(12);
  expect(grown).toBeLessThanOrEqual(48);
});
