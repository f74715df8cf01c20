/** A query is plain SQL beside the code that asks it, with its arguments by name; the stores in databases share those that both understand. */
export interface Query<Arguments, Row> {
  readonly sql: string;
  /** Never there: carries the types of the arguments and of a row. */
  readonly types?: (args: Arguments) => Row;
}

/** The types of the arguments and of a row are stated; a test compares them with what the statement has. */
export function query<Arguments extends object, Row = never>(sql: string): Query<Arguments, Row> {
  return { sql };
}
