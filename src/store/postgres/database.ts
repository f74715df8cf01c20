/** A bounded pool of connections. Queries have their arguments by name; a transaction that another one came before is run again. */
import { setTimeout as pause } from "node:timers/promises";
import { DatabaseError, Pool, types, type PoolClient, type QueryConfig } from "pg";
import type { Query } from "../sql/query.ts";
import type { SearchedTables } from "../sql/search.ts";
import {
  answerLater,
  createLastingRows,
  type AskedQuery,
  type LastingRows,
  type Steps,
  type Tables,
} from "../sql/steps.ts";
import { createVault, type Vault } from "../vault.ts";
import { dropUnused } from "./bodies.ts";
import { WORD_INDEX } from "./search.ts";
import { isAway, isConflict, isSilent, storeError, unansweredCommit } from "./failures.ts";
import { BEGIN_TO_WRITE, lockToWrite } from "./locks.ts";

export interface Runner extends Tables, SearchedTables {
  readonly answer: <Answer>(steps: Steps<Answer>) => Promise<Answer>;
  readonly all: <Arguments, Row>(query: Query<Arguments, Row>, args: Arguments) => Promise<readonly Row[]>;
  readonly first: <Arguments, Row>(query: Query<Arguments, Row>, args: Arguments) => Promise<Row | undefined>;
  /** Answers with the number of rows that changed. */
  readonly run: <Arguments>(query: Query<Arguments, unknown>, args: Arguments) => Promise<number>;
  /** Statements without arguments. */
  readonly script: (sql: string) => Promise<void>;
  /** A statement of somebody else's, whose arguments have numbers. */
  readonly foreign: (text: string, values?: unknown[]) => Promise<{ rows: Record<string, unknown>[] }>;
}

export interface Database extends Runner {
  /** Without its password. */
  readonly place: string;
  /**
   * All of it or nothing. It may be run several times, also after a commit that was not answered, so that it has to find what it
   * did.
   */
  readonly transaction: <Answer>(work: Work<Answer>, how?: TransactionOptions) => Promise<Answer>;
  /** Each step by itself; a change that was not answered is an error: the same again would count twice. */
  readonly answerOnce: Runner["answer"];
  /** A statement that takes as long as it takes, outside any transaction. */
  readonly maintain: (statement: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

type Work<Answer> = (runner: Runner) => Promise<Answer>;

export interface TransactionOptions {
  /** Rows go in that a deletion could be about to look for: see `lockToWrite`. */
  readonly writes?: boolean;
  /** Statements may take as long as they take: they look at whole tables. */
  readonly long?: boolean;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly key?: Uint8Array;
  readonly readOnly: boolean;
  /** Connections at most. */
  readonly connections: number;
  readonly statementTimeoutMs: number;
  /** How long a database that cannot be reached is tried again. */
  readonly connectTimeoutMs: number;
}

const ATTEMPTS_MAX = 8;
const RETRY_MS = 20;
const RECONNECT_MS = 200;
const IDLE_MS_MAX = 60_000;
const PROBE = { text: "select 1" };
const LONG_MS_MAX = 24 * 60 * 60 * 1_000;

/** Counters and times fit a number; so do sums of them. */
const NUMERIC = new Set<number>([types.builtins.INT8, types.builtins.NUMERIC]);
const asNumbers: typeof types = {
  ...types,
  getTypeParser: ((oid: number, format?: "text") =>
    NUMERIC.has(oid) ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

export function createDatabase(options: DatabaseOptions): Database {
  const { url, key, connectTimeoutMs } = options;
  const place = withoutPassword(url);
  const vault = createVault(key);
  const pool = openPool(options);
  const absence = createAbsence(pool, place, connectTimeoutMs);
  /** A database that is away is waited for; what was under way is asked again. */
  const withClient = async <Answer>(work: (client: PoolClient) => Promise<Answer>): Promise<Answer> => {
    for (;;) {
      absence.check();
      try {
        return await onClient(pool, work);
      } catch (error) {
        if (isSilent(error)) absence.seen(error, -Infinity);
        if (!isAway(error)) throw storeError(error, place);
        absence.seen(error, performance.now());
        await pause(RECONNECT_MS);
      }
    }
  };
  const lasting = createLastingRows();
  const parts = { vault, lasting };
  const askAlone = async (asked: AskedQuery, once: boolean): Promise<unknown> => {
    const known = lasting.find(asked);
    if (known !== undefined) return known;
    const answer = await withClient((client) =>
      askOn(client, asked).catch((error: unknown) => {
        lasting.forget();
        throw once && asked.wants === "changes" && isAway(error) ? unansweredCommit(error) : error;
      }),
    );
    lasting.keep(asked, answer);
    return answer;
  };
  const single: Runner = {
    ...tablesWith(vault),
    answer: (steps) => answerLater(steps, (asked) => askAlone(asked, false)),
    all: (query, args) => withClient((client) => runnerOf(client, parts).all(query, args)),
    first: (query, args) => withClient((client) => runnerOf(client, parts).first(query, args)),
    run: (query, args) => withClient((client) => runnerOf(client, parts).run(query, args)),
    script: (sql) => withClient((client) => runnerOf(client, parts).script(sql)),
    foreign: (text, values) => withClient((client) => runnerOf(client, parts).foreign(text, values)),
  };
  return {
    ...single,
    place,
    answerOnce: (steps) => answerLater(steps, (asked) => askAlone(asked, true)),
    transaction: (work, how = {}) => withClient((client) => transactionOn(client, { work, how, ...parts })),
    maintain: (statement) =>
      withClient(async (client) => {
        await client.query("set statement_timeout = 0");
        await client.query(withTimeout({ text: statement }, LONG_MS_MAX));
        await client.query("reset statement_timeout");
      }),
    close: () => pool.end(),
  };
}

function openPool({ url, readOnly, connections, statementTimeoutMs, connectTimeoutMs }: DatabaseOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: IDLE_MS_MAX,
    statement_timeout: statementTimeoutMs,
    query_timeout: 2 * statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    application_name: "precis",
    // What needs no answer of what comes before it is sent behind it.
    pipeline: true,
    types: asNumbers,
  });
  pool.on("connect", (client) => {
    // A connection that is lost between two queries is replaced; the next query says so.
    client.on("error", () => undefined);
    if (readOnly) client.query("set default_transaction_read_only = on").catch(() => undefined);
  });
  pool.on("error", () => undefined);
  return pool;
}

interface Absence {
  /** @throws PrecisError once the database has been away for longer than it is waited for. */
  readonly check: () => void;
  /** A call found that it is away, and since when it waits. */
  readonly seen: (error: unknown, now: number) => void;
}

/**
 * The time that a database is away is everybody's: it is waited for once, from the first call that saw it, and not by each call
 * again. Calls fail at once after that, and one connection tries to come back, whoever asks meanwhile.
 */
function createAbsence(pool: Pool, place: string, waitMs: number): Absence {
  let away: { readonly since: number; readonly error: unknown } | undefined;
  const comeBack = async (): Promise<void> => {
    for (;;) {
      try {
        return await onClient(pool, async (client) => void (await client.query(withTimeout(PROBE, waitMs))));
      } catch (error) {
        // What else it says, each call is told.
        if (!isAway(error) && !isSilent(error)) return;
      }
      await pause(RECONNECT_MS, undefined, { ref: false });
    }
  };
  return {
    check: () => {
      if (away !== undefined && performance.now() - away.since + RECONNECT_MS > waitMs)
        throw storeError(away.error, place);
    },
    seen: (reason, now) => {
      const isNew = away === undefined;
      away = { since: Math.min(away?.since ?? now, now), error: reason };
      if (isNew) void comeBack().then(() => (away = undefined));
    },
  };
}

async function onClient<Answer>(pool: Pool, work: (client: PoolClient) => Promise<Answer>): Promise<Answer> {
  const client = await pool.connect();
  let isSound = true;
  try {
    return await work(client);
  } catch (error) {
    // What the server refuses leaves the connection as it was; after anything else nobody knows.
    isSound = error instanceof DatabaseError && !isAway(error);
    throw error;
  } finally {
    client.release(!isSound);
  }
}

interface Parts {
  readonly vault: Vault;
  readonly lasting: LastingRows;
}

interface Transaction<Answer> extends Parts {
  readonly work: Work<Answer>;
  readonly how: TransactionOptions;
}

async function transactionOn<Answer>(
  client: PoolClient,
  { work, how: { writes = false, long = false }, ...parts }: Transaction<Answer>,
): Promise<Answer> {
  const runner = runnerOf(client, parts, long ? LONG_MS_MAX : undefined);
  for (let attempt = 1; ; attempt++) {
    // The work does not wait for the beginning: where that fails, so does all that is behind it.
    sendTogether(client);
    const begun = client.query(writes ? BEGIN_TO_WRITE : long ? "begin; set local statement_timeout = 0" : "begin");
    let answer: Answer;
    try {
      [, answer] = await Promise.all([begun, work(runner)]);
    } catch (error) {
      if (isAway(error)) throw error;
      parts.lasting.forget();
      await client.query("rollback");
      if (!isConflict(error) || attempt === ATTEMPTS_MAX) throw error;
      await pause(RETRY_MS * attempt);
      continue;
    }
    await client.query("commit");
    return answer;
  }
}

function tablesWith(vault: Vault): Tables & SearchedTables {
  return { vault, index: WORD_INDEX, lockToWrite, dropUnused };
}

/** What is asked in one go leaves in one packet: the driver would write each statement by itself. */
function sendTogether({ connection: { stream } }: PoolClient): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

async function askOn(client: PoolClient, { query, args, wants }: AskedQuery, timeoutMs?: number): Promise<unknown> {
  const { name, text, names } = compiled(query);
  const given = args as Readonly<Record<string, unknown>>;
  const values = names.map((one) => storable(given[one]));
  sendTogether(client);
  const { rows, rowCount } = await client.query(withTimeout({ name, text, values }, timeoutMs));
  if (wants === "row") return rows[0] as unknown;
  return wants === "rows" ? (rows as unknown) : (rowCount ?? 0);
}

function runnerOf(client: PoolClient, { vault, lasting }: Parts, timeoutMs?: number): Runner {
  const ask = (query: Query<never, unknown>, args: unknown, wants: AskedQuery["wants"]) =>
    askOn(client, { query, args, wants }, timeoutMs);
  return {
    ...tablesWith(vault),
    answer: (steps) => answerLater(steps, (asked) => lasting.find(asked) ?? askOn(client, asked, timeoutMs)),
    all: async (query, args) => (await ask(query as Query<never, unknown>, args, "rows")) as never,
    first: async (query, args) => (await ask(query as Query<never, unknown>, args, "row")) as never,
    run: async (query, args) => (await ask(query as Query<never, unknown>, args, "changes")) as number,
    script: async (sql) => void (await client.query(withTimeout({ text: sql }, timeoutMs))),
    foreign: (text, values = []) => client.query(withTimeout({ text, values }, timeoutMs)),
  };
}

/** The driver takes a time limit for each query, which its types do not have: https://node-postgres.com/apis/client */
function withTimeout<Config extends QueryConfig>(config: Config, timeoutMs: number | undefined): Config {
  return timeoutMs === undefined ? config : { ...config, query_timeout: timeoutMs };
}

/** The text types have no NUL: https://www.postgresql.org/docs/current/datatype-character.html */
function storable(value: unknown): unknown {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\u2400") : value;
  return Array.isArray(value) ? value.map(storable) : value;
}

interface Compiled {
  /** Under this name the server keeps the prepared statement. */
  readonly name: string;
  readonly text: string;
  readonly names: readonly string[];
}

const known = new WeakMap<object, Compiled>();
let count = 0;

/** `:name` is an argument; `::type` is a cast. */
function compiled(query: Query<never, unknown>): Compiled {
  const before = known.get(query);
  if (before !== undefined) return before;
  const names: string[] = [];
  const text = query.postgres.replace(/(?<!:):([a-z]\w*)/gi, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  const made = { name: `precis_${++count}`, text, names };
  known.set(query, made);
  return made;
}

function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^:/@]*):[^@/]*@/, "$1@");
}
