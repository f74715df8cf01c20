/** A peer that cannot be had is told with its reason, and the others are measured all the same. */
import { expect, it } from "vitest";
import { installed, isAbsent, load, orAbsent } from "../../../bench/peers/load.ts";
import { absentLines } from "../../../bench/peers/page/section.ts";

it("says why, and not where it was looked for", async () => {
  const absent = await orAbsent("Nobody", () => load("precis-no-such-peer"));
  expect(absent).toMatchObject({ name: "Nobody", because: expect.stringContaining("precis-no-such-peer") });
  expect(JSON.stringify(absent)).not.toContain(import.meta.dirname.split("/test/")[0]);
  expect(absentLines([absent].filter(isAbsent))).toEqual([expect.stringContaining("Nobody: not measured: ")]);
});

it("asks for no version of what is not installed", () =>
  expect(() => installed("precis-no-such-peer")).toThrow("not installed"));

it("hands on what can be had", async () => expect(await orAbsent("One", async () => 1)).toBe(1));
