/**
 * The bill: sessions of the corpus through a window of 64K against the same traffic with the same caching, a window
 * without an end, and no compaction. By `auto` and `cost` a session that fits its window is within its bound, and by each schedule
 * a long one is much cheaper; each compaction begins where its schedule says.
 */
import { describe, expect, it } from "vitest";
import { SCHEDULES } from "../../src/core/caching/schedule.ts";
import { createMeasure } from "../../src/core/transcript/measure.ts";
import type { ProtocolName } from "../../src/core/protocols.ts";
import { corpusFiles, describeCorpus } from "../support/corpus.ts";
import { beginsWhereItShould, bill, fitsWindow } from "./support/billing.ts";
import { recordingOf } from "./support/recordings.ts";

const FULL = Number(process.env["PRECIS_TEST_RUNS"] ?? 0) > 1_000;
/** Of a short run: sessions that end soon after the threshold, and one of some length. */
const SAMPLE = /whowhen__(?:hc36|ag80)\.|entire_claude__262cf8fa0634/;
const WINDOW_TOKENS = 64_000;
/** Below the threshold nothing can be compacted, and the two are the same. */
const TOKENS_MIN = 28_000;
/** A session that ends right after the threshold has paid for a compaction that the others would not have made yet. */
const DEARER_MAX = { auto: 1.05, threshold: 1.35, cost: 1.05 } as const;
const LONG_TOKENS = 120_000;
const POOLED_MAX = { auto: 0.45, threshold: 0.55, cost: 0.45 } as const;
const PROTOCOLS: readonly ProtocolName[] = ["anthropic-messages", "openai-chat", "openai-responses"];
const SESSION_MS_MAX = 600_000;

const measure = createMeasure();
const files = corpusFiles("openai").filter((file) => FULL || SAMPLE.test(file));

describeCorpus("sessions of the corpus", () => {
  describe.each(FULL ? PROTOCOLS : PROTOCOLS.slice(0, 1))("%s", (protocol) => {
    const long = { without: 0, auto: 0, threshold: 0, cost: 0 };
    it.each(files)("%s is compacted where its schedule says, at a price", { timeout: SESSION_MS_MAX }, async (file) => {
      const recording = recordingOf(file);
      const tokens = measure.transcript(recording);
      if (tokens < TOKENS_MIN) return;
      const without = await bill(recording, { protocol, windowTokens: undefined });
      expect(without.refused).toBe(false);
      for (const schedule of SCHEDULES) {
        const billed = await bill(recording, { protocol, windowTokens: WINDOW_TOKENS, schedule });
        expect([billed.refused, billed.turns]).toEqual([false, without.turns]);
        expect(billed.began.filter((one) => !beginsWhereItShould(one))).toEqual([]);
        expect([schedule, billed.passed]).toEqual([schedule, schedule === "threshold" ? 0 : expect.any(Number)]);
        const most = schedule === "threshold" || fitsWindow(without, billed) ? DEARER_MAX[schedule] : Infinity;
        expect([schedule, billed.usd / without.usd]).toEqual([schedule, expect.toSatisfy(atMost(most))]);
        if (tokens > LONG_TOKENS) long[schedule] += billed.usd;
      }
      if (tokens > LONG_TOKENS) long.without += without.usd;
    });

    if (!FULL) return;
    it.each(Object.entries(POOLED_MAX))("long sessions, pooled, by %s", (schedule, most) => {
      expect(long.without).toBeGreaterThan(0);
      expect(long[schedule as keyof typeof POOLED_MAX] / long.without).toBeLessThanOrEqual(most);
    });
  });
});

function atMost(most: number): (ratio: number) => boolean {
  return (ratio) => ratio <= most;
}
