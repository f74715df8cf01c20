/**
 * How PostgreSQL finds words: by its text vectors; a body without one is encrypted or has too many words, and is looked through.
 * https://www.postgresql.org/docs/current/datatype-textsearch.html#DATATYPE-TSQUERY
 */
import { query } from "../sql/query.ts";
import type { MessageRow, OriginalRow, SearchArguments, WordIndex } from "../sql/search.ts";
import { quotedToken } from "./bodies.ts";

const originals = query<SearchArguments, OriginalRow>(`
  select originals.recall_id, originals.label, bodies.id as body, bodies.form, bodies.encoding, bodies.content,
    bodies.words is not null as indexed
  from bodies
  join original_pieces pieces on pieces.period = bodies.period and pieces.body = bodies.id
  join originals on originals.id = pieces.original
  where (bodies.words @@ :expression::tsquery or (bodies.words is null and bodies.tenant = :tenant))
  and originals.tenant = :tenant and originals.kind <> 'staged'
  and (:scoped::integer = 0 or originals.recall_id in (:within))
  order by originals.id desc, pieces.position
  limit :limit`);

const messages = query<SearchArguments, MessageRow>(`
  select links.link, links.role, links.protocol, links.position, sessions.name, bodies.id as body, bodies.form,
    bodies.encoding, bodies.content, bodies.words is not null as indexed
  from bodies
  join links on links.period = bodies.period and links.body = bodies.id
  join sessions on sessions.id = links.session
  where (bodies.words @@ :expression::tsquery or (bodies.words is null and bodies.tenant = :tenant))
  and links.tenant = :tenant and links.member = 0
  and (:scoped::integer = 0 or links.link in (:within))
  order by links.id desc
  limit :limit`);

export const WORD_INDEX: WordIndex = {
  originals,
  messages,
  and: " & ",
  or: " | ",
  quoted: quotedToken,
  prefixed: (token) => `${quotedToken(token)}:*`,
};
