/** Full-text search over all that is kept, and the way back from a recall id to the original bytes. */
import { numbered, weightOf } from "../../core/recall/messages.ts";
import { rankPlaces, type Candidate } from "../../core/recall/ranking.ts";
import type { Message } from "../../core/transcript/message.ts";
import { protocols } from "../../protocols/index.ts";
import { type ProtocolName } from "../../core/protocols.ts";
import { messagesIn } from "../../session/recall/read-original.ts";
import { candidatesOf } from "../../session/recall/answer.ts";
import { originalsWith } from "../../session/recall/search.ts";
import type { MessageHit, Original } from "../../store/store.ts";
import type { FoundOriginal, SearchQuery } from "../../session/history.ts";
import { findSession } from "./find.ts";
import type { HistoryDependencies } from "./sizes.ts";

export async function recall(
  { store }: HistoryDependencies,
  tenant: string | undefined,
  id: string,
): Promise<Original | undefined> {
  for (const one of await selectTenants({ store }, tenant)) {
    const original = await store.getOriginal(one, id);
    if (original !== undefined) return original;
  }
  return undefined;
}

export async function search(
  dependencies: HistoryDependencies,
  { tenant, words, session, limit }: SearchQuery,
): Promise<readonly FoundOriginal[]> {
  const scopes = session === undefined ? [] : [await findScope(dependencies, { tenant, id: session })];
  if (session === undefined) for (const one of await selectTenants(dependencies, tenant)) scopes.push({ tenant: one });
  const candidates: Candidate<FoundOriginal>[] = [];
  for (const scope of scopes)
    for (const each of await findCandidates(dependencies, scope, { words, limit })) candidates.push(each);
  const places = rankPlaces(candidates, words, { limit, redact: dependencies.redact });
  return places.map(({ key, text, missing }) => {
    return { ...(key.kind === "original" ? { ...key, label: dependencies.redact(key.label) } : key), text, missing };
  });
}

/** The store ranks whole wire messages; that many are read for a hit, each for the messages in it. */
const READ_PER_HIT = 3;

interface Scope {
  readonly tenant: string;
  /** Of one session: its id, its links, and the recall ids of what left it. */
  readonly session?: { readonly id: string; readonly links: readonly string[]; readonly removed: readonly string[] };
}

async function findScope(
  { store }: HistoryDependencies,
  which: { readonly tenant: string | undefined; readonly id: string },
): Promise<Scope> {
  const { tenant, entry } = await findSession(store, which);
  const links = await store.readLinks(tenant, entry.head);
  const compactions = await store.listCompactions(tenant, links);
  const removed = new Set(compactions.flatMap(({ compaction }) => compaction.evicted.map(({ id }) => id)));
  return { tenant, session: { id: entry.id, links, removed: [...removed] } };
}

/** What holds the words best, one message each; a message that is kept and also left its conversation is one. */
async function findCandidates(
  { store }: HistoryDependencies,
  { tenant, session }: Scope,
  { words, limit }: Pick<SearchQuery, "words" | "limit">,
): Promise<readonly Candidate<FoundOriginal>[]> {
  const said = await store.searchMessages(
    tenant,
    words,
    limit * READ_PER_HIT,
    session === undefined ? {} : { within: session.links },
  );
  const removed = candidatesOf(await originalsWith(store, tenant, words, session?.removed));
  const recallIds = new Map(
    removed.flatMap(({ key: { original, message }, text }) =>
      message === undefined ? [] : [[`${message.number} ${text}`, original.id] as const],
    ),
  );
  const found = new Map<string, Candidate<FoundOriginal>>();
  for (const hit of said) {
    for (const message of numbered(readHit(hit), hit.position + 1)) {
      const { number, role, text } = message;
      const id = recallIds.get(`${number} ${text}`);
      const recalled = id === undefined ? {} : { recall: id };
      const key = { kind: "message", tenant, session: session?.id ?? hit.session, number, role, ...recalled } as const;
      if (!found.has(text))
        found.set(text, { key: { ...key, text: "", missing: [] }, text, weight: weightOf(message) });
    }
  }
  for (const {
    key: { original, message },
    text,
  } of removed) {
    const place = message === undefined ? {} : { number: message.number, role: message.role };
    const key = { kind: "original", tenant, id: original.id, label: original.label, ...place } as const;
    const weight = message === undefined ? 1 : weightOf(message);
    if (!found.has(text)) found.set(text, { key: { ...key, text: "", missing: [] }, text, weight });
  }
  return [...found.values()];
}

/** Those that came from one wire message with the one that was found. */
function readHit({ protocol, body }: MessageHit): readonly Message[] {
  return messagesIn(
    body,
    protocol !== undefined && Object.hasOwn(protocols, protocol) ? (protocol as ProtocolName) : undefined,
  );
}

async function selectTenants(
  { store }: Pick<HistoryDependencies, "store">,
  tenant: string | undefined,
): Promise<readonly string[]> {
  return tenant === undefined ? (await store.listTenants()).map((one) => one.tenant) : [tenant];
}
