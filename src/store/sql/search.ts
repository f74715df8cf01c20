/** Finds bodies by the index of words; those that are encrypted, or have too many words for it, are looked through. Best first. */
import type { Clause } from "../../core/recall/words.ts";
import type { Role } from "../../core/transcript/message.ts";
import { searchableText, type BodyForm } from "../body.ts";
import { CANDIDATES_MAX, oneEach, searchSteps, type SearchCondition, type WordSearch } from "../search.ts";
import type { MessageHit, SearchHit } from "../store.ts";
import { decoded } from "../text-bytes.ts";
import type { Query } from "./query.ts";
import { all, type Steps, type Tables } from "./steps.ts";
import { knownTenant } from "./tenants.ts";

/** Without an index, that many are opened. */
const OPENED_MAX = 5_000;

export interface SearchArguments {
  readonly tenant: number;
  readonly expression: string;
  /** Whether only those in `within` are meant: 0 or 1. */
  readonly scoped: number;
  readonly within: readonly string[];
  readonly limit: number;
}

interface CandidateRow {
  readonly body: number;
  readonly form: string;
  readonly encoding: string;
  readonly content: Uint8Array;
  /** Whether the index says that it holds the words. */
  readonly indexed: boolean | number;
}

export interface OriginalRow extends CandidateRow {
  readonly recall_id: string;
  readonly label: string;
}

export interface MessageRow extends CandidateRow {
  readonly link: string;
  readonly role: string;
  readonly protocol: string | null;
  readonly position: number;
  readonly name: string;
}

/** How a database looks for words. */
export interface WordIndex {
  /** The newest first, as many as the limit says. */
  readonly originals: Query<SearchArguments, OriginalRow>;
  readonly messages: Query<SearchArguments, MessageRow>;
  readonly and: string;
  readonly or: string;
  readonly quoted: (token: string) => string;
  readonly prefixed: (token: string) => string;
}

export type SearchedTables = Pick<Tables, "vault"> & { readonly index: WordIndex };

/** Words of one tenant are under a token that no text has. */
export function tenantToken(tenant: number): string {
  return `§${tenant}`;
}

export function* searchOriginals(
  tables: SearchedTables,
  tenant: string,
  search: WordSearch,
): Steps<readonly SearchHit[]> {
  const { index, vault } = tables;
  const places = yield* searched(tables, tenant, { search, matching: index.originals, idOf: idOfPiece });
  const hits = places.map(({ key: { row }, text }) => ({ id: row.recall_id, label: row.label, text }));
  return oneEach(hits)
    .slice(0, search.limit)
    .map((hit) => ({ ...hit, label: vault.openText("label", hit.label) }));
}

function idOfPiece({ recall_id: id, body }: OriginalRow): string {
  return `${id} ${body}`;
}

export function* searchMessages(
  tables: SearchedTables,
  tenant: string,
  search: WordSearch,
): Steps<readonly MessageHit[]> {
  const { messages: matching } = tables.index;
  const places = yield* searched(tables, tenant, { search, matching, idOf: ({ link }) => link });
  return places.slice(0, search.limit).map(({ key: { row, body }, text }) => {
    const { link, role, protocol, position, name: session } = row;
    const hit = { link, role: role as Role, session, position, body, text };
    return protocol === null ? hit : { ...hit, protocol };
  });
}

interface Searched<Row> {
  readonly search: WordSearch;
  readonly matching: Query<SearchArguments, Row>;
  /** The same for the same thing, however often it is found. */
  readonly idOf: (row: Row) => string;
}

function* searched<Row extends CandidateRow>(
  { vault, index }: SearchedTables,
  tenantName: string,
  { search, matching, idOf }: Searched<Row>,
) {
  const tenant = yield* knownTenant(tenantName);
  const limit = vault.encrypts ? OPENED_MAX : CANDIDATES_MAX;
  const scope = { scoped: search.within === undefined ? 0 : 1, within: search.within ?? [] };
  const steps = searchSteps(search, ({ row }: { readonly row: Row; readonly body: string }) => idOf(row));
  let step = steps.next();
  while (step.done !== true) {
    const wanted = step.value;
    const asked = { tenant, ...scope, limit, expression: expressionOf(wanted, tenant, index) };
    const rows = yield* all(matching, asked);
    const candidates = rows.flatMap((row) => {
      const body = decoded(vault, row);
      const text = searchableText({ form: row.form as BodyForm, text: body });
      return row.indexed || wanted.meets(text) ? [{ key: { row, body }, text }] : [];
    });
    step = steps.next(candidates);
  }
  return step.value;
}

function expressionOf({ query: { terms }, demand }: SearchCondition, tenant: number, index: WordIndex): string {
  const { and, or, quoted, prefixed } = index;
  const clauseOf = ({ any, all: every, prefix }: Clause): string => {
    if (prefix !== undefined) return prefixed(prefix);
    const parts = every === undefined ? [] : [`(${every.map(quoted).join(and)})`];
    return `(${[...any.map(quoted), ...parts].join(or)})`;
  };
  const demands = terms.map(({ clauses }) => `(${clauses.map(clauseOf).join(and)})`);
  return `${quoted(tenantToken(tenant))}${and}(${demands.join(demand === "all" ? and : or)})`;
}
