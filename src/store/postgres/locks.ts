/**
 * Who waits for whom: the writers of one conversation for each other, and a deletion for all writers, so that nothing
 * is put on what is just going. The locks end with their transaction.
 * https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS
 */
import { query } from "../sql/query.ts";
import { all, type Steps } from "../sql/steps.ts";

/** Keeps our locks apart from those of other programs in the database: "prc" in ASCII, and a number for each kind. */
const SCHEMA_LOCK = 0x70726301;
const DELETION_LOCK = 0x70726302;
const CONVERSATION_LOCK = 0x70726303;

/** Begins the transaction of a writer, who waits for a deletion. */
export const BEGIN_TO_WRITE = `begin; select pg_advisory_xact_lock_shared(${DELETION_LOCK}, hashtext(current_schema()))`;

const lockAlone = query<{ kind: number }>(`
  select pg_advisory_xact_lock(:kind::integer, hashtext(current_schema()))`);
/** In their order, so that two who want the same two do not wait for each other. */
const lockKeys = query<{ kind: number; keys: readonly string[] }>(`
  select pg_advisory_xact_lock(:kind::integer, key)
  from (select distinct hashtext(one) as key from unnest(:keys::text[]) as one order by 1) keys`);

/** A writer of these conversations and names. */
export function* lockToWrite(keys: readonly string[]): Steps<void> {
  if (keys.length > 0) yield* all(lockKeys, { kind: CONVERSATION_LOCK, keys });
}

export function* lockToDelete(): Steps<void> {
  yield* all(lockAlone, { kind: DELETION_LOCK });
}

export function* lockToMigrate(): Steps<void> {
  yield* all(lockAlone, { kind: SCHEMA_LOCK });
}
