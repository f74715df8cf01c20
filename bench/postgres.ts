/**
 * `npm run bench:postgres [-- --keep]`: what a store in PostgreSQL costs at size: five million messages in sessions of 10,000 and a
 * hundred thousand compactions, and the look-ups that every request makes for one of them. Runs on a server of its own, from
 * the package that the tests use.
 */
import { hash } from "node:crypto";
import { createChain } from "../src/core/transcript/links.ts";
import { textMessage } from "../src/core/transcript/message.ts";
import { countStored } from "../src/store/sql/chains.ts";
import { createDatabase } from "../src/store/postgres/database.ts";
import { openPostgresStore } from "../src/store/postgres.ts";
import { NO_POSTGRES, startPostgres } from "../test/store/postgres-server.ts";
import { compaction } from "../test/store/contract/things.ts";
import { keep } from "./peers/results.ts";
import { timed } from "./stopwatch.ts";

/** What `--keep` stores in bench/results/postgres.json. */
export interface PostgresFigures {
  readonly messages: number;
  readonly compactions: number;
  readonly rows: readonly { readonly what: string; readonly medianMs: number; readonly p95Ms: number }[];
}

const COMPACTIONS = 100_000;
const rows: PostgresFigures["rows"][number][] = [];

const MESSAGES = Number(process.env["PRECIS_BENCH_MESSAGES"] ?? 5_000_000);
const SESSION_MESSAGES = 10_000;
const ROUNDS = { warmups: 20, samples: 101 };
const TENANT = "bench";

if (NO_POSTGRES !== undefined) throw new Error(NO_POSTGRES);
const server = await startPostgres({ durable: true });
const url = await server.newSchema();
const store = await openPostgresStore({ url });
const database = createDatabase({
  url,
  readOnly: false,
  connections: 2,
  statementTimeoutMs: 600_000,
  connectTimeoutMs: 1_000,
});
try {
  await run();
} finally {
  await database.close();
  await store.close();
  await server.close();
}

async function run(): Promise<void> {
  const chain = createChain((text) => hash("sha256", text));
  const messages = Array.from({ length: SESSION_MESSAGES + ROUNDS.samples + ROUNDS.warmups + 1 }, (_, at) =>
    textMessage(at % 2 === 0 ? "user" : "assistant", `message ${at} of the session that is looked up`),
  );
  const links = chain.linksOf(messages);
  const known = links.slice(0, SESSION_MESSAGES);
  await store.appendChain(TENANT, { links: known, messages: messages.slice(0, SESSION_MESSAGES) });
  const sessions = Math.max(0, Math.round(MESSAGES / SESSION_MESSAGES) - 1);
  const began = performance.now();
  for (let session = 1; session <= sessions; session++) await database.script(otherSession(session));
  await database.script(otherCompactions());
  await database.script("analyze");
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  const { messages: stored } = await store.holdings();
  print("stored", `${stored.toLocaleString("en")} messages in ${sessions + 1} sessions (${seconds} s to fill)`);

  const newest = [...known, "a link that is not stored yet"];
  await measure("find how much of a session of 10,000 is stored", () => database.answer(countStored(TENANT, newest)));
  await measure("find its compaction, where there is none", () => store.findCompaction(TENANT, known));
  await measure("find its usage, where there is none", () => store.findUsage(TENANT, known));
  const half = SESSION_MESSAGES / 2;
  await store.putCompaction(TENANT, compaction(known[half - 1]!, half), known[0]!);
  await measure("find its compaction, of its first half", () => store.findCompaction(TENANT, known));
  let end = SESSION_MESSAGES;
  await measure("append one message, committed", () => {
    end += 1;
    return store.appendChain(TENANT, { links: links.slice(0, end), messages: messages.slice(0, end) });
  });
  await measure("read its 10,000 messages", () => store.readChain(TENANT, known.at(-1)!), 11);
  const quick = stored < 5_000_000;
  if (process.argv.includes("--keep"))
    keep<PostgresFigures>("postgres", "npm run bench:postgres -- --keep", {
      quick,
      figures: { messages: stored, compactions: COMPACTIONS, rows },
    });
}

/** Of other conversations of the same tenant. */
function otherCompactions(): string {
  return `
    insert into records (tenant, link, root, schema_version, generation, record, created_at, used_at)
    select sessions.tenant, encode(sha256(convert_to('covers ' || place, 'UTF8')), 'hex'),
      encode(sha256(convert_to('begins ' || place / 3, 'UTF8')), 'hex'), 1, 0, ''::bytea, 0, 0
    from (select tenant from sessions limit 1) sessions, generate_series(1, ${COMPACTIONS}) as place`;
}

/** Made by the server itself, with the body of the first message for each. */
function otherSession(session: number): string {
  return `
    with made as (
      insert into sessions (tenant, name, created_at, updated_at)
      select tenant, 'other ${session}', created_at, updated_at from sessions order by id limit 1
      returning id, tenant
    ), first as (select nextval('link_ids') as id), counted as (
      select setval('link_ids', first.id + ${SESSION_MESSAGES}) from first
    ), inserted as (
      insert into links (period, id, tenant, link, parent, position, session, role, member, body, created_at)
      select shape.period, first.id + place, made.tenant, encode(sha256(convert_to('${session} ' || place, 'UTF8')), 'hex'),
        case when place = 0 then null else first.id + place - 1 end, place, made.id, 'user', 0, shape.body, shape.created_at
      from made, first, counted, generate_series(0, ${SESSION_MESSAGES - 1}) as place,
        (select period, body, created_at from links order by id limit 1) shape
      returning id, session
    )
    select 1 from inserted limit 1;
    update sessions set head = (select max(id) from links where links.session = sessions.id) where head is null`;
}

async function measure(what: string, work: () => Promise<unknown>, samples: number = ROUNDS.samples): Promise<void> {
  const { medianMs, p95Ms } = await timed(work, { warmups: Math.min(ROUNDS.warmups, samples), samples });
  rows.push({ what, medianMs, p95Ms });
  print(what, `${medianMs.toFixed(2)} ms in the median, ${p95Ms.toFixed(2)} ms at 95 %`);
}

function print(what: string, says: string): void {
  process.stdout.write(`${what.padEnd(52)}${says}\n`);
}
