/** The ways to tie a name: the same whoever asked for which name first. */
import { expect, it } from "vitest";
import { createCandidateKeeper, type CandidateTable } from "../../../src/core/excerpts/candidates.ts";
import { createQuotes } from "../../../src/core/excerpts/passages.ts";
import { createSources } from "../../../src/core/excerpts/sources.ts";
import { createOccurrencesKeeper } from "../../../src/core/excerpts/occurrences.ts";
import type { Message } from "../../../src/core/transcript/message.ts";
import { measure } from "../../support/compacting.ts";

/** Its words and its call are so short that one quote holds both. */
const MESSAGE: Message = {
  role: "assistant",
  parts: [
    { kind: "text", text: "now set portNumber there" },
    { kind: "tool-call", id: "a", name: "search", arguments: JSON.stringify({ query: "where retryLimit stands" }) },
  ],
};

function quotesAsked(names: readonly string[]): readonly string[] {
  const occurrences = createOccurrencesKeeper().occurrencesOf([MESSAGE]);
  const table: CandidateTable = createCandidateKeeper(createQuotes()).tableFor(
    { occurrences, sources: createSources(occurrences, (text) => text) },
    measure,
  );
  for (const name of names) table.of([occurrences.standings.findIndex(({ id }) => id === name)]);
  return table.candidates.map(({ range, source }) => `${range.start} ${range.end} ${source}`).toSorted();
}

it("a quote that names of words and of a call share has one source, whoever is asked for first", () => {
  const names = ["portNumber", "retryLimit"];
  const quotes = quotesAsked(names);
  expect(quotes).toHaveLength(1);
  expect(quotesAsked(names.toReversed())).toEqual(quotes);
});
