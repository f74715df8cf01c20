/** docs/handoffs.md is what the constants say. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { markdownTable, withGenerated } from "../../scripts/docs/markdown.ts";
import { cooldownRows, limitRows } from "../../scripts/docs/session.ts";

it("docs/handoffs.md is current, as `npm run docs` leaves it", () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../docs/handoffs.md"), "utf8");
  expect(withGenerated(page, "cooldowns", markdownTable(cooldownRows()))).toBe(page);
  expect(withGenerated(page, "limits", markdownTable(limitRows()))).toBe(page);
});
