/** The corpus of real transcripts, where there is one: never part of the project, found through PRECIS_CORPUS. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

export const CORPUS = resolve(process.env["PRECIS_CORPUS"] ?? "../shared/corpus");
export const hasCorpus = existsSync(`${CORPUS}/INDEX.tsv`);
/** Shown as the name of the skipped suite. */
export const corpusTitle = hasCorpus
  ? ""
  : ` (skipped: no corpus at PRECIS_CORPUS=${process.env["PRECIS_CORPUS"] ?? "../shared/corpus"})`;

/** Names of files below a folder of the corpus, relative to the corpus. */
export function corpusFiles(folder: string): readonly string[] {
  if (!hasCorpus) return [];
  return readdirSync(`${CORPUS}/${folder}`, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => `${folder}/${name}`)
    .toSorted();
}

export const corpusText = (file: string): string => readFileSync(`${CORPUS}/${file}`, "utf8");
