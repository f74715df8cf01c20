/** Real transcripts to measure on, from the folder that PRECIS_CORPUS names; each with the repository it came from. */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { PrecisError } from "../../../src/core/errors.ts";
import type { ChatMessage } from "./future-use.ts";

export interface Recorded {
  readonly file: string;
  readonly repository: string;
  readonly messages: readonly ChatMessage[];
}

const DEFAULT_FOLDER = "../shared/corpus";

/** @throws PrecisError `no_corpus` where there is no `INDEX.tsv`. */
export function readCorpus(folder = process.env["PRECIS_CORPUS"] ?? DEFAULT_FOLDER): readonly Recorded[] {
  const index = resolve(folder, "INDEX.tsv");
  if (!existsSync(index)) {
    throw new PrecisError(`there is no corpus at ${folder}`, {
      code: "no_corpus",
      place: index,
      hint: "set PRECIS_CORPUS to a folder with INDEX.tsv and openai/*.json",
    });
  }
  const rows = readFileSync(index, "utf8").trim().split("\n").slice(1);
  return rows
    .map((row) => row.split("\t"))
    .map(([file, repository]) => ({
      file: file!,
      repository: repository!,
      messages: JSON.parse(readFileSync(resolve(folder, file!), "utf8")) as ChatMessage[],
    }))
    .toSorted((a, b) => (a.file < b.file ? -1 : 1));
}
