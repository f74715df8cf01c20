/** `npm run docs:benchmarks`: writes docs/benchmarks.md from the stored results. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { benchmarksPage } from "./page.ts";

writeFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "benchmarks.md"), benchmarksPage());
