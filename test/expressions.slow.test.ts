/** No regular expression takes more than its share of time, also behind what may begin a match: each folder's expressions in turn. */
import { expect, it } from "vitest";
import { expressionsInSources, slowExpressions } from "./expressions.ts";

const byFolder = Map.groupBy(expressionsInSources(), ({ place }) => place.split("/").slice(0, 2).join("/"));

it.each([...byFolder])(
  "%s has none that does",
  (_, expressions) => {
    expect(slowExpressions(expressions, "openings")).toEqual([]);
  },
  600_000,
);
