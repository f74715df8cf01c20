/** Runs queries as prepared statements, with their arguments by name. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Query } from "../sql/query.ts";
import { answerNow, type Steps, type Tables } from "../sql/steps.ts";
import type { SearchedTables } from "../sql/search.ts";
import { createVault } from "../vault.ts";
import { dropUnused } from "./bodies.ts";
import { wordIndex } from "./search.ts";

type Values = Readonly<Record<string, string | number | Uint8Array | null>>;

export interface Runner extends Tables, SearchedTables {
  readonly answer: <Answer>(steps: Steps<Answer>) => Answer;
  readonly all: <Arguments, Row>(query: Query<Arguments, Row>, args: Arguments) => readonly Row[];
  /** Row by row; not to be left half-way while something is written. */
  readonly each: <Arguments, Row>(query: Query<Arguments, Row>, args: Arguments) => IterableIterator<Row>;
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
  const vault = createVault(key);
  return {
    vault,
    lockToWrite: waitForNobody,
    dropUnused,
    index: wordIndex(vault.encrypts),
    answer: (steps) =>
      answerNow(steps, ({ query: { sql }, args, wants }) => {
        if (wants === "rows") return prepared(sql).all(values(args));
        const { changes, lastInsertRowid } = prepared(sql).run(values(args));
        return wants === "changes" || changes === 0 ? Number(changes) : Number(lastInsertRowid);
      }),
    all: ({ sql }, args) => prepared(sql).all(values(args)) as never,
    each: ({ sql }, args) => prepared(sql).iterate(values(args)) as never,
  };
}

/** A file has one writer at a time. */
function* waitForNobody(): Steps<void> {}

/** Lists are JSON. */
function values(args: unknown): Values {
  const entries = Object.entries(args as object).map(([name, value]) => [
    name,
    Array.isArray(value) ? JSON.stringify(value) : (value as Values[string]),
  ]);
  return Object.fromEntries(entries) as Values;
}
