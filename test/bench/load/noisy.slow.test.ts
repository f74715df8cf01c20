/**
 * A tenant that sends many times what it may is refused with a time to come again, and another tenant does not notice: its
 * slowest requests take about as long as without the first one. Measured in turns in one run, over real HTTP and an SQLite file.
 */
import { join } from "node:path";
import { expect, it } from "vitest";
import { measureNoisy, NOISY } from "../../../bench/load/noisy.ts";

const COMMAND = join(import.meta.dirname, "../../../src/cli/bin.ts");
const ROUNDS = 3;
const SECONDS = 6;
/**
 * What is promised is 1.5. A round has two hundred requests, so its 99th percentile is its second slowest one, and other
 * programs on a test machine make that twice as slow by themselves: the test fails on what they do not explain.
 */
const RATIO_MAX = 1.5;
const NOISE_MS = 150;
const MINUTE_SECONDS = 60;

it("a tenant above its limit gets 429s, and others are as quick as without it", { timeout: 180_000 }, async () => {
  const options = { store: "sqlite", rounds: ROUNDS, secondsPerBlock: SECONDS, gateway: { command: COMMAND } } as const;
  const { alone, beside, quietRefused, noisyAnswered, noisyRefused, noisyPerSecond, retryAfterSeconds } =
    await measureNoisy(options);
  expect(quietRefused).toBe(0);
  expect(noisyPerSecond).toBeGreaterThan((5 * NOISY.limitPerMinute) / MINUTE_SECONDS);
  expect(noisyRefused).toBeGreaterThan(noisyAnswered);
  const [least, most] = retryAfterSeconds;
  expect(least).toBeGreaterThanOrEqual(1);
  expect(most).toBeLessThanOrEqual(MINUTE_SECONDS);
  expect(beside.p50Ms).toBeLessThan(alone.p50Ms * RATIO_MAX + NOISE_MS / 10);
  expect(beside.p99Ms).toBeLessThan(alone.p99Ms * RATIO_MAX + NOISE_MS);
});
