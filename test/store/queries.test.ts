/** The queries of the store run on its schema, and have the arguments and columns that their types state. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { MIGRATIONS } from "../../src/store/sqlite/migrations.ts";

const STORE = join(import.meta.dirname, "..", "..", "src", "store");
const NAMED_TYPES = [join(STORE, "sql"), join(STORE, "sqlite")]
  .flatMap((folder) => readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8")))
  .join("\n");
/** The text of SQLite, and perhaps another of PostgreSQL, which its own tests run. */
const DEFINITION = /const (\w+) = query<([^`]*?)>\(\s*`([^`]*)`,?\s*(?:`[^`]*`,?\s*)?\)/g;

const schema = new DatabaseSync(":memory:");
for (const { sql } of MIGRATIONS) schema.exec(sql);

const queries = [...NAMED_TYPES.matchAll(DEFINITION)].map(([, name = "", types = "", sql = ""]) => {
  const [args = "", row] = splitTypes(types);
  return { name, sql, args: keysOf(args), row: row === undefined ? [] : keysOf(row) };
});

describe.each(queries)("$name", ({ sql, args, row }) => {
  it("takes the arguments that it states", () => {
    const named = [...sql.matchAll(/:(\w+)/g)].map(([, name]) => name!);
    // Several queries share their arguments.
    expect(args).toEqual(expect.arrayContaining([...new Set(named)]));
  });

  it("answers with the columns that it states", () => {
    const columns = schema.prepare(sql).columns();
    expect(columns.map(({ name }) => name).toSorted()).toEqual(row.toSorted());
  });
});

it("are all of them", () => {
  expect(queries.length).toBe(NAMED_TYPES.match(/= query</g)?.length);
  expect(queries.length).toBeGreaterThan(50);
});

/** The two type arguments: a comma outside braces and brackets parts them. */
function splitTypes(types: string): readonly string[] {
  const parts = [""];
  let depth = 0;
  for (const character of types) {
    if ("{<(".includes(character)) depth++;
    if ("})>".includes(character)) depth--;
    if (character === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts.filter((part) => part.trim() !== "");
}

/** The keys of a type that is written out, of an interface or alias of the folder with what it extends, or of several. */
function keysOf(type: string): readonly string[] {
  if (type.includes(" & ")) return type.split(" & ").flatMap(keysOf);
  const named = type.trim();
  if (!/^\w+$/.test(named)) return [...named.matchAll(/(\w+):/g)].map(([, key]) => key!);
  const found = new RegExp(`(?:interface ${named}(?: extends (\\w+))?|type ${named} =) (\\{[^}]*\\})`).exec(
    NAMED_TYPES,
  );
  const [, base, body] = found ?? [];
  return [...(base === undefined ? [] : keysOf(base)), ...(body === undefined ? [] : keysOf(body))];
}
