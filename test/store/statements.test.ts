/** The queries that the store runs are those that are defined, and what they are defined with stays at home. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { statementsFile } from "../../scripts/queries/compile.ts";

const SRC = join(import.meta.dirname, "..", "..", "src");
const read = (path: string): string => readFileSync(join(SRC, path), "utf8");

it("are compiled from the definitions as they stand (`npm run queries` renews them)", () => {
  expect(read("store/sqlite/statements.ts")).toBe(statementsFile());
});

it("need no Kysely to run", () => {
  const importing = readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .filter((path) => read(path).includes('"kysely"'));
  expect(importing).toContain(join("store", "sqlite", "query.ts"));
  const loading = importing.filter((path) =>
    read(path)
      .split("\n")
      .some((line) => line.includes('"kysely"') && !line.startsWith("import type ")),
  );
  expect(loading).toEqual([]);
});
