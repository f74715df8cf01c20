/** Finds bodies by the index of words; those that are encrypted, or have too many words for it, are looked through. */
import type { Clause } from "../../core/recall/words.ts";
import type { Role } from "../../core/transcript/message.ts";
import { searchableText } from "../body.ts";
import { CANDIDATES_MAX, oneEach, searchRemotely, type SearchCondition, type WordSearch } from "../search.ts";
import { query, type Query } from "../sql/query.ts";
import type { MessageHit, SearchHit } from "../store.ts";
import { bodyOfRow, quotedToken, tenantToken, type BodyRow } from "./bodies.ts";
import type { Runner } from "./database.ts";
import { knownTenant } from "./tenants.ts";

/** Without an index, that many are opened. */
const OPENED_MAX = 5_000;

interface SearchArguments {
  readonly tenant: number;
  readonly expression: string;
  readonly within: readonly string[] | null;
  readonly limit: number;
}

interface CandidateRow extends BodyRow {
  readonly id: number;
  readonly indexed: boolean;
}

interface OriginalRow extends CandidateRow {
  readonly recall_id: string;
  readonly label: string;
}

interface MessageRow extends CandidateRow {
  readonly link: string;
  readonly role: string;
  readonly protocol: string | null;
  readonly position: number;
  readonly name: string;
}

const originalsMatching = query<SearchArguments, OriginalRow>(`
  select originals.recall_id, originals.label, bodies.id, bodies.form, bodies.encoding, bodies.content,
    bodies.words is not null as indexed
  from bodies
  join original_pieces pieces on pieces.period = bodies.period and pieces.body = bodies.id
  join originals on originals.id = pieces.original
  where (bodies.words @@ :expression::tsquery or (bodies.words is null and bodies.tenant = :tenant))
  and originals.tenant = :tenant
  and (:within::text[] is null or originals.recall_id = any(:within::text[]))
  order by originals.id desc, pieces.position
  limit :limit`);

const messagesMatching = query<SearchArguments, MessageRow>(`
  select links.link, links.role, links.protocol, links.position, sessions.name, bodies.id, bodies.form,
    bodies.encoding, bodies.content, bodies.words is not null as indexed
  from bodies
  join links on links.period = bodies.period and links.body = bodies.id
  join sessions on sessions.id = links.session
  where (bodies.words @@ :expression::tsquery or (bodies.words is null and bodies.tenant = :tenant))
  and links.tenant = :tenant and links.member = 0
  and (:within::text[] is null or links.link = any(:within::text[]))
  order by links.id desc
  limit :limit`);

export async function searchOriginals(
  runner: Runner,
  tenant: string,
  search: WordSearch,
): Promise<readonly SearchHit[]> {
  const find = await candidates(runner, tenant, { search, matching: originalsMatching });
  const places = await searchRemotely(search, { find, idOf: ({ row }) => `${row.recall_id} ${row.id}` });
  const hits = places.map(({ key: { row }, text }) => ({ id: row.recall_id, label: row.label, text }));
  return oneEach(hits)
    .slice(0, search.limit)
    .map((hit) => ({ ...hit, label: runner.vault.openText("label", hit.label) }));
}

export async function searchMessages(
  runner: Runner,
  tenant: string,
  search: WordSearch,
): Promise<readonly MessageHit[]> {
  const find = await candidates(runner, tenant, { search, matching: messagesMatching });
  const places = await searchRemotely(search, { find, idOf: ({ row }) => row.link });
  return places.slice(0, search.limit).map(({ key: { row, body }, text }) => {
    const { link, role, protocol, position, name: session } = row;
    const hit = { link, role: role as Role, session, position, body, text };
    return protocol === null ? hit : { ...hit, protocol };
  });
}

interface Searched<Row> {
  readonly search: WordSearch;
  readonly matching: Query<SearchArguments, Row>;
}

async function candidates<Row extends CandidateRow>(
  runner: Runner,
  tenantName: string,
  { search, matching }: Searched<Row>,
) {
  const { vault } = runner;
  const tenant = await knownTenant(runner, tenantName);
  const limit = vault.encrypts ? OPENED_MAX : CANDIDATES_MAX;
  const within = search.within ?? null;
  return async (wanted: SearchCondition) => {
    const rows = await runner.all(matching, { tenant, expression: expressionOf(wanted, tenant), within, limit });
    return rows.flatMap((row) => {
      const body = bodyOfRow(vault, row);
      const text = searchableText(body);
      return row.indexed || wanted.meets(text) ? [{ key: { row, body: body.text }, text }] : [];
    });
  };
}

/** https://www.postgresql.org/docs/current/datatype-textsearch.html#DATATYPE-TSQUERY */
function expressionOf({ query: { terms }, demand }: SearchCondition, tenant: number): string {
  const demands = terms.map(({ clauses }) => `(${clauses.map(clauseExpression).join(" & ")})`);
  return `${quotedToken(tenantToken(tenant))} & (${demands.join(demand === "all" ? " & " : " | ")})`;
}

function clauseExpression({ any, all, prefix }: Clause): string {
  if (prefix !== undefined) return `${quotedToken(prefix)}:*`;
  const parts = all === undefined ? [] : [`(${all.map(quotedToken).join(" & ")})`];
  return `(${[...any.map(quotedToken), ...parts].join(" | ")})`;
}
