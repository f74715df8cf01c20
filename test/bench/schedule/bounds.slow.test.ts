/**
 * The bounds of docs/schedule.md hold for each engine by each schedule, in any window, beside any fixed part and whatever the client
 * asks for as output: no compaction before the conversation has grown by a step, unless a request would be refused; and
 * no unread result is cut that is within the limit. A short run draws few sessions; the whole grid is `npm run bench:schedule`.
 */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { brokenBounds } from "../../../bench/schedule/bounds.ts";
import { impossibleBecause, type Setup } from "../../../bench/schedule/grid.ts";
import { measureSetup } from "../../../bench/schedule/measure.ts";
import type { Schedule } from "../../../bench/schedule/run.ts";
import { DEFAULTS } from "../../../src/config/defaults.ts";
import type { EngineName } from "../../../src/core/engines/names.ts";

const FULL = Number(process.env["PRECIS_TEST_RUNS"] ?? 0) > 1_000;
const SESSIONS = FULL ? 60 : 4;
const ENGINES: readonly EngineName[] = ["compressor", "sacred-zone", "handoff", "layered", "lossless", "stepped"];
const SCHEDULES: readonly Schedule[] = [...new Set<Schedule>(["threshold", DEFAULTS.compression.schedule])];

/** A large fixed part, one above the limit, output of half of the window, a room that a result and a handoff just share, and none of these. */
const SETUPS: readonly Setup[] = [
  { windowTokens: 64_000, fixedShare: 0.57, outputTokens: 4_000 },
  { windowTokens: 100_000, fixedShare: 0.86, outputTokens: 1_000 },
  { windowTokens: 128_000, fixedShare: 0.15, outputTokens: 64_000 },
  { windowTokens: 128_000, fixedShare: 0.6, outputTokens: 32_000 },
  { windowTokens: 200_000, fixedShare: 0.1, outputTokens: 32_000 },
];

const setups = fc
  .record({
    windowTokens: fc.constantFrom(32_000, 64_000, 100_000, 128_000, 200_000),
    fixedShare: fc.integer({ min: 0, max: 80 }).map((percent) => percent / 100),
    outputTokens: fc.integer({ min: 1_000, max: 64_000 }),
  })
  .filter((setup) => impossibleBecause(setup) === undefined);

describe.each(ENGINES)("%s", (engine) => {
  describe.each(SCHEDULES)("by %s", (schedule) => {
    const brokenIn = async (setup: Setup, seed?: number): Promise<readonly string[]> => {
      const { rows } = await measureSetup(setup, { engines: [engine], schedules: [schedule] }, seed);
      return rows.flatMap(brokenBounds);
    };

    it.each(SETUPS)("keeps the bounds: %o", async (setup) => {
      expect(await brokenIn(setup)).toEqual([]);
    });

    it("keeps the bounds in any other setup", { timeout: 60 * 60_000 }, async () => {
      const keeps = fc.asyncProperty(setups, fc.nat(), async (setup, seed) => {
        expect(await brokenIn(setup, seed)).toEqual([]);
      });
      await fc.assert(keeps, { numRuns: SESSIONS, endOnFailure: true });
    });
  });
});
