/** The rows of a transfer in the tables that both databases have; each adds messages and pieces in its own way. */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Body, BodyForm } from "../body.ts";
import { decoded } from "../text-bytes.ts";
import type { Vault } from "../vault.ts";
import { query, type Query } from "./query.ts";
import { readState, setState } from "./usage.ts";
import type { Batch, CopyMark, Transfer, TransferKind, TransferRows } from "./transfer.ts";

/** Runs queries now or later. */
export interface TransferRunner {
  readonly vault: Vault;
  readonly all: <Arguments, Row>(query: Query<Arguments, Row>, args: Arguments) => Eventually<readonly Row[]>;
  readonly first: <Arguments, Row>(query: Query<Arguments, Row>, args: Arguments) => Eventually<Row | undefined>;
  readonly run: <Arguments>(query: Query<Arguments, unknown>, args: Arguments) => unknown;
}

type Eventually<Answer> = Answer | Promise<Answer>;
type Message = TransferRows["messages"];
type NewPieces = Pick<TransferRows["originals"], "id" | "tenant" | "createdAt" | "pieces">;

/** What is each database's own. */
export interface TransferDatabase {
  readonly runner: TransferRunner;
  readonly transaction: (work: (runner: TransferRunner) => Promise<void>) => Promise<void>;
  /** Before the transaction. */
  readonly makeRoomFor: (times: readonly number[]) => Promise<void>;
  readonly addMessages: (runner: TransferRunner, rows: readonly Message[]) => Promise<void>;
  readonly addPieces: (runner: TransferRunner, original: NewPieces) => Promise<void>;
  readonly finish: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Of the tenant under which the command line keeps its own notes. */
const MARK = "copy";

const findNoted = query<object, { id: number }>(`select id from tenants where name = ''`);
const addNoted = query<object>(`insert into tenants (id, name) values (0, '') on conflict do nothing`);
const anything = query<object, { id: number }>(`select id from tenants where name <> '' limit 1`);

export function createTransfer(database: TransferDatabase): Transfer {
  const { runner, transaction } = database;
  const markState = async (): Promise<string | undefined> => {
    const tenant = (await runner.first(findNoted, {}))?.id;
    const row = tenant === undefined ? undefined : await runner.first(readState, { tenant, root: MARK });
    return row === undefined ? undefined : runner.vault.openText("state", row.state);
  };
  return {
    read: async (kind, batch) => READERS[kind](runner, batch),
    write: async (kind, rows) => {
      if (kind === "messages" || kind === "originals")
        await database.makeRoomFor(rows.flatMap((row) => ("createdAt" in row ? [row.createdAt] : [])));
      await transaction((inside) => WRITERS[kind](inside, rows, database));
    },
    reached: async (kind) => {
      const last = LAST[kind];
      return last === undefined ? 0 : ((await runner.first(last, {}))?.id ?? 0);
    },
    copyOf: async () => {
      const state = await markState();
      return state === undefined ? undefined : (JSON.parse(state) as CopyMark);
    },
    mark: (mark) =>
      transaction(async (inside) => {
        await inside.run(addNoted, {});
        const tenant = (await inside.first(findNoted, {}))!.id;
        const state = inside.vault.sealText("state", JSON.stringify(mark));
        await inside.run(setState, { tenant, root: MARK, state, now: Date.now() });
      }),
    isEmpty: async () => (await runner.first(anything, {})) === undefined,
    finish: database.finish,
    close: database.close,
  };
}

const LAST: { readonly [Kind in TransferKind]?: Query<object, { id: number | null }> } = {
  messages: query<object, { id: number | null }>(`select max(id) as id from links`),
  compactions: query<object, { id: number | null }>(`select max(id) as id from records`),
  originals: query<object, { id: number | null }>(`select max(id) as id from originals`),
  usages: query<object, { id: number | null }>(`select max(id) as id from usages`),
};

const readTenants = query<Batch, TransferRows["tenants"]>(
  `select id, name from tenants where id > :after and name <> '' order by id limit :limit`,
);
const readSessions = query<Batch, TransferRows["sessions"]>(`
  select id, tenant, name, parent, created_at as "createdAt"
  from sessions where id > :after order by id limit :limit`);
const readMessages = query<Batch, Omit<Message, "text"> & { readonly encoding: string; readonly content: Uint8Array }>(`
  select links.id, links.tenant, links.link, links.parent, links.position, links.session, links.role, links.protocol,
    links.member, links.created_at as "createdAt", bodies.encoding, bodies.content
  from links join bodies on bodies.id = links.body
  where links.id > :after order by links.id limit :limit`);
const readHeads = query<Batch, TransferRows["heads"]>(`
  select id, name, head, forked_at as "forkedAt", updated_at as "updatedAt"
  from sessions where id > :after order by id limit :limit`);
const readRecords = query<
  Batch,
  Omit<TransferRows["compactions"], "text" | "recallIds"> & { readonly record: Uint8Array }
>(`
  select id, tenant, link, root, schema_version as "schemaVersion", generation, created_at as "createdAt",
    used_at as "usedAt", record
  from records where id > :after order by id limit :limit`);
const readNames = query<{ record: number }, { recall_id: string }>(
  `select recall_id from record_originals where record = :record order by recall_id`,
);
const readTombstones = query<Batch, TransferRows["undone"]>(`
  select tenant, link, generation, created_at as "createdAt"
  from tombstones order by tenant, link, generation limit :limit offset :after`);
const readOriginals = query<Batch, Omit<TransferRows["originals"], "pieces">>(`
  select id, tenant, recall_id as "recallId", kind, label, masked, created_at as "createdAt"
  from originals where id > :after and kind <> 'staged' order by id limit :limit`);
const readPieces = query<{ original: number }, { form: string; encoding: string; content: Uint8Array }>(`
  select bodies.form, bodies.encoding, bodies.content
  from original_pieces pieces join bodies on bodies.id = pieces.body
  where pieces.original = :original order by pieces.position`);
const readUsages = query<Batch, TransferRows["usages"]>(`
  select id, tenant, link, model, input, output, cache_read as "cacheRead", cache_write as "cacheWrite",
    cost_usd as "costUsd", at
  from usages where id > :after order by id limit :limit`);
const readStates = query<Batch, TransferRows["states"]>(`
  select states.tenant, states.root, states.state, states.updated_at as "updatedAt"
  from states join tenants on tenants.id = states.tenant
  where tenants.name <> '' order by states.tenant, states.root limit :limit offset :after`);

type Readers = {
  readonly [Kind in TransferKind]: (runner: TransferRunner, batch: Batch) => Promise<readonly TransferRows[Kind][]>;
};

const READERS: Readers = {
  tenants: async (runner, batch) => runner.all(readTenants, batch),
  sessions: async (runner, batch) => runner.all(readSessions, batch),
  messages: async (runner, batch) =>
    (await runner.all(readMessages, batch)).map(({ encoding, content, ...row }) => {
      return { ...row, text: decoded(runner.vault, { encoding, content }) };
    }),
  heads: async (runner, batch) => runner.all(readHeads, batch),
  compactions: async (runner, batch) => {
    const rows = await runner.all(readRecords, batch);
    return Promise.all(
      rows.map(async ({ record, ...row }) => {
        const names = await runner.all(readNames, { record: row.id });
        const text = inflateRawSync(runner.vault.open("compaction", record)).toString("utf8");
        return { ...row, text, recallIds: names.map(({ recall_id: id }) => id) };
      }),
    );
  },
  undone: async (runner, batch) => runner.all(readTombstones, batch),
  originals: async (runner, batch) => {
    const rows = await runner.all(readOriginals, batch);
    return Promise.all(
      rows.map(async (row) => {
        const pieces = (await runner.all(readPieces, { original: row.id })).map(({ form, ...text }): Body => {
          return { form: form as BodyForm, text: decoded(runner.vault, text) };
        });
        return { ...row, label: runner.vault.openText("label", row.label), pieces };
      }),
    );
  },
  usages: async (runner, batch) => runner.all(readUsages, batch),
  states: async (runner, batch) =>
    (await runner.all(readStates, batch)).map((row) => {
      return { ...row, state: runner.vault.openText("state", row.state) };
    }),
};

const writeTenant = query<TransferRows["tenants"]>(
  `insert into tenants (id, name) values (:id, :name) on conflict do nothing`,
);
const writeSession = query<TransferRows["sessions"]>(`
  insert into sessions (id, tenant, name, parent, created_at, updated_at)
  values (:id, :tenant, :name, :parent, :createdAt, :createdAt)
  on conflict (id) do nothing`);
const writeHead = query<TransferRows["heads"]>(`
  update sessions set name = :name, head = :head, forked_at = :forkedAt, updated_at = :updatedAt where id = :id`);
const writeRecord = query<Omit<TransferRows["compactions"], "text" | "recallIds"> & { readonly record: Uint8Array }>(`
  insert into records (id, tenant, link, root, schema_version, generation, record, created_at, used_at)
  values (:id, :tenant, :link, :root, :schemaVersion, :generation, :record, :createdAt, :usedAt)`);
const writeName = query<{ record: number; recallId: string }>(
  `insert into record_originals (record, recall_id) values (:record, :recallId)`,
);
const writeTombstone = query<TransferRows["undone"]>(`
  insert into tombstones (tenant, link, generation, created_at)
  values (:tenant, :link, :generation, :createdAt)
  on conflict do nothing`);
const writeOriginal = query<Omit<TransferRows["originals"], "pieces">>(`
  insert into originals (id, tenant, recall_id, kind, label, masked, created_at)
  values (:id, :tenant, :recallId, :kind, :label, :masked, :createdAt)`);
const writeUsage = query<TransferRows["usages"]>(`
  insert into usages (id, tenant, link, model, input, output, cache_read, cache_write, cost_usd, at)
  values (:id, :tenant, :link, :model, :input, :output, :cacheRead, :cacheWrite, :costUsd, :at)`);

type Writers = {
  readonly [Kind in TransferKind]: (
    runner: TransferRunner,
    rows: readonly TransferRows[Kind][],
    database: TransferDatabase,
  ) => Promise<void>;
};

const WRITERS: Writers = {
  tenants: each(writeTenant),
  sessions: each(writeSession),
  messages: (runner, rows, { addMessages }) => addMessages(runner, rows),
  heads: each(writeHead),
  compactions: async (runner, rows) => {
    for (const { text, recallIds, ...row } of rows) {
      await runner.run(writeRecord, { ...row, record: runner.vault.seal("compaction", deflateRawSync(text)) });
      for (const recallId of recallIds) await runner.run(writeName, { record: row.id, recallId });
    }
  },
  undone: each(writeTombstone),
  originals: async (runner, rows, { addPieces }) => {
    for (const { pieces, ...row } of rows) {
      await runner.run(writeOriginal, { ...row, label: runner.vault.sealText("label", row.label) });
      await addPieces(runner, { ...row, pieces });
    }
  },
  usages: each(writeUsage),
  states: async (runner, rows) => {
    for (const { tenant, root, state, updatedAt } of rows)
      await runner.run(setState, { tenant, root, state: runner.vault.sealText("state", state), now: updatedAt });
  },
};

function each<Row>(insert: Query<Row, unknown>) {
  return async (runner: TransferRunner, rows: readonly Row[]): Promise<void> => {
    for (const row of rows) await runner.run(insert, row);
  };
}
