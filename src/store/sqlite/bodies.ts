/** Bodies of messages and originals in a file, each once a tenant, the words they are found by, and the rows that name them. */
import { tokensOf } from "../../core/recall/words.ts";
import { piecesOf, searchableText, type Body } from "../body.ts";
import type { ChainEnd } from "../sql/chains.ts";
import type { FreshMessages } from "../sql/chains.ts";
import type { BodyKey, NewOriginals, NewPieces, StagedPieces } from "../sql/originals.ts";
import { query, type Query } from "../sql/query.ts";
import { tenantToken } from "../sql/search.ts";
import { moveHead } from "../sql/sessions.ts";
import { first, run, type Steps } from "../sql/steps.ts";
import { knownTenant } from "../sql/tenants.ts";
import { encoded, keyOf } from "../text-bytes.ts";
import type { Vault } from "../vault.ts";

const addBody = query<{
  tenant: number;
  form: string;
  hash: Uint8Array;
  encoding: string;
  content: Uint8Array;
  bytes: number;
}>(`
  insert into bodies (tenant, form, hash, encoding, content, bytes)
  values (:tenant, :form, :hash, :encoding, :content, :bytes)
  on conflict (tenant, form, hash) do nothing`);

const findBody = query<{ tenant: number; form: string; hash: Uint8Array }, { id: number }>(
  `select id from bodies where tenant = :tenant and form = :form and hash = :hash`,
);

const addWords = query<{ id: number; tokens: string }>(`insert into words (rowid, tokens) values (:id, :tokens)`);

const deleteBody = query<{ id: number }, { bytes: number }>(`
  delete from bodies
  where id = :id
  and not exists (select 1 from links where body = :id)
  and not exists (select 1 from original_pieces where body = :id)
  returning bytes`);

const deleteWords = query<{ id: number }>(`delete from words where rowid = :id`);

const addPiece = query<{ original: number; position: number; body: number }>(
  `insert into original_pieces (original, position, body) values (:original, :position, :body)`,
);

const addLink = query<{
  tenant: number;
  link: string;
  parent: number | null;
  position: number;
  session: number;
  role: string;
  protocol: string | null;
  member: number;
  body: number;
  now: number;
}>(`
  insert into links (tenant, link, parent, position, session, role, protocol, member, body, created_at)
  values (:tenant, :link, :parent, :position, :session, :role, :protocol, :member, :body, :now)`);

/** Faster than `returning` by half. Answers with the id of the row; 0 where it was there already. */
function* add<Arguments>(asked: Query<Arguments, unknown>, args: Arguments): Steps<number> {
  return (yield { query: asked as Query<never, unknown>, args, wants: "id" }) as number;
}

/** A body that is only to be written: what takes long about it was done before the file was locked. */
export interface ReadyBody extends BodyKey {
  readonly encoding: string;
  readonly bytes: number;
  /** Not worked out yet where the body seemed to be there already. */
  readonly row: () => Row;
  readonly seemsNew: boolean;
}

interface Row {
  readonly content: Uint8Array;
  readonly tokens: string;
}

function* readyBodies(vault: Vault, tenant: number, bodies: readonly Body[]): Steps<readonly ReadyBody[]> {
  const ready: ReadyBody[] = [];
  for (const body of bodies) {
    const { form, text } = body;
    const { encoding, content } = encoded(text);
    const hash = vault.keyed(keyOf(encoding, content));
    const work = (): Row => ({
      content: vault.seal("body", content),
      tokens: vault.encrypts ? "" : [...tokensOf(searchableText(body))].join(" "),
    });
    const seemsNew = (yield* first(findBody, { tenant, form, hash })) === undefined;
    const row = seemsNew ? work() : undefined;
    const bytes = encoding === "utf8" ? content.length : Buffer.byteLength(text);
    ready.push({ form, hash, encoding, bytes, seemsNew, row: () => row ?? work() });
  }
  return ready;
}

export function* readyEntries(vault: Vault, tenant: string, { entries }: ChainEnd): Steps<readonly ReadyBody[]> {
  const bodies = entries.map(({ body }): Body => ({ form: "message", text: body }));
  return yield* readyBodies(vault, yield* knownTenant(tenant), bodies);
}

/** The pieces of each. */
export function* readyOriginals(
  vault: Vault,
  tenantName: string,
  { originals }: NewOriginals,
): Steps<readonly (readonly ReadyBody[])[]> {
  const tenant = yield* knownTenant(tenantName);
  const ready: (readonly ReadyBody[])[] = [];
  for (const original of originals) ready.push(yield* readyBodies(vault, tenant, piecesOf(original)));
  return ready;
}

export function* readyPieces(vault: Vault, tenant: string, { pieces }: StagedPieces): Steps<readonly ReadyBody[]> {
  return yield* readyBodies(vault, yield* knownTenant(tenant), pieces);
}

export function piecesToAdd(pieces: readonly ReadyBody[]): NewPieces {
  return {
    keys: pieces,
    add: function* addPieces(tenant, places) {
      for (const [at, place] of places.entries())
        yield* run(addPiece, { ...place, body: yield* keepBody(tenant, pieces[at]!) });
    },
  };
}

/** Ends with the session's head on the last of them. */
export function* addMessages(
  { entries, from, last, tenant, session, now }: FreshMessages,
  ready: readonly ReadyBody[],
): Steps<void> {
  let parent = last?.id ?? null;
  let position = last?.position ?? -1;
  for (const [at, { link, role, protocol = null, member }] of entries.entries()) {
    const body = yield* keepBody(tenant, ready[from + at]!);
    const row = { tenant, link, parent, position: ++position, session, role, protocol, member, body, now };
    parent = yield* add(addLink, row);
  }
  yield* moveHead({ id: session, head: parent, now });
}

function* keepBody(tenant: number, ready: ReadyBody): Steps<number> {
  const { form, hash, encoding, bytes, seemsNew } = ready;
  const key = { tenant, form, hash };
  const known = seemsNew ? undefined : yield* first(findBody, key);
  if (known !== undefined) return known.id;
  const { content, tokens } = ready.row();
  const id = yield* add(addBody, { ...key, encoding, content, bytes });
  if (id === 0) return (yield* first(findBody, key))!.id;
  if (tokens !== "") yield* run(addWords, { id, tokens: `${tenantToken(tenant)} ${tokens}` });
  return id;
}

/** Deletes those that nothing refers to, and answers with their size. */
export function* dropUnused(ids: Iterable<number>): Steps<number> {
  let bytes = 0;
  for (const id of new Set(ids)) {
    const gone = yield* first(deleteBody, { id });
    if (gone === undefined) continue;
    yield* run(deleteWords, { id });
    bytes += gone.bytes;
  }
  return bytes;
}
