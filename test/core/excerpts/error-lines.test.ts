/** Which lines of a result report errors. */
import { expect, it } from "vitest";
import { errorLinesIn } from "../../../src/core/excerpts/error-lines.ts";

function linesOf(text: string): readonly string[] {
  return errorLinesIn(text, undefined).map(({ start, end }) => text.slice(start, end));
}

it("the cause is quoted, and that something failed only where nothing says why", () => {
  const cause = 'error when evicting pods/"search-0" (will retry after 5s): Cannot evict pod: disruption budget.';
  expect(linesOf(`node/x2 cordoned\n${cause}\nerror: timed out`)).toEqual([cause]);
  expect(linesOf("Waiting for the rollout to finish\nerror: timed out waiting for the condition")).toEqual([
    "error: timed out waiting for the condition",
  ]);
  expect(linesOf("smoke: 502\nERROR dial tcp 10.0.0.1: refused\nmake: *** [smoke] Error 1")).toEqual([
    "ERROR dial tcp 10.0.0.1: refused",
  ]);
});
