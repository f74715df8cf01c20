/** Retention in PostgreSQL: months that nobody used since go as a whole; of the others what `sql/retention.ts` says. */
import { query } from "../sql/query.ts";
import { deleteStep, holdings, retainStep } from "../sql/retention.ts";
import type { Holdings, Retention } from "../store.ts";
import type { Database } from "./database.ts";
import { lockToDelete } from "./locks.ts";
import { dropExpiredPeriods } from "./periods.ts";

/** Texts, compactions and states; what indexes take on top is the database's own business. */
const storedBytes = query<object, { bytes: number }>(`
  select (select coalesce(sum(bytes), 0) from bodies)
    + (select coalesce(sum(octet_length(record)), 0) from records)
    + (select coalesce(sum(octet_length(state)), 0) from states) as bytes`);

export async function size(database: Database): Promise<number> {
  return (await database.first(storedBytes, {}))!.bytes;
}

export async function retain(database: Database, retention: Retention): Promise<Holdings> {
  const { tenant, before } = retention;
  // A month has the conversations of all tenants.
  if (tenant === undefined && before !== undefined) await dropExpiredPeriods(database, before);
  const step = (): Promise<boolean> =>
    database.transaction(async (runner) => {
      await runner.answer(lockToDelete());
      return runner.answer(retainStep(runner, retention, storedBytes));
    });
  while (await step());
  return database.answer(holdings(tenant));
}

/** These sessions and what depends on them, a step after another. */
export async function deleteSessions(
  database: Database,
  tenant: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const gone: string[] = [];
  for (;;) {
    const step = await database.transaction(async (runner) => {
      await runner.answer(lockToDelete());
      return runner.answer(deleteStep(runner, tenant, ids));
    });
    if (step.length === 0) return gone;
    for (const each of step) gone.push(each);
  }
}
