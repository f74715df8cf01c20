/** Finds bodies by the index of words, newest first, and shows the line of each hit. */
import type { Role } from "../../core/transcript/message.ts";
import { searchableText } from "../body.ts";
import type { MessageHit, SearchHit } from "../store.ts";
import { holdsWords, lineOfHit, parseQuery, type Query as WordQuery } from "../words.ts";
import { readBody, tenantToken, wordsMatch } from "./bodies.ts";
import { query, type Runner } from "./query.ts";
import { knownTenant } from "./tenants.ts";

/** So many candidates of the index are looked at for one search. */
const CANDIDATES_MAX = 5_000;

export interface WordsAndLimit {
  readonly words: string;
  readonly limit: number;
}

const originalsMatching = query<{ expression: string; limit: number }>("originalsMatching")((db, arg, sql) =>
  db
    .selectFrom("words")
    .innerJoin("original_pieces", "original_pieces.body", "words.rowid")
    .innerJoin("originals", "originals.id", "original_pieces.original")
    .select(["originals.recall_id", "originals.label", "original_pieces.body"])
    .where(wordsMatch(sql, arg("expression")))
    .orderBy("originals.id", "desc")
    .orderBy("original_pieces.position")
    .limit(arg("limit")),
);

const messagesMatching = query<{ expression: string; limit: number }>("messagesMatching")((db, arg, sql) =>
  db
    .selectFrom("words")
    .innerJoin("links", "links.body", "words.rowid")
    .innerJoin("sessions", "sessions.id", "links.session")
    .select(["links.link", "links.role", "links.body", "links.position", "sessions.name"])
    .where(wordsMatch(sql, arg("expression")))
    .where("links.member", "=", 0)
    .orderBy("links.id", "desc")
    .limit(arg("limit")),
);

export function searchOriginals(runner: Runner, tenant: string, { words, limit }: WordsAndLimit): readonly SearchHit[] {
  const asked = parseQuery(words);
  if (asked === undefined) return [];
  const hits = new Map<string, SearchHit>();
  for (const row of runner.each(originalsMatching, candidatesOf(runner, tenant, asked))) {
    if (hits.size >= limit) break;
    const { recall_id: id, label } = row;
    const line = hits.has(id) ? undefined : lineIn(runner, row.body, asked);
    if (line !== undefined) hits.set(id, { id, label, line });
  }
  return [...hits.values()];
}

export function searchMessages(runner: Runner, tenant: string, { words, limit }: WordsAndLimit): readonly MessageHit[] {
  const asked = parseQuery(words);
  const hits: MessageHit[] = [];
  if (asked === undefined) return hits;
  for (const row of runner.each(messagesMatching, candidatesOf(runner, tenant, asked))) {
    const { link, role, body, position, name } = row;
    if (hits.length >= limit) break;
    const line = lineIn(runner, body, asked);
    if (line !== undefined) hits.push({ link, role: role as Role, session: name, position, line });
  }
  return hits;
}

function candidatesOf(runner: Runner, tenant: string, asked: WordQuery) {
  return { expression: expressionOf(asked, knownTenant(runner, tenant)), limit: CANDIDATES_MAX };
}

function lineIn(runner: Runner, body: number, asked: WordQuery): string | undefined {
  const text = searchableText(readBody(runner, body));
  return holdsWords(text, asked) ? lineOfHit(text, asked) : undefined;
}

/** https://www.sqlite.org/fts5.html §3; tokens are letters and digits, so quoting them is enough. */
function expressionOf({ clauses }: WordQuery, tenant: number): string {
  const demands = clauses.map(({ all, whole, prefix }) => {
    if (prefix !== undefined) return `${quoted(prefix)}*`;
    const parts = `(${all.map(quoted).join(" AND ")})`;
    return whole === undefined ? parts : `(${parts} OR ${quoted(whole)})`;
  });
  return [quoted(tenantToken(tenant)), ...demands].join(" AND ");
}

function quoted(token: string): string {
  return `"${token}"`;
}
