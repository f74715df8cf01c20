/** Brings a database to our schema, once, by the first process that opens it; and the partitions of a month before it is written to. */
import { query } from "../sql/query.ts";
import type { Database, Runner } from "./database.ts";
import { newerSchemaError, olderSchemaError } from "./failures.ts";
import { lockToMigrate } from "./locks.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./migrations.ts";

const hasMigrations = query<object, { found: boolean }>(`
  select to_regclass('migrations') is not null as found`);
const createMigrations = query<object>(`
  create table if not exists migrations (
    position integer primary key, name text not null, compatible_with integer not null, applied_at bigint not null)`);
const lastMigration = query<object, { position: number; compatible_with: number }>(`
  select position, compatible_with from migrations order by position desc limit 1`);
const addMigration = query<{ position: number; name: string; compatibleWith: number; now: number }>(`
  insert into migrations (position, name, compatible_with, applied_at)
  values (:position, :name, :compatibleWith, :now)`);

interface Found {
  readonly version: number;
  readonly compatibleWith: number;
}

/** @throws PrecisError `store_newer`, and `store_older` where it may not be changed. */
export async function prepareSchema(database: Database, readOnly: boolean): Promise<void> {
  const { version } = await foundSchema(database, database.place);
  if (version >= SCHEMA_VERSION) return;
  if (readOnly) throw olderSchemaError(database.place, version);
  await database.transaction(
    async (runner) => {
      await runner.answer(lockToMigrate());
      await runner.run(createMigrations, {});
      const { version: before } = await foundSchema(runner, database.place);
      for (const { name, compatibleWith, sql } of MIGRATIONS.slice(before)) {
        await runner.script(sql);
        const position = MIGRATIONS.findIndex((one) => one.name === name) + 1;
        await runner.run(addMigration, { position, name, compatibleWith, now: Date.now() });
      }
    },
    { long: true },
  );
}

/** A database that a newer program has upgraded can still be used where that program says so. */
async function foundSchema(runner: Runner, place: string): Promise<Found> {
  const { found } = (await runner.first(hasMigrations, {}))!;
  const last = found ? await runner.first(lastMigration, {}) : undefined;
  if (last === undefined) return { version: 0, compatibleWith: 0 };
  const { position, compatible_with: compatibleWith } = last;
  if (position > SCHEMA_VERSION && compatibleWith > SCHEMA_VERSION)
    throw newerSchemaError(place, position, SCHEMA_VERSION);
  return { version: position, compatibleWith };
}
