/** `precis-eval replay --example`: the built-in session, labelled for what it is. */
import { expect, it } from "vitest";
import { EXIT } from "../../../src/cli/program/exit.ts";
import { precisHere } from "../../../test/cli/precis.ts";

it("replays the built-in example, labelled for what it is, with what disagrees in it", async () => {
  const { code, out } = await precisHere([
    "precis-eval",
    "replay",
    "--example",
    "--engines",
    "none",
    "--schedules",
    "cost",
  ]);
  expect(code).toBe(EXIT.done);
  expect(out).toContain("generated");
  expect(out).toContain("95 requests over 127 minutes");
  expect(out).toContain("Window: 100,000");
  expect(out).toContain("94,847");
  expect(out).toContain("Dual Compression System");
});
