/** node eval/scripts/page.ts OUTPUT.TXT: puts what `npm run --silent eval` printed into eval/README.md, as it is. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withGenerated } from "../../scripts/docs/markdown.ts";

const PAGE = join(import.meta.dirname, "..", "README.md");
/** Of the files that are not scored, the page tells only how many. */
const REST = "\nNot scored\n";

const text = readFileSync(process.argv[2] ?? "", "utf8");
const shown = text.slice(0, text.includes(REST) ? text.indexOf(REST) : undefined).trim();

writeFileSync(PAGE, withGenerated(readFileSync(PAGE, "utf8"), "figures", `\`\`\`\n${shown}\n\`\`\``));
