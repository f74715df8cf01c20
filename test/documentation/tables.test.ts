/** A table stands on one page, and other pages link there: two copies would be written by two commands, and come apart. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
/** A row with fewer figures may say the same of something else, and one with more words is a sentence. */
const [FIGURES_MIN, WORDS_A_FIGURE_MAX] = [3, 3];

const pages = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];

/** The rows of figures of a page, whether it has them in a table or in a command's output. */
function rowsOf(page: string): ReadonlySet<string> {
  const lines = readFileSync(join(ROOT, page), "utf8").split("\n");
  const rows = lines.map((line) => line.split(/[\s|·]+/).filter((word) => word !== ""));
  const isRow = (row: readonly string[]): boolean => {
    const figures = row.filter((word) => /^[+\-–]?\d[\d.,–%]*$/.test(word)).length;
    return figures >= Math.max(FIGURES_MIN, row.length / WORDS_A_FIGURE_MAX);
  };
  return new Set(rows.filter(isRow).map((row) => row.join(" ")));
}

it("has no row of figures on two pages", () => {
  const pageOf = new Map<string, string>();
  const twice = pages.flatMap((page) =>
    [...rowsOf(page)].flatMap((row) => {
      const other = pageOf.get(row);
      pageOf.set(row, page);
      return other === undefined ? [] : [`${other} and ${page}: ${row}`];
    }),
  );
  expect(pageOf.size).toBeGreaterThan(40);
  expect(twice).toEqual([]);
});
