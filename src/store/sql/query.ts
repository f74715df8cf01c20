/**
 * A query is plain SQL beside the code that asks it, with its arguments by name. It is written for SQLite; PostgreSQL has a text of
 * its own where the two differ by more than the following. What is in a comment that begins with `pg` is for PostgreSQL alone,
 * and `in (:names)` is a list there as here.
 */
export interface Query<Arguments, Row> {
  readonly sql: string;
  readonly postgres: string;
  /** The arguments that SQLite takes as JSON. */
  readonly lists: readonly string[];
  /** The row, once it is there, stays as it is: a database that has to be asked over a network remembers it. */
  readonly lasting?: true;
  /** Never there: carries the types of the arguments and of a row. */
  readonly types?: (args: Arguments) => Row;
}

/** The types of the arguments and of a row are stated; a test compares them with what the statement has. */
export function query<Arguments extends object, Row = never>(sql: string, postgres = sql): Query<Arguments, Row> {
  const lite = sql
    .replaceAll(/\bin \(:(\w+)\)/g, "in (select value from json_each(:$1))")
    // A limit that SQLite can see through has it plan the statement anew each time: five times what it takes otherwise.
    .replaceAll(/\blimit :(\w+)/g, "limit 0 + :$1");
  return {
    sql: lite,
    lists: [...lite.matchAll(/json_each\(:(\w+)\)/g)].map(([, name]) => name!),
    postgres: postgres.replaceAll(/\/\*pg (.*?)\*\//gs, "$1").replaceAll(/\bin \(:(\w+)\)/g, "= any(:$1)"),
  };
}
