/** A PostgreSQL database as rows to copy. */
import { query } from "../sql/query.ts";
import { createTransfer, type TransferDatabase } from "../sql/transfer-rows.ts";
import type { Transfer, TransferRows } from "../sql/transfer.ts";
import { keepBodies } from "./bodies.ts";
import type { Database, Runner } from "./database.ts";
import { periodOf, type Periods } from "./periods.ts";

type Message = TransferRows["messages"];

const periodsOfLinks = query<{ ids: readonly number[] }, { id: number; period: number }>(
  `select id, period from links where id = any(:ids::bigint[])`,
);

const addLink = query<Omit<Message, "text"> & { readonly period: number; readonly body: number }>(`
  insert into links (id, period, tenant, link, parent, position, session, role, protocol, member, body, created_at)
  values (:id, :period, :tenant, :link, :parent, :position, :session, :role, :protocol, :member, :body, :createdAt)`);

const addPiece = query<{ original: number; position: number; period: number; body: number }>(`
  insert into original_pieces (original, position, period, body)
  values (:original, :position, :period, :body)`);

/** New rows get higher ids than all that were copied. */
const COUNT_ON = ["tenants", "sessions", "records", "originals", "usages"]
  .map((table) => `select setval(pg_get_serial_sequence('${table}', 'id'), greatest(max(id), 1)) from ${table}`)
  .concat("select setval('link_ids', greatest(max(id), 1)) from links");

export function createPostgresTransfer(database: Database, periods: Periods): Transfer {
  const parts: TransferDatabase = {
    runner: database,
    transaction: (work) => database.transaction((runner) => work(runner)),
    makeRoomFor: async (times) => {
      for (const period of new Set(times.map(periodOf))) await periods.made(period);
    },
    addMessages: (runner, rows) => addMessages(runner as Runner, rows),
    addPieces: async (runner, { id: original, tenant, createdAt, pieces }) => {
      const period = periodOf(createdAt);
      const bodies = await keepBodies(runner as Runner, { tenant, period }, pieces);
      for (const [position, body] of bodies.entries()) await runner.run(addPiece, { original, position, period, body });
    },
    finish: async () => {
      for (const statement of COUNT_ON) await database.script(statement);
    },
    close: database.close,
  };
  return createTransfer(parts);
}

/** A message is in the month of its conversation's first one. */
async function addMessages(runner: Runner, rows: readonly Message[]): Promise<void> {
  const parents = rows.flatMap(({ parent }) => (parent === null ? [] : [parent]));
  const known = await runner.all(periodsOfLinks, { ids: parents });
  const periodById = new Map(known.map(({ id, period }) => [id, period]));
  for (const { id, parent, createdAt } of rows) {
    const inherited = parent === null ? undefined : periodById.get(parent);
    periodById.set(id, inherited ?? periodOf(createdAt));
  }
  const places = Map.groupBy(rows, ({ id, tenant }) => `${tenant} ${periodById.get(id)!}`);
  const bodyById = new Map<number, number>();
  for (const group of places.values()) {
    const place = { tenant: group[0]!.tenant, period: periodById.get(group[0]!.id)! };
    const texts = group.map(({ text }) => ({ form: "message", text }) as const);
    const bodies = await keepBodies(runner, place, texts);
    group.forEach(({ id }, at) => bodyById.set(id, bodies[at]!));
  }
  for (const { text: _, ...row } of rows)
    await runner.run(addLink, { ...row, period: periodById.get(row.id)!, body: bodyById.get(row.id)! });
}
