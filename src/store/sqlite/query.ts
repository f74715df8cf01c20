/**
 * Queries are defined in Kysely, each beside the code that asks it, and run as prepared statements with their arguments
 * by name. `npm run queries` compiles the definitions to `statements.ts`, so that Kysely, which takes long to load, gives
 * the types here and nothing else.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { AliasedRawBuilder, Compilable, Kysely, RawBuilder, Sql } from "kysely";
import { STATEMENTS } from "./statements.ts";
import type { Tables } from "./tables.ts";
import { createVault, type Vault } from "./vault.ts";

type Values = Readonly<Record<string, string | number | Uint8Array | null>>;

export interface Query<Arguments, Row> {
  readonly sql: string;
  /** Never there: carries the types of the arguments and of a row. */
  readonly types?: (args: Arguments) => Row;
}

type Argument<Arguments> = <Key extends keyof Arguments & string>(name: Key) => Arguments[Key];
type Definition<Arguments, Row> = (db: Kysely<Tables>, arg: Argument<Arguments>, sql: Sql) => Compilable<Row>;
type QueryName = keyof typeof STATEMENTS;

/** What `npm run queries` compiles: those of all files that are loaded, by name. */
export const DEFINITIONS = new Map<string, Definition<Readonly<Record<string, unknown>>, unknown>>();

/** Gives the name and the type of the arguments, and answers with what takes the definition. */
export function query<Arguments extends object = object>(name: QueryName) {
  return <Row>(define: Definition<Arguments, Row>): Query<Arguments, Row> => {
    if (DEFINITIONS.has(name)) throw new Error(`two queries are named ${name}`);
    DEFINITIONS.set(name, define as never);
    return { sql: STATEMENTS[name] };
  };
}

/** The strings of a JSON array, to look for any of them: one statement whatever their number. */
export function anyOf(sql: Sql, json: string): RawBuilder<string> {
  return sql`(select value from json_each(${json}))`;
}

/** The same as a table `wanted` to start from, one row a string: with a cross join, only these are looked up. */
export function eachOf(sql: Sql, json: string): AliasedRawBuilder<{ value: string }, "wanted"> {
  return sql<{ value: string }>`json_each(${json})`.as("wanted");
}

export interface Runner {
  /** What the contents stand in the file as. */
  readonly vault: Vault;
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

export function createRunner(db: DatabaseSync, key?: Uint8Array): Runner {
  const statements = new Map<string, StatementSync>();
  const prepared = (text: string): StatementSync => {
    let statement = statements.get(text);
    if (statement === undefined) {
      statement = db.prepare(text);
      // Arguments may hold more than is asked for.
      statement.setAllowUnknownNamedParameters(true);
      statements.set(text, statement);
    }
    return statement;
  };
  return {
    vault: createVault(key),
    all: ({ sql }, args) => prepared(sql).all(args as Values) as never,
    first: ({ sql }, args) => prepared(sql).get(args as Values) as never,
    each: ({ sql }, args) => prepared(sql).iterate(args as Values) as never,
    run: ({ sql }, args) => {
      const { changes, lastInsertRowid } = prepared(sql).run(args as Values);
      return { changes: Number(changes), id: Number(lastInsertRowid) };
    },
  };
}
