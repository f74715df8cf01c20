/** `npm run docs:capacity`: writes docs/capacity.md from the stored results. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { capacityPage } from "./page.ts";

writeFileSync(join(import.meta.dirname, "..", "..", "docs", "capacity.md"), capacityPage());
