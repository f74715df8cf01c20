/** Figures by day and model: what requests add to them, and that they outlast the gateway that counted them. */
import { expect, it } from "vitest";
import { createFigures } from "../../../src/gateway/dashboard/figures.ts";
import { createMemoryStore } from "../../../src/store/memory.ts";
import { compactionEvent, requestEvent } from "../operation/events.ts";

const MODEL = "claude-sonnet-4-5";
const NOON = Date.parse("2026-11-25T12:00:00Z");
const DAY_MS = 24 * 60 * 60_000;
const usage = { input: 100_000, output: 1_000, cacheRead: 90_000, cacheWrite: 5_000 };

it("count spend, cache, compactions, delays and errors, and add up over restarts", async () => {
  const store = createMemoryStore();
  let now = NOON;
  const first = createFigures({ store, now: () => now });
  first.onEvent(requestEvent({ usage, heldMs: 4, cache: { savedUsd: 0.2, surchargeUsd: 0.05, missedUsd: 0.01 } }));
  first.onEvent(requestEvent({ outcome: "refused", status: 500, firstByteMs: undefined }));
  first.onEvent(compactionEvent());
  await first.close();
  const second = createFigures({ store, now: () => now });
  const treatment = { kind: "rewritten", fresh: false, tokens: { before: 150_000, after: 100_000 } } as const;
  second.onEvent(requestEvent({ usage, treatment, heldMs: 400 }));
  const [figures, ...others] = await second.read(1);
  expect(others).toEqual([]);
  expect(figures).toMatchObject({
    day: "2026-11-25",
    model: MODEL,
    requests: 3,
    refused: 1,
    inputTokens: 200_000,
    cacheReadTokens: 180_000,
    compactions: 1,
    compactedTokens: 70_000,
    notSentTokens: 50_000,
    unpriced: 0,
  });
  // 5,000 at 3 $, 90,000 at 0.30 $, 5,000 written at 3.75 $, and 1,000 of output at 15 $, for each million.
  expect(figures!.spendUsd).toBeCloseTo(2 * (0.015 + 0.027 + 0.018_75 + 0.015), 6);
  expect(figures!.cacheSavedUsd).toBeCloseTo(0.15, 6);
  expect(figures!.notSentUsd).toBeCloseTo(0.060_75 / 2, 6);
  expect([figures!.heldMs.reduce((sum, count) => sum + count), figures!.firstByteMs.length]).toEqual([3, 25]);
  now += DAY_MS;
  expect((await second.read(1)).length).toBe(0);
  await second.close();
  expect(await second.read(2)).toMatchObject([{ day: "2026-11-25", requests: 3 }]);
  expect(await store.listTenants()).toEqual([]);
});

it("count models beyond a limit together, and say which requests have no price", async () => {
  const figures = createFigures({ store: createMemoryStore(), now: () => NOON });
  for (let at = 0; at < 60; at++) figures.onEvent(requestEvent({ model: `own-model-${at}`, usage }));
  const found = await figures.read(1);
  expect(found.length).toBe(51);
  expect(found.find(({ model }) => model === "other")).toMatchObject({ requests: 10, unpriced: 10, spendUsd: 0 });
});
