/** The queries of `src/store/sqlite/` as SQL: arguments by name, constants in their place. */
import {
  DummyDriver,
  Kysely,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type Compilable,
} from "kysely";
// Loads every file that defines one.
import "../../src/store/sqlite/operations.ts";
import { DEFINITIONS } from "../../src/store/sqlite/query.ts";
import type { Tables } from "../../src/store/sqlite/tables.ts";

const HEADING =
  "/** Written by `npm run queries` from the definitions in the files beside: each query as SQLite runs it. */";
/** A statement that is longer has a line for each clause. */
const LINE_CHARACTERS_MAX = 100;
const CLAUSE =
  "from|where|and|select|inner join|left join|cross join|group by|order by|limit|set|values|on conflict|union all|returning";
const BREAKS = new RegExp(`[()]|(?<!delete) (?=(?:${CLAUSE}) )`, "g");

/** Stands in a definition for the argument of this name. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

class Compiler extends SqliteQueryCompiler {
  protected override appendValue(value: unknown): void {
    if (value instanceof Slot) this.append(`:${value.name}`);
    else this.appendImmediateValue(value);
  }
}

const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new Compiler(),
  },
});

/** The text of `src/store/sqlite/statements.ts`. */
export function statementsFile(): string {
  const lines = [...DEFINITIONS].map(
    ([name, define]) => `  ${name}: \`${laidOut(compiled(define(builder, slot, sql)))}\`,`,
  );
  return [HEADING, "export const STATEMENTS = {", ...lines.toSorted(), "};", ""].join("\n");
}

function slot(name: string): Slot {
  return new Slot(name);
}

function compiled(definition: Compilable): string {
  const { sql: statement } = definition.compile();
  // White space is ours to change, and nothing is to be escaped.
  if (/['`\\]/.test(statement)) throw new Error(`a text is to be an argument, not a constant: ${statement}`);
  return statement;
}

function laidOut(statement: string): string {
  const line = statement.replaceAll(/\s+/g, " ");
  if (line.length <= LINE_CHARACTERS_MAX) return line;
  let depth = 2;
  return line.replaceAll(BREAKS, (found) => {
    if (found === " ") return `\n${"  ".repeat(depth)}`;
    depth += found === "(" ? 1 : -1;
    return found;
  });
}
