/** npm run eval [-- flags of `precis-eval measure`]: the evaluation on the corpus at PRECIS_CORPUS, as the docs show it. */
import { join } from "node:path";
import { run } from "../src/main.ts";
import { processTerminal } from "../../src/cli/screen/terminal.ts";

const corpus = process.env["PRECIS_CORPUS"] ?? "../shared/corpus";

process.exitCode = await run(["measure", join(corpus, "openai"), ...process.argv.slice(2)], processTerminal());
