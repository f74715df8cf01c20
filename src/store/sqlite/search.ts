/** Finds bodies by the index of words, or one by one where they are encrypted; newest first, with the line of each hit. */
import type { Role } from "../../core/transcript/message.ts";
import { searchableText } from "../body.ts";
import type { MessageHit, SearchHit } from "../store.ts";
import { holdsWords, isHit, lineOfHit, parseQuery, type Query as WordQuery } from "../words.ts";
import { readBody, tenantToken, wordsMatch } from "./bodies.ts";
import { query, type Runner } from "./query.ts";
import { STAGED_KIND } from "./staging.ts";
import { knownTenant } from "./tenants.ts";

/** So many candidates are looked at for one search. */
const CANDIDATES_MAX = 5_000;

export interface WordsAndLimit {
  readonly words: string;
  readonly limit: number;
}

const originalsMatching = query<{ expression: string; staged: string; limit: number }>("originalsMatching")(
  (db, arg, sql) =>
    db
      .selectFrom("words")
      .innerJoin("original_pieces", "original_pieces.body", "words.rowid")
      .innerJoin("originals", "originals.id", "original_pieces.original")
      .select(["originals.recall_id", "originals.label", "original_pieces.body"])
      .where(wordsMatch(sql, arg("expression")))
      .where("originals.kind", "<>", arg("staged"))
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

/** Where there is no index, the newest are looked through. */
const newestOriginals = query<{ tenant: number; staged: string; limit: number }>("newestOriginals")((db, arg) =>
  db
    .selectFrom("originals")
    .innerJoin("original_pieces", "originals.id", "original_pieces.original")
    .select(["originals.recall_id", "originals.label", "original_pieces.body"])
    .where("originals.tenant", "=", arg("tenant"))
    .where("originals.kind", "<>", arg("staged"))
    .orderBy("originals.id", "desc")
    .orderBy("original_pieces.position")
    .limit(arg("limit")),
);

const newestMessages = query<{ tenant: number; limit: number }>("newestMessages")((db, arg) =>
  db
    .selectFrom("links")
    .innerJoin("sessions", "sessions.id", "links.session")
    .select(["links.link", "links.role", "links.body", "links.position", "sessions.name"])
    .where("links.tenant", "=", arg("tenant"))
    .where("links.member", "=", 0)
    .orderBy("links.id", "desc")
    .limit(arg("limit")),
);

export function searchOriginals(runner: Runner, tenant: string, { words, limit }: WordsAndLimit): readonly SearchHit[] {
  const asked = parseQuery(words);
  if (asked === undefined) return [];
  const hits = new Map<string, SearchHit>();
  const { vault } = runner;
  const candidates = candidatesOf(runner, tenant, asked);
  for (const row of runner.each(vault.encrypts ? newestOriginals : originalsMatching, candidates)) {
    if (hits.size >= limit) break;
    const id = row.recall_id;
    const label = vault.openText("label", row.label);
    const line = hits.has(id) ? undefined : lineIn(runner, row.body, asked);
    if (line !== undefined) hits.set(id, { id, label, line });
  }
  return [...hits.values()];
}

export function searchMessages(runner: Runner, tenant: string, { words, limit }: WordsAndLimit): readonly MessageHit[] {
  const asked = parseQuery(words);
  const hits: MessageHit[] = [];
  if (asked === undefined) return hits;
  const candidates = candidatesOf(runner, tenant, asked);
  for (const row of runner.each(runner.vault.encrypts ? newestMessages : messagesMatching, candidates)) {
    const { link, role, body, position, name } = row;
    if (hits.length >= limit) break;
    const line = lineIn(runner, body, asked);
    if (line !== undefined) hits.push({ link, role: role as Role, session: name, position, line });
  }
  return hits;
}

function candidatesOf(runner: Runner, tenant: string, asked: WordQuery) {
  const number = knownTenant(runner, tenant);
  return { tenant: number, expression: expressionOf(asked, number), staged: STAGED_KIND, limit: CANDIDATES_MAX };
}

function lineIn(runner: Runner, body: number, asked: WordQuery): string | undefined {
  const text = searchableText(readBody(runner, body));
  // The index has found its tokens already.
  const hit = runner.vault.encrypts ? isHit(text, asked) : holdsWords(text, asked);
  return hit ? lineOfHit(text, asked) : undefined;
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
