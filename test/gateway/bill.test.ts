/**
 * The bill: sessions of the corpus through a window of 64K against the same traffic with the same caching, a window
 * without an end, and no compaction. By `cost` it is never more expensive, and by both schedules much cheaper where a session is
 * long; each compaction begins where its schedule says.
 */
import { describe, expect, it } from "vitest";
import { createMeasure } from "../../src/core/transcript/measure.ts";
import type { ProtocolName } from "../../src/protocols/index.ts";
import { corpusFiles, describeCorpus } from "../support/corpus.ts";
import { beginsWhereItShould, bill } from "./support/billing.ts";
import { recordingOf } from "./support/recordings.ts";

const FULL = Number(process.env["PRECIS_TEST_RUNS"] ?? 0) > 1_000;
/** Of a short run: sessions that end soon after the threshold, and one of some length. */
const SAMPLE = /whowhen__(?:hc36|ag80)\.|entire_claude__262cf8fa0634/;
const WINDOW_TOKENS = 64_000;
/** Below the threshold nothing can be compacted, and the two are the same. */
const TOKENS_MIN = 28_000;
/** A session that ends right after the threshold has paid for a compaction that `cost` would not have made yet. */
const DEARER_MAX = { threshold: 1.35, cost: 1.02 } as const;
const LONG_TOKENS = 120_000;
const SCHEDULES = { threshold: 0.55, cost: 0.45 } as const;
const PROTOCOLS: readonly ProtocolName[] = ["anthropic-messages", "openai-chat", "openai-responses"];
const SESSION_MS_MAX = 600_000;

const measure = createMeasure();
const files = corpusFiles("openai").filter((file) => FULL || SAMPLE.test(file));

describeCorpus("sessions of the corpus", () => {
  describe.each(FULL ? PROTOCOLS : PROTOCOLS.slice(0, 1))("%s", (protocol) => {
    const long = { without: 0, threshold: 0, cost: 0 };
    it.each(files)("%s is compacted where its schedule says, at a price", { timeout: SESSION_MS_MAX }, async (file) => {
      const recording = recordingOf(file);
      const tokens = measure.transcript(recording);
      if (tokens < TOKENS_MIN) return;
      const without = await bill(recording, { protocol, windowTokens: undefined });
      expect(without.refused).toBe(false);
      for (const schedule of ["threshold", "cost"] as const) {
        const billed = await bill(recording, { protocol, windowTokens: WINDOW_TOKENS, schedule });
        expect([billed.refused, billed.turns]).toEqual([false, without.turns]);
        expect(billed.began.filter((one) => !beginsWhereItShould(one))).toEqual([]);
        expect([schedule, billed.passed]).toEqual([schedule, schedule === "threshold" ? 0 : expect.any(Number)]);
        expect([schedule, billed.usd / without.usd]).toEqual([
          schedule,
          expect.toSatisfy(atMost(DEARER_MAX[schedule])),
        ]);
        if (tokens > LONG_TOKENS) long[schedule] += billed.usd;
      }
      if (tokens > LONG_TOKENS) long.without += without.usd;
    });

    if (!FULL) return;
    it.each(Object.entries(SCHEDULES))("long sessions, pooled, by %s", (schedule, most) => {
      expect(long.without).toBeGreaterThan(0);
      expect(long[schedule as keyof typeof SCHEDULES] / long.without).toBeLessThanOrEqual(most);
    });
  });
});

function atMost(most: number): (ratio: number) => boolean {
  return (ratio) => ratio <= most;
}
