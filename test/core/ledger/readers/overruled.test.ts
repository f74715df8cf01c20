/** What a later sentence takes the place of, and what only sounds like it. */
import { describe, expect, it } from "vitest";
import { comparable, overrules } from "../../../../src/core/ledger/readers/overruled.ts";

const isOverruled = (before: string, now: string): boolean => overrules(comparable(now), comparable(before));

describe("a sentence overrules", () => {
  it.each([
    ["The service must listen on port 4470.", "The service must listen on 4471 instead of 4470."],
    ["For exports use avro-2.", "Change of plan: for exports use parquet-7."],
    ["Always deploy to host-1.", "I was wrong about the deployment: always deploy to host-2."],
    ["I decided to use redis-6 as the queue.", "No, use valkey-8 as the queue after all."],
    ["Keep the old parser beside the new one.", "Actually, do not keep the old parser beside it."],
  ])("%s → %s", (before, now) => expect(isOverruled(before, now)).toBe(true));
});

describe("a sentence leaves alone", () => {
  it.each([
    ["You must not delete the-archive-4470.", "You must not delete the-archive-9981."],
    ["Never restart host-1.", "Never restart host-2."],
    ["Never restart host-1.", "No, restart worker-2 first."],
    ["Do not deploy to host-1 on Fridays.", "You must not deploy to host-1 without tests."],
    [
      "You must not delete the-archive-1, the customer still reads it.",
      "No, you must not delete the-archive-2, the customer still reads it.",
    ],
    ["Keep the tests green.", "No, keep the tests in src."],
    ["For exports use avro-2.", "No, the tests are in another folder."],
    ["The service must listen on port 4470.", "Use tabs instead of spaces."],
    ["Write tests first.", "From now on answer in German."],
  ])("%s ↛ %s", (before, now) => expect(isOverruled(before, now)).toBe(false));
});
