/** The corpus of real transcripts, where there is one: never part of the project, found through PRECIS_CORPUS. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, it } from "vitest";

export const CORPUS = resolve(process.env["PRECIS_CORPUS"] ?? "../shared/corpus");
export const hasCorpus = existsSync(`${CORPUS}/INDEX.tsv`);

/**
 * A suite whose cases come from the corpus. Where there is none, its body never runs: one skipped test says what is
 * missing in its place, because vitest fails a suite that turns out to have no tests.
 */
export function describeCorpus(title: string, body: () => void): void {
  const suite = hasCorpus ? body : saysWhatIsMissing;
  describe(`${title}`, () => {
    suite();
  });
}

function saysWhatIsMissing(): void {
  it.skipIf(!hasCorpus)(`needs the corpus: there is none at PRECIS_CORPUS=${CORPUS}`, () => undefined);
}

/** Names of files below a folder of the corpus, relative to the corpus. */
export function corpusFiles(folder: string): readonly string[] {
  if (!hasCorpus) return [];
  return readdirSync(`${CORPUS}/${folder}`, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => `${folder}/${name}`)
    .toSorted();
}

export const corpusText = (file: string): string => readFileSync(`${CORPUS}/${file}`, "utf8");
