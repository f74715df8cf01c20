/** npm run fit:ranking: fits the weights by which a handoff ranks identifiers, on the corpus at PRECIS_CORPUS. */
import { readFileSync, writeFileSync } from "node:fs";
import { readCorpus } from "../src/lab/recall/corpus.ts";
import { fitWeights, samplesOf } from "../src/lab/recall/fit.ts";

const samples = readCorpus().flatMap(samplesOf);
const { bias, ...features } = fitWeights(samples);
const rows = Object.entries({ bias, ...features }).map(([name, weight]) => `  ${name}: ${weight},`);
const asked = samples.reduce((sum, sample) => sum + sample.asked.reduce((count, one) => count + one, 0), 0);
const all = samples.reduce((sum, sample) => sum + sample.asked.length, 0);

const file = new URL("../src/core/excerpts/weights.ts", import.meta.url);
const table = /(?<=export const WEIGHTS: Weights = \{\n)[^}]*(?=\};)/;
writeFileSync(file, readFileSync(file, "utf8").replace(table, `${rows.join("\n")}\n`));
process.stdout.write(`fitted on ${samples.length} cuts: ${asked} of ${all} identifiers were asked for again\n`);
