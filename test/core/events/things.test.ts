/** What changed in a thing that two results show. */
import { expect, it } from "vitest";
import { changesSince } from "../../../src/core/events/things.ts";

it("tells what a short value was, and of a long one only what it is now: where not all fits, the old one would stay", () => {
  const shown = (cabin: string, text: string): string => JSON.stringify({ job_id: "j7", cabin, text });
  const before = shown("business", "Send the news of yesterday, and the weather of the town.");
  const now = shown("economy", "Write a report for an engineer.");
  expect(changesSince([before], now)).toBe("cabin: business → economy, text: … → Write a report for an engineer.");
});
