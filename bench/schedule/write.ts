/** `npm run docs:schedule`: renews the tables of docs/schedule.md from the stored results. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withScheduleFigures } from "./page.ts";

const PAGE = join(import.meta.dirname, "..", "..", "docs", "schedule.md");

writeFileSync(PAGE, withScheduleFigures(readFileSync(PAGE, "utf8")));
