/** Runs queries as prepared statements, with their arguments by name. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Query } from "../sql/query.ts";
import { createVault, type Vault } from "../vault.ts";

type Values = Readonly<Record<string, string | number | Uint8Array | null>>;

export interface Runner {
  /** What the contents are in the file as. */
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
