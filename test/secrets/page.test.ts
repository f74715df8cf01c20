/** docs/redaction.md tells what the rules do today. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withShapes } from "../../bench/redaction/shapes.ts";

test("the table of shapes is as `npm run eval:redaction` leaves it", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/redaction.md"), "utf8");
  expect(withShapes(page)).toBe(page);
});
