/**
 * Queries are written once in Kysely, compiled once, and run as prepared statements with their arguments by name. The
 * builder never runs anything, so the same definitions compile for another database.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  DummyDriver,
  Kysely,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type Compilable,
  type RawBuilder,
} from "kysely";
import type { Tables } from "./tables.ts";

export type Value = string | number | Uint8Array | null;

/** Stands in a definition for the argument of this name. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

function slotFor(name: string): unknown {
  return new Slot(name);
}

export interface Query<Arguments, Row> {
  readonly sql: string;
  readonly bind: (args: Arguments) => Value[];
  /** Never there: carries the type of a row. */
  readonly row?: Row;
}

const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

type Argument<Arguments> = <Name extends keyof Arguments & string>(name: Name) => Arguments[Name];

/** Gives the type of the arguments, and answers with what takes the definition. */
export function query<Arguments extends object = object>() {
  return <Row>(define: (db: Kysely<Tables>, arg: Argument<Arguments>) => Compilable<Row>): Query<Arguments, Row> => {
    const compiled = define(builder, slotFor as Argument<Arguments>).compile();
    const parameters = compiled.parameters.map((parameter) => parameter as Slot | Value);
    return {
      sql: compiled.sql,
      bind: (args) =>
        parameters.map(
          (parameter) => (parameter instanceof Slot ? args[parameter.name as keyof Arguments] : parameter) as Value,
        ),
    };
  };
}

/** The strings of a JSON array, to look for any of them: one statement whatever their number. */
export function anyOf(json: string): RawBuilder<string> {
  return sql<string>`(select value from json_each(${json}))`;
}

/** The same as a table `wanted` to start from, one row a string: with a cross join, only these are looked up. */
export function eachOf(json: string) {
  return sql<{ value: string }>`json_each(${json})`.as("wanted");
}

export interface Runner {
  readonly all: <Arguments, Row>(query: Query<Arguments, Row>, args: Arguments) => readonly Row[];
  readonly first: <Arguments, Row>(query: Query<Arguments, Row>, args: Arguments) => Row | undefined;
  /** Row by row; not to be left half-way while something is written. */
  readonly each: <Arguments, Row>(query: Query<Arguments, Row>, args: Arguments) => IterableIterator<Row>;
  /** Answers with the number of rows that changed, and the id of the last that was added. */
  readonly run: <Arguments>(query: Query<Arguments, unknown>, args: Arguments) => Ran;
}

interface Ran {
  readonly changes: number;
  readonly id: number;
}

export function createRunner(db: DatabaseSync): Runner {
  const statements = new Map<string, StatementSync>();
  const prepared = (text: string): StatementSync => {
    let statement = statements.get(text);
    if (statement === undefined) statements.set(text, (statement = db.prepare(text)));
    return statement;
  };
  return {
    all: (one, args) => prepared(one.sql).all(...one.bind(args)) as never,
    first: (one, args) => prepared(one.sql).get(...one.bind(args)) as never,
    each: (one, args) => prepared(one.sql).iterate(...one.bind(args)) as never,
    run: (one, args) => {
      const { changes, lastInsertRowid } = prepared(one.sql).run(...one.bind(args));
      return { changes: Number(changes), id: Number(lastInsertRowid) };
    },
  };
}
