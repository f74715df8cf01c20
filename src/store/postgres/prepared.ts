/**
 * Compactions that are made and not in effect yet: a state each, under the link that it covers, so that it goes with its
 * conversation. Any process finds it, and whichever request it is due for records it.
 */
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import type { Compaction } from "../../core/compaction/compaction.ts";
import { decodeCompaction, encodeCompaction } from "../record.ts";
import { fromTheEnd } from "../sql/chains.ts";
import { query } from "../sql/query.ts";
import { deleteState } from "../sql/retention.ts";
import type { Runner } from "./database.ts";
import { knownTenant } from "../sql/tenants.ts";
import { putState } from "../sql/usage.ts";

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

const PREFIX = "prepared:";

/** As it is kept, compressed: the record, and the originals of what was removed, which are nowhere else yet. */
interface PreparedState {
  readonly record: string;
  readonly originals: Readonly<Record<string, string>>;
}

interface PreparedRow {
  readonly link: string;
  readonly state: string;
}

const preparedFor = query<{ tenant: number; links: readonly string[] }, PreparedRow>(`
  select link, state from states
  where tenant = :tenant and link in (:links) and starts_with(root, 'prepared:')`);

export async function putPrepared(
  runner: Runner,
  tenant: string,
  { compaction, now }: { readonly compaction: Compaction; readonly now: number },
): Promise<void> {
  const originals = Object.fromEntries(
    compaction.evicted.flatMap(({ id, original }) => (original === undefined ? [] : [[id, original] as const])),
  );
  const kept: PreparedState = { record: encodeCompaction(compaction), originals };
  const state = (await deflate(JSON.stringify(kept))).toString("base64");
  const root = `${PREFIX}${compaction.covers}`;
  await runner.answer(putState(runner, tenant, { root, state: JSON.stringify(state), now }));
}

export async function findPrepared(
  runner: Runner,
  tenantName: string,
  links: readonly string[],
): Promise<Compaction | undefined> {
  const tenant = await runner.answer(knownTenant(tenantName));
  for (const { batch } of fromTheEnd(links)) {
    const rows = new Map((await runner.all(preparedFor, { tenant, links: batch })).map((row) => [row.link, row]));
    const link = batch.findLast((one) => rows.has(one));
    if (link !== undefined) return decodePrepared(runner, rows.get(link)!);
  }
  return undefined;
}

async function decodePrepared({ vault }: Runner, { state }: PreparedRow): Promise<Compaction | undefined> {
  const text = JSON.parse(vault.openText("state", state)) as string;
  const { record, originals } = JSON.parse((await inflate(Buffer.from(text, "base64"))).toString()) as PreparedState;
  const compaction = decodeCompaction(record);
  if (compaction === undefined) return undefined;
  const evicted = compaction.evicted.map((one) =>
    Object.hasOwn(originals, one.id) ? { ...one, original: originals[one.id]! } : one,
  );
  return { ...compaction, evicted };
}

export async function dropPrepared(runner: Runner, tenant: string, covers: string): Promise<void> {
  await runner.run(deleteState, { tenant: await runner.answer(knownTenant(tenant)), root: `${PREFIX}${covers}` });
}
