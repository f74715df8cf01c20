/** The arguments of a call in little room: what is left out leaves a mark where it stood, and nowhere else. */
import { expect, it } from "vitest";
import { argumentsWithin } from "../../../../src/core/handoff/record/effects.ts";

const BOOKING = JSON.stringify({ user: "omar_rossi_1241", from: "EWR", to: "Chicago_O_Hare_International", bags: 0 });

it.each([
  [200, "user=omar_rossi_1241, from=EWR, to=Chicago_O_Hare_International, bags=0"],
  [60, "omar_rossi_1241, EWR, Chicago_O_Hare_International, 0"],
  [30, "omar_rossi_1241, EWR, …, 0"],
  [23, "omar_rossi_1241, EWR, …"],
])("within %d characters", (charsMax, text) => {
  expect(argumentsWithin(BOOKING)(charsMax)).toBe(text);
});
