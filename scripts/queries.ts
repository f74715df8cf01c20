/** `npm run queries`: renews the statements that the store runs; a test fails where they are out of date. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { statementsFile } from "./queries/compile.ts";

writeFileSync(join(import.meta.dirname, "..", "src", "store", "sqlite", "statements.ts"), statementsFile());
