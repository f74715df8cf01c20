/**
 * What is deleted, and how much is left: the longest unused first, never what something younger stands on. It runs in
 * steps, each a transaction of its own, so that nobody waits long for the file.
 */
import type { RawBuilder, Sql } from "kysely";
import type { Holdings, Retention } from "../store.ts";
import { dropUnused } from "./bodies.ts";
import { removeOriginal } from "./originals.ts";
import { anyOf, query, type Runner } from "./query.ts";
import { knownTenant } from "./tenants.ts";

/** Sessions, records, originals and states that go in one step. */
const REMOVALS_A_STEP = 20;

/** Something that can go by itself. */
interface Unit {
  readonly usedAt: number;
  /** Answers with the size of the bodies that went. */
  readonly remove: () => number;
}

type Scope = { readonly tenant: number | null };

/** Whether a record names the original `o`. */
function named(sql: Sql): RawBuilder<boolean> {
  return sql`exists (select 1 from record_originals n join records r on r.id = n.record
    where n.recall_id = o.recall_id and r.tenant = o.tenant)`;
}

/** Sessions that no other stands on. */
const oldestSession = query<Scope>("oldestSession")((db, arg, sql) =>
  db
    .selectFrom("sessions as s")
    .select(["s.id", "s.updated_at"])
    .where(({ or, eb, val }) => or([eb(val(arg("tenant")), "is", null), eb("s.tenant", "=", arg("tenant"))]))
    .where(sql<boolean>`not exists (select 1 from sessions where parent = s.id)`)
    .where(
      sql<boolean>`not exists (select 1 from sessions o join links h on h.id = o.head where h.session = s.id and o.id <> s.id)`,
    )
    .where(
      sql<boolean>`not exists (select 1 from links c join links p on p.id = c.parent where p.session = s.id and c.session <> s.id)`,
    )
    .orderBy("s.updated_at")
    .orderBy("s.id")
    .limit(1),
);

/** Records of conversations that are not stored. */
const oldestRecord = query<Scope>("oldestRecord")((db, arg, sql) =>
  db
    .selectFrom("records as r")
    .select(["r.tenant", "r.link", ({ fn }) => fn.max("r.used_at").as("used_at")])
    .where(({ or, eb, val }) => or([eb(val(arg("tenant")), "is", null), eb("r.tenant", "=", arg("tenant"))]))
    .where(sql<boolean>`not exists (select 1 from links l where l.tenant = r.tenant and l.link = r.link)`)
    .groupBy(["r.tenant", "r.link"])
    .orderBy("used_at")
    .limit(1),
);

/** Originals that no record names. */
const oldestOriginal = query<Scope>("oldestOriginal")((db, arg, sql) =>
  db
    .selectFrom("originals as o")
    .select(["o.id", "o.created_at"])
    .where(({ or, eb, val }) => or([eb(val(arg("tenant")), "is", null), eb("o.tenant", "=", arg("tenant"))]))
    .where(sql<boolean>`not ${named(sql)}`)
    .orderBy("o.created_at")
    .orderBy("o.id")
    .limit(1),
);

const linksOfSession = query<{ session: number }>("linksOfSession")((db, arg) =>
  db.selectFrom("links").select(["tenant", "link", "body"]).where("session", "=", arg("session")),
);
const dropHead = query<{ session: number }>("dropHead")((db, arg) =>
  db.updateTable("sessions").set({ head: null }).where("id", "=", arg("session")),
);
const deleteLinks = query<{ session: number }>("deleteLinks")((db, arg) =>
  db.deleteFrom("links").where("session", "=", arg("session")),
);
const deleteSession = query<{ session: number }>("deleteSession")((db, arg) =>
  db.deleteFrom("sessions").where("id", "=", arg("session")),
);

type OfLink = { readonly tenant: number; readonly link: string };

const originalsOfLink = query<OfLink>("originalsOfLink")((db, arg) =>
  db
    .selectFrom("records")
    .innerJoin("record_originals", "record_originals.record", "records.id")
    .innerJoin("originals as o", (join) =>
      join.onRef("o.tenant", "=", "records.tenant").onRef("o.recall_id", "=", "record_originals.recall_id"),
    )
    .select("o.id")
    .distinct()
    .where("records.tenant", "=", arg("tenant"))
    .where("records.link", "=", arg("link")),
);
const isNamed = query<{ id: number }>("isNamed")((db, arg, sql) =>
  db.selectFrom("originals as o").select("o.id").where("o.id", "=", arg("id")).where(named(sql)),
);
const deleteNames = query<OfLink>("deleteNames")((db, arg) =>
  db
    .deleteFrom("record_originals")
    .where("record", "in", ({ selectFrom }) =>
      selectFrom("records").select("id").where("tenant", "=", arg("tenant")).where("link", "=", arg("link")),
    ),
);
const deleteRecords = query<OfLink>("deleteRecords")((db, arg) =>
  db.deleteFrom("records").where("tenant", "=", arg("tenant")).where("link", "=", arg("link")),
);
const deleteTombstones = query<OfLink>("deleteTombstones")((db, arg) =>
  db.deleteFrom("tombstones").where("tenant", "=", arg("tenant")).where("link", "=", arg("link")),
);
const deleteStates = query<OfLink>("deleteStates")((db, arg) =>
  db.deleteFrom("states").where("tenant", "=", arg("tenant")).where("link", "=", arg("link")),
);
const deleteState = query<{ tenant: number; root: string }>("deleteState")((db, arg) =>
  db.deleteFrom("states").where("tenant", "=", arg("tenant")).where("root", "=", arg("root")),
);

/** States that belong to no stored link. */
const oldestState = query<Scope>("oldestState")((db, arg, sql) =>
  db
    .selectFrom("states as s")
    .select(["s.tenant", "s.root", "s.updated_at"])
    .where(({ or, eb, val }) => or([eb(val(arg("tenant")), "is", null), eb("s.tenant", "=", arg("tenant"))]))
    .where(sql<boolean>`not exists (select 1 from links l where l.tenant = s.tenant and l.link = s.link)`)
    .orderBy("s.updated_at")
    .limit(1),
);

/** What the file's pages hold, without those that are free. */
const usedBytes = query("usedBytes")((db, _arg, sql) =>
  db.selectNoFrom(
    sql<number>`((select page_count from pragma_page_count) - (select freelist_count from pragma_freelist_count))
      * (select page_size from pragma_page_size)`.as("bytes"),
  ),
);

/** Sessions by name, and all that stand on one of them: a branch, a fork without a message of its own, a message further on. */
const standingOn = query<{ tenant: number; names: string }>("standingOn")((db, arg, sql) =>
  db
    .withRecursive(
      "standing(id)",
      () => sql<{ id: number }>`(
      select id from sessions where tenant = ${arg("tenant")} and name in ${anyOf(sql, arg("names"))}
      union select b.id from standing join sessions b on b.parent = standing.id
      union select f.id from standing join links h on h.session = standing.id join sessions f on f.head = h.id
      union select c.session from standing join links p on p.session = standing.id join links c on c.parent = p.id)`,
    )
    .selectFrom("standing")
    .innerJoin("sessions", "sessions.id", "standing.id")
    .select(["sessions.id", "sessions.name"])
    .orderBy("sessions.id", "desc"),
);
const deleteUsages = query<OfLink>("deleteUsages")((db, arg) =>
  db.deleteFrom("usages").where("tenant", "=", arg("tenant")).where("link", "=", arg("link")),
);

const count = query<Scope>("count")((db, arg, sql) => {
  const mine = sql<boolean>`(${arg("tenant")} is null or tenant = ${arg("tenant")})`;
  const rows = (table: "sessions" | "links" | "records" | "originals") =>
    db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where(mine);
  const bodies = db.selectFrom("bodies").where(mine);
  return db.selectNoFrom([
    rows("sessions").as("sessions"),
    rows("links").as("messages"),
    rows("records").as("compactions"),
    rows("originals").as("originals"),
    bodies.select(({ fn }) => fn.countAll<number>().as("count")).as("bodies"),
    bodies.select(({ fn }) => fn.sum<number>("bytes").as("sum")).as("bytes"),
  ]);
});

export function holdings(runner: Runner, tenantName: string | undefined): Holdings {
  const row = runner.first(count, scopeOf(runner, tenantName))!;
  return {
    sessions: row.sessions ?? 0,
    messages: row.messages ?? 0,
    compactions: row.compactions ?? 0,
    originals: row.originals ?? 0,
    bodies: row.bodies ?? 0,
    bytes: row.bytes ?? 0,
  };
}

function scopeOf(runner: Runner, tenantName: string | undefined): Scope {
  return { tenant: tenantName === undefined ? null : knownTenant(runner, tenantName) };
}

/** One step; true when there may be more to delete. */
export function retainStep(runner: Runner, { tenant, before, maxBytes, maxFileBytes }: Retention): boolean {
  const scope = scopeOf(runner, tenant);
  let { bytes } = maxBytes === undefined ? { bytes: 0 } : holdings(runner, tenant);
  for (let removals = 0; removals < REMOVALS_A_STEP; removals++) {
    const oldest = unitsOf(runner, scope).reduce<Unit | undefined>(older, undefined);
    if (oldest === undefined) return false;
    const tooOld = before !== undefined && oldest.usedAt < before;
    const tooMuch = maxBytes !== undefined && bytes > maxBytes;
    const tooLarge = maxFileBytes !== undefined && size(runner) > maxFileBytes;
    if (!tooOld && !tooMuch && !tooLarge) return false;
    bytes -= oldest.remove();
  }
  return true;
}

export function size(runner: Runner): number {
  return runner.first(usedBytes, {})!.bytes;
}

export function withBranches(runner: Runner, tenantName: string, ids: readonly string[]): readonly string[] {
  return standing(runner, tenantName, ids).map(({ name }) => name);
}

/** One step: the newest of them, on which none stands. Answers with those that went; with none when all have. */
export function deleteStep(runner: Runner, tenantName: string, ids: readonly string[]): readonly string[] {
  const gone = standing(runner, tenantName, ids).slice(0, REMOVALS_A_STEP);
  for (const { id } of gone) removeSession(runner, id);
  return gone.map(({ name }) => name);
}

function standing(runner: Runner, tenantName: string, ids: readonly string[]) {
  return runner.all(standingOn, { tenant: knownTenant(runner, tenantName), names: JSON.stringify(ids) });
}

function older(a: Unit | undefined, b: Unit): Unit {
  return a === undefined || b.usedAt < a.usedAt ? b : a;
}

/** The oldest of each kind. */
function unitsOf(runner: Runner, scope: Scope): readonly Unit[] {
  const session = runner.first(oldestSession, scope);
  const record = runner.first(oldestRecord, scope);
  const original = runner.first(oldestOriginal, scope);
  const state = runner.first(oldestState, scope);
  const units: Unit[] = [];
  if (session !== undefined)
    units.push({ usedAt: session.updated_at, remove: () => removeSession(runner, session.id) });
  if (record !== undefined) units.push({ usedAt: record.used_at, remove: () => removeRecords(runner, [record]) });
  if (original !== undefined)
    units.push({ usedAt: original.created_at, remove: () => removeOriginal(runner, original.id) });
  if (state !== undefined) units.push({ usedAt: state.updated_at, remove: () => removeState(runner, state) });
  return units;
}

function removeState(runner: Runner, { tenant, root }: { readonly tenant: number; readonly root: string }): number {
  runner.run(deleteState, { tenant, root });
  return 0;
}

function removeSession(runner: Runner, session: number): number {
  const links = runner.all(linksOfSession, { session });
  runner.run(dropHead, { session });
  runner.run(deleteLinks, { session });
  runner.run(deleteSession, { session });
  for (const { tenant, link } of links) {
    runner.run(deleteUsages, { tenant, link });
    runner.run(deleteStates, { tenant, link });
  }
  const bodies = links.map(({ body }) => body);
  return removeRecords(runner, links) + dropUnused(runner, bodies);
}

/** With the originals that only these records name. */
function removeRecords(runner: Runner, links: readonly OfLink[]): number {
  const originals = new Set<number>();
  for (const { tenant, link } of links) {
    for (const { id } of runner.all(originalsOfLink, { tenant, link })) originals.add(id);
    runner.run(deleteNames, { tenant, link });
    runner.run(deleteRecords, { tenant, link });
    runner.run(deleteTombstones, { tenant, link });
  }
  let bytes = 0;
  for (const id of originals) if (runner.first(isNamed, { id }) === undefined) bytes += removeOriginal(runner, id);
  return bytes;
}
