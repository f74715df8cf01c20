/** Bodies of messages and originals, each once a tenant and month, the words they are found by, and the rows that name them. */
import { tokensOf } from "../../core/recall/words.ts";
import { batchEnds } from "../batches.ts";
import { searchableText, type Body } from "../body.ts";
import type { FreshMessages } from "../sql/chains.ts";
import type { NewPieces } from "../sql/originals.ts";
import { query } from "../sql/query.ts";
import { tenantToken } from "../sql/search.ts";
import { all, run, type Steps } from "../sql/steps.ts";
import { encoded, keyOf, type EncodedText } from "../text-bytes.ts";
import type { Vault } from "../vault.ts";

/** A text vector takes no more than a mebibyte; what has more words is looked through when somebody searches. */
const WORD_BYTES_MAX = 900_000;

interface Keys {
  readonly tenant: number;
  readonly period: number;
  readonly forms: readonly string[];
  readonly hashes: readonly Uint8Array[];
}

interface FoundBody {
  readonly id: number;
  readonly form: string;
  readonly hash: Uint8Array;
}

const findBodies = query<Keys, FoundBody>(`
  select found.id, found.form, found.hash
  from unnest(:forms::text[], :hashes::bytea[]) as wanted (form, hash)
  cross join lateral (
    select id, form, hash from bodies
    where bodies.period = :period and bodies.tenant = :tenant
      and bodies.form = wanted.form and bodies.hash = wanted.hash limit 1) found`);

interface NewBodies extends Keys {
  readonly encodings: readonly string[];
  readonly contents: readonly Uint8Array[];
  readonly sizes: readonly number[];
  readonly words: readonly (string | null)[];
}

const addBodies = query<NewBodies, FoundBody>(`
  insert into bodies (period, tenant, form, hash, encoding, content, bytes, words)
  select :period, :tenant, fresh.form, fresh.hash, fresh.encoding, fresh.content, fresh.bytes, fresh.words::tsvector
  from unnest(
    :forms::text[], :hashes::bytea[], :encodings::text[], :contents::bytea[], :sizes::integer[], :words::text[]
  ) as fresh (form, hash, encoding, content, bytes, words)
  order by fresh.form, fresh.hash
  on conflict (tenant, form, hash, period) do nothing
  returning id, form, hash`);

const deleteBodies = query<{ ids: readonly number[] }, { bytes: number }>(`
  delete from bodies
  where id = any(:ids::bigint[])
  and not exists (select 1 from links where links.body = bodies.id)
  and not exists (select 1 from original_pieces where original_pieces.body = bodies.id)
  returning bytes`);

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

interface Keeping extends Place {
  /** They are added, and looked for only where they are there already. */
  readonly seemNew: boolean;
}

/** The ids of these bodies, in their order. */
function* keepBodies(
  vault: Vault,
  { seemNew, ...place }: Keeping,
  wanted: readonly Wanted[],
): Steps<readonly number[]> {
  const distinct = [...new Map(wanted.map((one) => [one.key, one])).values()];
  const known = seemNew ? new Map<string, number>() : yield* idsOf(place, distinct);
  const fresh = distinct.filter(({ key }) => !known.has(key));
  let from = 0;
  for (const end of batchEnds(fresh, ({ body }) => body.text.length)) {
    const batch = fresh.slice(from, end);
    for (const [key, id] of idsByKey(yield* all(addBodies, newBodies(vault, place, batch)))) known.set(key, id);
    // Another conversation brought the others.
    const others = batch.filter(({ key }) => !known.has(key));
    for (const [key, id] of yield* idsOf(place, others)) known.set(key, id);
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

function* idsOf(place: Place, wanted: readonly Wanted[]): Steps<Map<string, number>> {
  if (wanted.length === 0) return new Map();
  return idsByKey(yield* all(findBodies, { ...place, ...keysOf(wanted) }));
}

function idsByKey(rows: readonly FoundBody[]): Map<string, number> {
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

/** Deletes those that nothing refers to, and answers with their size. */
export function* dropUnused(ids: Iterable<number>): Steps<number> {
  const gone = yield* all(deleteBodies, { ids: [...new Set(ids)] });
  return gone.reduce((total, { bytes }) => total + bytes, 0);
}

interface NewLinks {
  readonly tenant: number;
  readonly period: number;
  readonly session: number;
  readonly now: number;
  /** Of the first; each of the others comes after the one before it. */
  readonly parent: number | null;
  readonly position: number;
  readonly links: readonly string[];
  readonly roles: readonly string[];
  readonly protocols: readonly (string | null)[];
  readonly members: readonly number[];
  readonly bodies: readonly number[];
}

/** The last of them becomes the session's head. */
const addLinks = query<NewLinks>(`
  with fresh as materialized (
    select nextval('link_ids') as id, one.*
    from unnest(:links::text[], :roles::text[], :protocols::text[], :members::integer[], :bodies::bigint[])
      with ordinality as one (link, role, protocol, member, body, place)),
  moved as (
    update sessions set head = (select id from fresh order by place desc limit 1), updated_at = :now where id = :session)
  insert into links (period, id, tenant, link, parent, position, session, role, protocol, member, body, created_at)
  select :period::integer, id, :tenant::integer, link, coalesce(lag(id) over (order by place), :parent::bigint),
    :position::integer + place - 1, :session::bigint, role, protocol, member, body, :now::bigint
  from fresh`);

/** All in the month in which their conversation began. */
export function* addMessages(
  vault: Vault,
  { entries, last, tenant, session, now }: FreshMessages,
  currentPeriod: number,
): Steps<void> {
  const period = last?.period ?? currentPeriod;
  const wanted = entries.map(({ body }) => wantedOf(vault, { form: "message", text: body }));
  // What follows a message that is stored is mostly said for the first time.
  const bodies = yield* keepBodies(vault, { tenant, period, seemNew: last !== undefined }, wanted);
  yield* run(addLinks, {
    tenant,
    period,
    session,
    now,
    bodies,
    parent: last?.id ?? null,
    position: (last?.position ?? -1) + 1,
    links: entries.map(({ link }) => link),
    roles: entries.map(({ role }) => role),
    protocols: entries.map(({ protocol = null }) => protocol),
    members: entries.map(({ member }) => member),
  });
}

interface PieceRows {
  readonly period: number;
  readonly originals: readonly number[];
  readonly positions: readonly number[];
  readonly bodies: readonly number[];
}

const insertPieces = query<PieceRows>(`
  insert into original_pieces (original, position, period, body)
  select original, position, :period::integer, body
  from unnest(:originals::bigint[], :positions::integer[], :bodies::bigint[]) as pieces (original, position, body)`);

export function piecesToAdd(vault: Vault, pieces: readonly Body[], period: number): NewPieces {
  const wanted = pieces.map((body) => wantedOf(vault, body));
  return {
    keys: wanted.map(({ body: { form }, hash }) => ({ form, hash })),
    add: function* add(tenant, places) {
      const bodies = yield* keepBodies(vault, { tenant, period, seemNew: false }, wanted);
      const originals = places.map(({ original }) => original);
      const positions = places.map(({ position }) => position);
      yield* run(insertPieces, { period, originals, positions, bodies });
    },
  };
}
