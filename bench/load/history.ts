/** Where the gateways keep their history during a measurement, and what it costs there: processor, rows and bytes. */
import { statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { startPostgres } from "../../test/store/postgres-server.ts";
import { openStore } from "../../src/store/index.ts";
import { familyProcessorMs } from "./processes.ts";

export interface HistoryCost {
  /** Of the database's processes; 0 for a file, which the gateway writes itself. */
  readonly processorMs: number;
  readonly transactions: number;
  /** Written to the write-ahead log. */
  readonly walBytes: number;
  readonly rows: number;
  /** Tables and indexes on the disk. */
  readonly bytes: number;
  readonly messages: number;
}

export interface History {
  readonly url: string;
  readonly cost: () => Promise<HistoryCost>;
  /** Kills the database and starts it again after that time; a file cannot be away. */
  readonly restart: (awayMs: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

const ROWS = `
  select coalesce(sum((xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %I', relname), false, true, '')))[1]::text::bigint), 0) as rows,
    coalesce(sum(pg_total_relation_size(oid)), 0) as bytes
  from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'`;
const ACTIVITY = `
  select split_part(pg_read_file('postmaster.pid'), E'\\n', 1) as postmaster, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as wal,
    (select sum(xact_commit) from pg_stat_database) as transactions,
    (select count(*) from links) as messages`;

/** A schema of its own on a server of its own, or on the one at PRECIS_TEST_POSTGRES. */
export async function postgresHistory(): Promise<History> {
  const server = await startPostgres({ durable: true });
  const url = await server.newSchema();
  // Its tables are there before anything is measured.
  await (await openStore(url)).close();
  const cost = async (): Promise<HistoryCost> => {
    const [activity, stored] = [(await server.sql(ACTIVITY, url))[0]!, (await server.sql(ROWS, url))[0]!];
    return {
      processorMs: familyProcessorMs(Number(activity["postmaster"])),
      transactions: Number(activity["transactions"]),
      walBytes: Number(activity["wal"]),
      rows: Number(stored["rows"]),
      bytes: Number(stored["bytes"]),
      messages: Number(activity["messages"]),
    };
  };
  const restart = async (awayMs: number): Promise<void> => {
    await server.kill();
    await pause(awayMs);
    await server.start();
  };
  return { url, cost, restart, close: server.close };
}

/** A file, which the gateway's own thread writes: only its size is known from outside. */
export function sqliteHistory(path: string): History {
  const cost = async (): Promise<HistoryCost> => {
    const store = await openStore(path);
    const { messages, bodies, sessions, originals } = await store.holdings();
    await store.close();
    const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    return {
      processorMs: 0,
      transactions: 0,
      walBytes: 0,
      rows: messages + bodies + sessions + originals,
      bytes,
      messages,
    };
  };
  return { url: path, cost, restart: async () => undefined, close: async () => undefined };
}
