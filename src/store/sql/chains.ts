/** Conversations: links that name the one before them, each with a message's body. */
import type { Role } from "../../core/transcript/message.ts";
import type { Appended, StoredMessage } from "../store.ts";
import { decoded } from "../text-bytes.ts";
import type { Vault } from "../vault.ts";
import { query } from "./query.ts";
import { moveHead, sessionFor, type KnownLink, type StoredLink } from "./sessions.ts";
import { all, together, type Steps, type Tables } from "./steps.ts";
import { knownTenant, writingTenant } from "./tenants.ts";

/** What is looked for first; most chains end in what was just stored. Then four times as many, and so on. */
const LINKS_AT_ONCE = 128;
const LINKS_AT_ONCE_GROWTH = 4;

interface ChainRow {
  readonly link: string;
  readonly role: string;
  readonly protocol: string | null;
  readonly member: number;
  readonly encoding: string;
  readonly content: Uint8Array;
}

/** Chains whose links do not count up from their beginning; none unless the file was changed by somebody else. */
export const brokenLinks = query<object, { link: string }>(`
  select links.link from links
  left join links parents on parents.id = links.parent
  where links.position <> coalesce(parents.position + 1, 0)`);

/** One message on its way into the database. */
export interface ChainEntry {
  readonly link: string;
  readonly role: Role;
  readonly protocol?: string;
  readonly member: number;
  readonly body: string;
}

/** The end of a chain: what may be new of it. */
export interface ChainEnd {
  /** Of the conversation's first message. */
  readonly root: string;
  /** Link of the last message known to be stored; absent where the whole chain is given. */
  readonly after?: string;
  readonly entries: readonly ChainEntry[];
  readonly session?: string;
  /** Plain data of a job to enqueue with it. */
  readonly job?: unknown;
  /** What follows these is handed over next, and waited for. */
  readonly more?: true;
  readonly now: number;
}

/** Growing batches of a chain, its end first. */
export function* fromTheEnd(
  links: readonly string[],
): Iterable<{ readonly from: number; readonly batch: readonly string[] }> {
  let size = LINKS_AT_ONCE;
  for (let end = links.length; end > 0; size *= LINKS_AT_ONCE_GROWTH) {
    const from = Math.max(0, end - size);
    yield { from, batch: links.slice(from, end) };
    end = from;
  }
}

function messageOf(vault: Vault, { link, role, protocol, member, encoding, content }: ChainRow): StoredMessage {
  return {
    link,
    role: role as Role,
    body: decoded(vault, { encoding, content }),
    member,
    ...(protocol === null ? {} : { protocol }),
  };
}

type OfLinks = { readonly tenant: number; readonly links: readonly string[] };
type OfLink = { readonly tenant: number; readonly link: string };

const findLinks = query<OfLinks, KnownLink>(`
  select links.id, /*pg links.period, */links.link, links.position, links.session, sessions.head, sessions.name
  from links
  join sessions on sessions.id = links.session
  where links.tenant = :tenant and links.link in (:links)`);

const findTwo = query<{ tenant: number; one: string | null; other: string | null }, KnownLink>(`
  select links.id, /*pg links.period, */links.link, links.position, links.session, sessions.head, sessions.name
  from links
  join sessions on sessions.id = links.session
  where links.tenant = :tenant and links.link in (:one, :other)`);

const storedAmong = query<OfLinks, { link: string }>(
  `select link from links where tenant = :tenant and link in (:links)`,
);

/** With `limit 1` what stands under a key is found by its index: of tables without statistics PostgreSQL reads every row. */
const readUpTo = query<OfLink, ChainRow>(
  `
  with recursive chain as (
    select parent, body, link, role, protocol, member, position from links where tenant = :tenant and link = :link
    union all
    select earlier.parent, earlier.body, earlier.link, earlier.role, earlier.protocol, earlier.member, earlier.position
    from chain join links earlier on earlier.id = chain.parent)
  select chain.link, chain.role, chain.protocol, chain.member, bodies.encoding, bodies.content
  from chain
  join bodies on bodies.id = chain.body
  order by chain.position`,
  `
  with recursive chain as (
    select period, parent, body, link, role, protocol, member, position from links where tenant = :tenant and link = :link
    union all
    select earlier.* from chain cross join lateral (
      select period, parent, body, link, role, protocol, member, position from links
      where links.id = chain.parent and links.period = chain.period limit 1) earlier)
  select chain.link, chain.role, chain.protocol, chain.member, bodies.encoding, bodies.content
  from chain
  cross join lateral (
    select encoding, content from bodies
    where bodies.id = chain.body and bodies.period = chain.period limit 1) bodies
  order by chain.position`,
);

const readLinksUpTo = query<OfLink, { link: string }>(
  `
  with recursive chain as (
    select parent, link, position from links where tenant = :tenant and link = :link
    union all
    select earlier.parent, earlier.link, earlier.position from chain join links earlier on earlier.id = chain.parent)
  select link from chain order by position`,
  `
  with recursive chain as (
    select period, parent, link, position from links where tenant = :tenant and link = :link
    union all
    select earlier.* from chain cross join lateral (
      select period, parent, link, position from links
      where links.id = chain.parent and links.period = chain.period limit 1) earlier)
  select link from chain order by position`,
);

/** How many messages of a chain are stored, counted from its beginning: whatever is stored has all before it. */
export function* countStored(tenantName: string, links: readonly string[]): Steps<number> {
  const tenant = yield* knownTenant(tenantName);
  for (const { from, batch } of fromTheEnd(links)) {
    const stored = new Set((yield* all(storedAmong, { tenant, links: batch })).map(({ link }) => link));
    const at = stored.size === 0 ? -1 : batch.findLastIndex((link) => stored.has(link));
    if (at >= 0) return from + at + 1;
  }
  return 0;
}

/** New messages of a chain, on their way into the database. */
export interface FreshMessages {
  readonly tenant: number;
  readonly session: number;
  readonly now: number;
  /** The place of the first of them among the entries of the chain's end. */
  readonly from: number;
  readonly entries: readonly ChainEntry[];
  readonly last: StoredLink | undefined;
}

/**
 * How many of these are stored already, and the last message that is; `undefined` where the one that they come after is not. What
 * is stored has all before it, so most often two links tell.
 */
function* lastStored(
  tenant: number,
  after: string | undefined,
  entries: readonly ChainEntry[],
): Steps<{ readonly from: number; readonly last: StoredLink | undefined } | undefined> {
  const next = entries[0]?.link;
  const found = yield* all(findTwo, { tenant, one: after ?? null, other: next ?? null });
  const last = found.find(({ link }) => link === after);
  if (after !== undefined && last === undefined) return undefined;
  if (!found.some(({ link }) => link === next)) return { from: 0, last };
  const links = entries.map(({ link }) => link);
  const stored = new Map((yield* all(findLinks, { tenant, links })).map((row) => [row.link, row]));
  const from = links.findLastIndex((link) => stored.has(link)) + 1;
  return { from, last: stored.get(links[from - 1]!) };
}

/** `add` puts the session's head on the last message. `undefined` where the chain's known part is not stored any more: the whole chain is needed then. */
export function* appendChain(
  { lockToWrite }: Tables,
  tenantName: string,
  { root, after, entries, session: name, now }: ChainEnd,
  add: (fresh: FreshMessages) => Steps<void>,
): Steps<Appended | undefined> {
  const names = name === undefined ? [] : [`${tenantName}\nsession ${name}`];
  const tenant = yield* writingTenant(tenantName);
  const locking = lockToWrite([`${tenantName}\n${root}`, ...names]);
  const [, before] = yield* together(locking, lastStored(tenant, after, entries));
  if (before === undefined) return undefined;
  const { from, last } = before;
  const fresh = entries.slice(from);
  const session = yield* sessionFor(tenant, { name, last, next: fresh[0]?.link, now });
  if (fresh.length > 0) yield* add({ tenant, session: session.id, now, from, entries: fresh, last });
  else yield* moveHead({ id: session.id, head: name === undefined ? null : (last?.id ?? null), now });
  return { added: fresh.length, session: session.name };
}

export function* readChain({ vault }: Tables, tenant: string, link: string): Steps<readonly StoredMessage[]> {
  const rows = yield* all(readUpTo, { tenant: yield* knownTenant(tenant), link });
  return rows.map((row) => messageOf(vault, row));
}

export function* readLinks(tenant: string, link: string): Steps<readonly string[]> {
  return (yield* all(readLinksUpTo, { tenant: yield* knownTenant(tenant), link })).map(({ link: name }) => name);
}
