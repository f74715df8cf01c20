/** Runs queries as prepared statements, with their arguments by name. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Query } from "../sql/query.ts";
import { answerNow, createLastingRows, type AskedQuery, type Steps, type Tables } from "../sql/steps.ts";
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
  const statements = new Map<Query<never, unknown>, StatementSync>();
  const prepared = (query: Query<never, unknown>): StatementSync => {
    let statement = statements.get(query);
    if (statement === undefined) {
      statement = db.prepare(query.sql);
      // Arguments may hold more than is asked for.
      statement.setAllowUnknownNamedParameters(true);
      statements.set(query, statement);
    }
    return statement;
  };
  const ask = ({ query, args, wants }: AskedQuery): unknown => {
    const statement = prepared(query);
    const given = values(query, args);
    if (wants === "rows") return statement.all(given);
    if (wants === "row") return statement.get(given);
    const { changes, lastInsertRowid } = statement.run(given);
    return wants === "changes" || changes === 0 ? Number(changes) : Number(lastInsertRowid);
  };
  const lasting = createLastingRows();
  const askOnce = (asked: AskedQuery): unknown => {
    const answer = lasting.find(asked) ?? ask(asked);
    if (!db.isTransaction) lasting.keep(asked, answer);
    return answer;
  };
  const vault = createVault(key);
  return {
    vault,
    lockToWrite: waitForNobody,
    dropUnused,
    index: wordIndex(vault.encrypts),
    answer: (steps) => {
      try {
        return answerNow(steps, askOnce);
      } catch (error) {
        lasting.forget();
        throw error;
      }
    },
    all: (query, args) => prepared(query as Query<never, unknown>).all(values(query, args)) as never,
    each: (query, args) => prepared(query as Query<never, unknown>).iterate(values(query, args)) as never,
  };
}

/** A file has one writer at a time. */
function* waitForNobody(): Steps<void> {}

/** The arguments themselves where none is a list: this is done for every statement. */
function values({ lists }: Pick<Query<never, unknown>, "lists">, args: unknown): Values {
  if (lists.length === 0) return args as Values;
  const given = { ...(args as object) } as Record<string, Values[string]>;
  for (const name of lists) given[name] = JSON.stringify(given[name]);
  return given;
}
