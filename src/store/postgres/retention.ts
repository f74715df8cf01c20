/**
 * What is deleted, and how much is left. Months that nobody used since go as a whole; of the others the longest unused
 * go first, never what something younger is on, in steps that are short transactions.
 */
import { query } from "../sql/query.ts";
import * as shared from "../sql/retention.ts";
import type { OfLink, Scope } from "../sql/retention.ts";
import type { Holdings, Retention } from "../store.ts";
import { dropUnused } from "./bodies.ts";
import type { Database, Runner } from "./database.ts";
import { lockToDelete } from "./locks.ts";
import { removeOriginal } from "./originals.ts";
import { dropExpiredPeriods } from "./periods.ts";
import { knownTenant } from "./tenants.ts";

/** Sessions, records, originals and states that go in one step. */
const REMOVALS_A_STEP = 20;

/** Something that can go by itself. */
interface Unit {
  readonly usedAt: number;
  /** Answers with the size of the bodies that went. */
  readonly remove: () => Promise<number>;
}

/** Sessions by name, and all that depend on one of them: a branch, a fork without a message of its own, a message further on. */
const sessionsDependingOn = query<{ tenant: number; names: readonly string[] }, { id: number; name: string }>(`
  with recursive depending (id) as (
    select id from sessions where tenant = :tenant and name = any(:names::text[])
    union
    select more.id from depending
    cross join lateral (
      select id from sessions where parent = depending.id
      union all
      select forks.id from links join sessions forks on forks.head = links.id where links.session = depending.id
      union all
      select after.session from links join links after on after.period = links.period and after.parent = links.id
      where links.session = depending.id
    ) more (id))
  select sessions.id, sessions.name from depending join sessions on sessions.id = depending.id
  order by sessions.id desc`);

/** Texts, compactions and states; what indexes take on top is the database's own business. */
const storedBytes = query<object, { bytes: number }>(`
  select (select coalesce(sum(bytes), 0) from bodies)
    + (select coalesce(sum(octet_length(record)), 0) from records)
    + (select coalesce(sum(octet_length(state)), 0) from states) as bytes`);

export async function holdings(runner: Runner, tenant: string | undefined): Promise<Holdings> {
  return shared.holdingsOf((await runner.first(shared.countAll, await scopeOf(runner, tenant)))!);
}

export async function size(runner: Runner): Promise<number> {
  return (await runner.first(storedBytes, {}))!.bytes;
}

async function scopeOf(runner: Runner, tenant: string | undefined): Promise<Scope> {
  return { tenant: tenant === undefined ? null : await knownTenant(runner, tenant) };
}

export async function retain(database: Database, retention: Retention): Promise<Holdings> {
  const { tenant, before } = retention;
  // A month has the conversations of all tenants.
  if (tenant === undefined && before !== undefined) await dropExpiredPeriods(database, before);
  while (await database.transaction((runner) => retainStep(runner, retention)));
  return holdings(database, tenant);
}

/** One step; true when there may be more to delete. */
async function retainStep(runner: Runner, { tenant, before, maxBytes, maxFileBytes }: Retention): Promise<boolean> {
  await lockToDelete(runner);
  const scope = await scopeOf(runner, tenant);
  let bytes = maxBytes === undefined ? 0 : (await holdings(runner, tenant)).bytes;
  for (let removals = 0; removals < REMOVALS_A_STEP; removals++) {
    const units = await oldestUnits(runner, scope);
    const oldest = units.toSorted((a, b) => a.usedAt - b.usedAt)[0];
    if (oldest === undefined) return false;
    const isTooOld = before !== undefined && oldest.usedAt < before;
    const isTooMuch = maxBytes !== undefined && bytes > maxBytes;
    if (!isTooOld && !isTooMuch && !(maxFileBytes !== undefined && (await size(runner)) > maxFileBytes)) return false;
    bytes -= await oldest.remove();
  }
  return true;
}

/** The oldest of each kind. */
async function oldestUnits(runner: Runner, scope: Scope): Promise<readonly Unit[]> {
  const session = await runner.first(shared.oldestSession, scope);
  const record = await runner.first(shared.oldestRecord, scope);
  const original = await runner.first(shared.oldestOriginal, scope);
  const state = await runner.first(shared.oldestState, scope);
  return [
    session && { usedAt: session.updated_at, remove: () => removeSession(runner, session.id) },
    record && { usedAt: record.used_at, remove: () => removeRecords(runner, [record]) },
    original && { usedAt: original.created_at, remove: () => removeOriginal(runner, original.id) },
    state && { usedAt: state.updated_at, remove: () => removeState(runner, state) },
  ].filter((unit) => unit !== undefined);
}

export async function withBranches(runner: Runner, tenant: string, ids: readonly string[]): Promise<readonly string[]> {
  return (await dependentSessions(runner, tenant, ids)).map(({ name }) => name);
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
      await lockToDelete(runner);
      const sessions = (await dependentSessions(runner, tenant, ids)).slice(0, REMOVALS_A_STEP);
      for (const { id } of sessions) await removeSession(runner, id);
      return sessions.map(({ name }) => name);
    });
    if (step.length === 0) return gone;
    for (const each of step) gone.push(each);
  }
}

async function dependentSessions(runner: Runner, tenant: string, names: readonly string[]) {
  return runner.all(sessionsDependingOn, { tenant: await knownTenant(runner, tenant), names });
}

async function removeState(runner: Runner, state: { readonly tenant: number; readonly root: string }): Promise<number> {
  await runner.run(shared.deleteState, state);
  return 0;
}

async function removeSession(runner: Runner, session: number): Promise<number> {
  const links = await runner.all(shared.linksOfSession, { session });
  await runner.run(shared.dropHead, { session });
  await runner.run(shared.deleteLinks, { session });
  await runner.run(shared.deleteSession, { session });
  for (const link of links) {
    await runner.run(shared.deleteUsages, link);
    await runner.run(shared.deleteStates, link);
  }
  const bytes = await removeRecords(runner, links);
  const bodies = links.map(({ body }) => body);
  return bytes + (await dropUnused(runner, bodies));
}

/** With the originals that only these records name. */
async function removeRecords(runner: Runner, links: readonly OfLink[]): Promise<number> {
  const originals = new Set<number>();
  for (const link of links) {
    for (const { id } of await runner.all(shared.originalsOfLink, link)) originals.add(id);
    await runner.run(shared.deleteNames, link);
    await runner.run(shared.deleteRecords, link);
    await runner.run(shared.deleteTombstones, link);
  }
  let bytes = 0;
  for (const id of originals)
    if ((await runner.first(shared.isNamed, { id })) === undefined) bytes += await removeOriginal(runner, id);
  return bytes;
}
