/** How an SQLite file finds words: by its FTS5 index (https://www.sqlite.org/fts5.html); what is encrypted is looked through. */
import { query } from "../sql/query.ts";
import type { MessageRow, OriginalRow, SearchArguments, WordIndex } from "../sql/search.ts";

const originalsMatching = query<SearchArguments, OriginalRow>(`
  select originals.recall_id, originals.label, bodies.id as body, bodies.form, bodies.encoding, bodies.content, 1 as indexed
  from words
  join bodies on bodies.id = words.rowid
  join original_pieces pieces on pieces.body = bodies.id
  join originals on originals.id = pieces.original
  where words match :expression and originals.kind <> 'staged'
  and (:scoped = 0 or originals.recall_id in (:within))
  order by originals.id desc, pieces.position
  limit :limit`);

const messagesMatching = query<SearchArguments, MessageRow>(`
  select links.link, links.role, links.protocol, links.position, sessions.name, bodies.id as body, bodies.form,
    bodies.encoding, bodies.content, 1 as indexed
  from words
  join bodies on bodies.id = words.rowid
  join links on links.body = bodies.id
  join sessions on sessions.id = links.session
  where words match :expression and links.member = 0 and (:scoped = 0 or links.link in (:within))
  order by links.id desc
  limit :limit`);

const newestOriginals = query<SearchArguments, OriginalRow>(`
  select originals.recall_id, originals.label, bodies.id as body, bodies.form, bodies.encoding, bodies.content, 0 as indexed
  from originals
  join original_pieces pieces on pieces.original = originals.id
  join bodies on bodies.id = pieces.body
  where originals.tenant = :tenant and originals.kind <> 'staged'
  and (:scoped = 0 or originals.recall_id in (:within))
  order by originals.id desc, pieces.position
  limit :limit`);

const newestMessages = query<SearchArguments, MessageRow>(`
  select links.link, links.role, links.protocol, links.position, sessions.name, bodies.id as body, bodies.form,
    bodies.encoding, bodies.content, 0 as indexed
  from links
  join bodies on bodies.id = links.body
  join sessions on sessions.id = links.session
  where links.tenant = :tenant and links.member = 0 and (:scoped = 0 or links.link in (:within))
  order by links.id desc
  limit :limit`);

/** Tokens are letters and digits, so quoting them is enough. */
const EXPRESSIONS = {
  and: " AND ",
  or: " OR ",
  quoted: (token: string) => `"${token}"`,
  prefixed: (token: string) => `"${token}"*`,
};

export function wordIndex(encrypts: boolean): WordIndex {
  return encrypts
    ? { ...EXPRESSIONS, originals: newestOriginals, messages: newestMessages }
    : { ...EXPRESSIONS, originals: originalsMatching, messages: messagesMatching };
}
