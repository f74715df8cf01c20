/** Finds bodies by the index of words, or one by one where they are encrypted; best first, with the lines around each hit. */
import type { Clause } from "../../core/recall/words.ts";
import type { Role } from "../../core/transcript/message.ts";
import { searchableText } from "../body.ts";
import { oneEach, searchIn, type SearchCondition, type WordSearch } from "../search.ts";
import type { MessageHit, SearchHit } from "../store.ts";
import { readBody, tenantToken } from "./bodies.ts";
import { query, type Query as Asked } from "../sql/query.ts";
import type { Runner } from "./query.ts";
import { knownTenant } from "./tenants.ts";

interface OriginalRow {
  readonly recall_id: string;
  readonly label: string;
  readonly body: number;
}

interface MessageRow {
  readonly link: string;
  readonly role: string;
  readonly protocol: string | null;
  readonly body: number;
  readonly position: number;
  readonly name: string;
}

const originalsMatching = query<{ expression: string }, OriginalRow>(`
  select originals.recall_id, originals.label, original_pieces.body from words
  join original_pieces on original_pieces.body = words.rowid
  join originals on originals.id = original_pieces.original
  where words match :expression
  order by originals.id desc, original_pieces.position`);

const messagesMatching = query<{ expression: string }, MessageRow>(`
  select links.link, links.role, links.protocol, links.body, links.position, sessions.name
  from words
  join links on links.body = words.rowid
  join sessions on sessions.id = links.session
  where words match :expression and links.member = 0
  order by links.id desc`);

/** Where there is no index, the newest are looked through. */
const newestOriginals = query<{ tenant: number }, OriginalRow>(`
  select originals.recall_id, originals.label, original_pieces.body from originals
  join original_pieces on originals.id = original_pieces.original
  where originals.tenant = :tenant
  order by originals.id desc, original_pieces.position`);

const newestMessages = query<{ tenant: number }, MessageRow>(`
  select links.link, links.role, links.protocol, links.body, links.position, sessions.name
  from links
  join sessions on sessions.id = links.session
  where links.tenant = :tenant and links.member = 0
  order by links.id desc`);

/** Without an index, that many are opened. */
const OPENED_MAX = 5_000;

export function searchOriginals(runner: Runner, tenant: string, search: WordSearch): readonly SearchHit[] {
  const { vault } = runner;
  const rows = rowsOf(runner, tenant, { indexed: originalsMatching, newest: newestOriginals });
  const find = candidates(runner, search, { rows, nameOf: (row) => row.recall_id });
  const places = searchIn(search, { find, idOf: ({ row }) => `${row.recall_id} ${row.body}` });
  const hits = places.map(({ key: { row }, text }) => ({ id: row.recall_id, label: row.label, text }));
  return oneEach(hits)
    .slice(0, search.limit)
    .map((hit) => ({ ...hit, label: vault.openText("label", hit.label) }));
}

export function searchMessages(runner: Runner, tenant: string, search: WordSearch): readonly MessageHit[] {
  const rows = rowsOf(runner, tenant, { indexed: messagesMatching, newest: newestMessages });
  const find = candidates(runner, search, { rows, nameOf: (row) => row.link });
  const places = searchIn(search, { find, idOf: ({ row }) => row.link });
  return places.slice(0, search.limit).map(({ key: { row, body }, text }) => {
    const { link, role, protocol, position, name } = row;
    const spoken = protocol === null ? {} : { protocol };
    return { link, role: role as Role, ...spoken, session: name, position, body, text };
  });
}

interface Queries<Row> {
  readonly indexed: Asked<{ readonly expression: string }, Row>;
  readonly newest: Asked<{ readonly tenant: number }, Row>;
}

function rowsOf<Row>(runner: Runner, tenantName: string, { indexed, newest }: Queries<Row>) {
  const tenant = knownTenant(runner, tenantName);
  return (wanted: SearchCondition): Iterable<Row> =>
    runner.vault.encrypts
      ? runner.each(newest, { tenant })
      : runner.each(indexed, { expression: expressionOf(wanted, tenant) });
}

interface Rows<Row> {
  readonly rows: (wanted: SearchCondition) => Iterable<Row>;
  readonly nameOf: (row: Row) => string;
}

function candidates<Row extends { readonly body: number }>(
  runner: Runner,
  search: WordSearch,
  { rows, nameOf }: Rows<Row>,
) {
  const within = search.within === undefined ? undefined : new Set(search.within);
  return function* (wanted: SearchCondition) {
    let opened = 0;
    for (const row of rows(wanted)) {
      if (within?.has(nameOf(row)) === false) continue;
      if (++opened > OPENED_MAX && runner.vault.encrypts) return;
      const body = readBody(runner, row.body);
      const text = searchableText(body);
      if (!runner.vault.encrypts || wanted.meets(text)) yield { key: { row, body: body.text }, text };
    }
  };
}

/** https://www.sqlite.org/fts5.html §3; tokens are letters and digits, so quoting them is enough. */
function expressionOf({ query: { terms }, demand }: SearchCondition, tenant: number): string {
  const demands = terms.map(({ clauses }) => `(${clauses.map(clauseExpression).join(" AND ")})`);
  return `${quoted(tenantToken(tenant))} AND (${demands.join(demand === "all" ? " AND " : " OR ")})`;
}

function clauseExpression({ any, all, prefix }: Clause): string {
  if (prefix !== undefined) return `${quoted(prefix)}*`;
  const parts = all === undefined ? [] : [`(${all.map(quoted).join(" AND ")})`];
  return `(${[...any.map(quoted), ...parts].join(" OR ")})`;
}

function quoted(token: string): string {
  return `"${token}"`;
}
