/** node scripts/eval-page.ts OUTPUT.TXT: puts what `npm run --silent eval` printed into docs/evaluation.md, as it is. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withGenerated } from "./docs/markdown.ts";

const PAGE = join(import.meta.dirname, "..", "docs", "evaluation.md");
/** Of the files that are not scored, the page tells only how many. */
const REST = "\nNot scored\n";

const text = readFileSync(process.argv[2] ?? "", "utf8");
const shown = text.slice(0, text.includes(REST) ? text.indexOf(REST) : undefined).trim();

writeFileSync(PAGE, withGenerated(readFileSync(PAGE, "utf8"), "figures", `\`\`\`\n${shown}\n\`\`\``));
