/** Bodies of messages and originals, each once a tenant and month, and the words they are found by. */
import { tokensOf } from "../../core/recall/words.ts";
import { batchEnds } from "../batches.ts";
import { searchableText, type Body, type BodyForm } from "../body.ts";
import { query } from "../sql/query.ts";
import { decoded, encoded, keyOf, type EncodedText } from "../text-bytes.ts";
import type { Vault } from "../vault.ts";
import type { Runner } from "./database.ts";

/** A text vector takes no more than a mebibyte; what has more words is looked through when somebody searches. */
const WORD_BYTES_MAX = 900_000;

interface Keys {
  readonly tenant: number;
  readonly period: number;
  readonly forms: readonly string[];
  readonly hashes: readonly Uint8Array[];
}

const findBodies = query<Keys, { id: number; form: string; hash: Uint8Array }>(`
  select bodies.id, bodies.form, bodies.hash
  from unnest(:forms::text[], :hashes::bytea[]) as wanted (form, hash)
  join bodies on bodies.period = :period and bodies.tenant = :tenant
    and bodies.form = wanted.form and bodies.hash = wanted.hash`);

interface NewBodies extends Keys {
  readonly encodings: readonly string[];
  readonly contents: readonly Uint8Array[];
  readonly sizes: readonly number[];
  readonly words: readonly (string | null)[];
}

const addBodies = query<NewBodies>(`
  insert into bodies (period, tenant, form, hash, encoding, content, bytes, words)
  select :period, :tenant, fresh.form, fresh.hash, fresh.encoding, fresh.content, fresh.bytes, fresh.words::tsvector
  from unnest(
    :forms::text[], :hashes::bytea[], :encodings::text[], :contents::bytea[], :sizes::integer[], :words::text[]
  ) as fresh (form, hash, encoding, content, bytes, words)
  order by fresh.form, fresh.hash
  on conflict (tenant, form, hash, period) do nothing`);

const deleteBodies = query<{ ids: readonly number[] }, { bytes: number }>(`
  delete from bodies
  where id = any(:ids::bigint[])
  and not exists (select 1 from links where links.body = bodies.id)
  and not exists (select 1 from original_pieces where original_pieces.body = bodies.id)
  returning bytes`);

/** Words of one tenant are under a token that no text has. */
export function tenantToken(tenant: number): string {
  return `§${tenant}`;
}

interface Place {
  readonly tenant: number;
  readonly period: number;
}

interface Wanted {
  readonly body: Body;
  readonly encoded: EncodedText;
  readonly hash: Uint8Array;
  readonly key: string;
}

/** The ids of these bodies, in their order. */
export async function keepBodies(runner: Runner, place: Place, bodies: readonly Body[]): Promise<readonly number[]> {
  const wanted = bodies.map((body) => wantedOf(runner.vault, body));
  const distinct = [...new Map(wanted.map((one) => [one.key, one])).values()];
  const known = await idsOf(runner, place, distinct);
  const fresh = distinct.filter(({ key }) => !known.has(key));
  let from = 0;
  for (const end of batchEnds(fresh, ({ body }) => body.text.length)) {
    const batch = fresh.slice(from, end);
    await runner.run(addBodies, newBodies(runner.vault, place, batch));
    // Also those that another conversation brought at the same time.
    for (const [key, id] of await idsOf(runner, place, batch)) known.set(key, id);
    from = end;
  }
  return wanted.map(({ key }) => known.get(key)!);
}

function wantedOf(vault: Vault, body: Body): Wanted {
  const text = encoded(body.text);
  const hash = vault.keyed(keyOf(text.encoding, text.content));
  return { body, encoded: text, hash, key: keyText(body.form, hash) };
}

function keyText(form: string, hash: Uint8Array): string {
  return `${form} ${Buffer.from(hash).toString("base64")}`;
}

async function idsOf(runner: Runner, place: Place, wanted: readonly Wanted[]): Promise<Map<string, number>> {
  if (wanted.length === 0) return new Map();
  const rows = await runner.all(findBodies, { ...place, ...keysOf(wanted) });
  return new Map(rows.map(({ id, form, hash }) => [keyText(form, hash), id]));
}

function keysOf(wanted: readonly Wanted[]) {
  return { forms: wanted.map(({ body }) => body.form), hashes: wanted.map(({ hash }) => hash) };
}

function newBodies(vault: Vault, place: Place, batch: readonly Wanted[]): NewBodies {
  return {
    ...place,
    ...keysOf(batch),
    encodings: batch.map(({ encoded: { encoding } }) => encoding),
    contents: batch.map(({ encoded: { content } }) => vault.seal("body", content)),
    sizes: batch.map(({ body }) => Buffer.byteLength(body.text)),
    words: batch.map(({ body }) => (vault.encrypts ? null : wordsOf(place.tenant, body))),
  };
}

/** The notation of a text vector: https://www.postgresql.org/docs/current/datatype-textsearch.html#DATATYPE-TSVECTOR */
function wordsOf(tenant: number, body: Body): string | null {
  const tokens = [...tokensOf(searchableText(body))];
  if (tokens.length === 0) return "";
  const text = [tenantToken(tenant), ...tokens].map(quotedToken).join(" ");
  return Buffer.byteLength(text) > WORD_BYTES_MAX ? null : text;
}

/** Tokens are letters, digits and marks, so quoting them is enough. */
export function quotedToken(token: string): string {
  return `'${token}'`;
}

/** Removes those that nothing refers to any more, and answers with their size. */
export async function dropUnused(runner: Runner, ids: Iterable<number>): Promise<number> {
  const gone = await runner.all(deleteBodies, { ids: [...new Set(ids)] });
  return gone.reduce((total, { bytes }) => total + bytes, 0);
}

export interface BodyRow extends EncodedText {
  readonly form: string;
}

/** The body of a row. */
export function bodyOfRow(vault: Vault, row: BodyRow): Body {
  return { form: row.form as BodyForm, text: decoded(vault, row) };
}
