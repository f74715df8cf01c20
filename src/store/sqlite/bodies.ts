/** Bodies of messages and originals, each once a tenant, and the words they are found by. */
import { tokensOf } from "../../core/recall/words.ts";
import { searchableText, type Body, type BodyForm } from "../body.ts";
import { query } from "../sql/query.ts";
import { decoded, encoded, keyOf, type EncodedText } from "../text-bytes.ts";
import type { Runner } from "./query.ts";

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

const readBodyById = query<{ id: number }, { form: string; encoding: string; content: Uint8Array }>(
  `select form, encoding, content from bodies where id = :id`,
);

const addWords = query<{ id: number; tokens: string }>(`insert into words (rowid, tokens) values (:id, :tokens)`);

const deleteBody = query<{ id: number }, { bytes: number }>(`
  delete from bodies
  where id = :id
  and not exists (select 1 from links where body = :id)
  and not exists (select 1 from original_pieces where body = :id)
  returning bytes`);

const deleteWords = query<{ id: number }>(`delete from words where rowid = :id`);

/** Words of one tenant are under a token that no text has. */
export function tenantToken(tenant: number): string {
  return `§${tenant}`;
}

/** A body that is only to be written: what takes long about it was done before the file was locked. */
export interface ReadyBody {
  readonly form: string;
  readonly hash: Uint8Array;
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

export function readyBody(runner: Runner, tenant: number, body: Body): ReadyBody {
  const { vault } = runner;
  const { form, text } = body;
  const { encoding, content } = encoded(text);
  const hashed = vault.keyed(keyOf(encoding, content));
  const work = (): Row => ({
    content: vault.seal("body", content),
    tokens: vault.encrypts ? "" : [...tokensOf(searchableText(body))].join(" "),
  });
  const seemsNew = runner.first(findBody, { tenant, form, hash: hashed }) === undefined;
  const row = seemsNew ? work() : undefined;
  return { form, hash: hashed, encoding, bytes: Buffer.byteLength(text), seemsNew, row: () => row ?? work() };
}

export function keepBody(runner: Runner, tenant: number, ready: ReadyBody): number {
  const { form, hash: hashed, encoding, bytes, seemsNew } = ready;
  const key = { tenant, form, hash: hashed };
  const known = seemsNew ? undefined : runner.first(findBody, key);
  if (known !== undefined) return known.id;
  const { content, tokens } = ready.row();
  const { changes, id } = runner.run(addBody, { ...key, encoding, content, bytes });
  if (changes === 0) return runner.first(findBody, key)!.id;
  if (tokens !== "") runner.run(addWords, { id, tokens: `${tenantToken(tenant)} ${tokens}` });
  return id;
}

export function readBody(runner: Runner, id: number): Body {
  const { form, encoding, content } = runner.first(readBodyById, { id })!;
  return { form: form as BodyForm, text: textOf(runner, { encoding, content }) };
}

/** Deletes those that nothing refers to, and answers with their size. */
export function dropUnused(runner: Runner, ids: Iterable<number>): number {
  let bytes = 0;
  for (const id of new Set(ids)) {
    const gone = runner.first(deleteBody, { id });
    if (gone === undefined) continue;
    runner.run(deleteWords, { id });
    bytes += gone.bytes;
  }
  return bytes;
}

/** The text of a row of bodies. */
export function textOf({ vault }: Runner, row: EncodedText): string {
  return decoded(vault, row);
}
