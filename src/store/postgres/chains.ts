/** Conversations: links that name the one before them, each with a message's body, all in the month in which they began. */
import type { ChainEnd, ChainEntry } from "../sql/appending.ts";
import { fromTheEnd, messageOf, type ChainRow } from "../sql/chains.ts";
import { query } from "../sql/query.ts";
import type { Appended, StoredMessage } from "../store.ts";
import { keepBodies } from "./bodies.ts";
import type { Runner } from "./database.ts";
import { lockToWrite } from "./locks.ts";
import { moveHead, sessionFor, type StoredLink } from "./sessions.ts";
import { knownTenant, writingTenant } from "./tenants.ts";

const findLinks = query<{ tenant: number; links: readonly string[] }, StoredLink>(`
  select links.id, links.period, links.link, links.position, links.session, sessions.head, sessions.name
  from links
  join sessions on sessions.id = links.session
  where links.tenant = :tenant and links.link = any(:links::text[])`);

const storedAmong = query<{ tenant: number; links: readonly string[] }, { link: string }>(`
  select link from links where tenant = :tenant and link = any(:links::text[])`);

const nextIds = query<{ count: number }, { id: number }>(`
  select nextval('link_ids') as id from generate_series(1, :count::integer)`);

interface NewLinks {
  readonly tenant: number;
  readonly period: number;
  readonly session: number;
  readonly now: number;
  readonly ids: readonly number[];
  readonly links: readonly string[];
  readonly parents: readonly (number | null)[];
  readonly positions: readonly number[];
  readonly roles: readonly string[];
  readonly protocols: readonly (string | null)[];
  readonly members: readonly number[];
  readonly bodies: readonly number[];
}

const addLinks = query<NewLinks>(`
  insert into links (period, id, tenant, link, parent, position, session, role, protocol, member, body, created_at)
  select :period::integer, fresh.id, :tenant::integer, fresh.link, fresh.parent, fresh.position, :session::bigint,
    fresh.role, fresh.protocol, fresh.member, fresh.body, :now::bigint
  from unnest(
    :ids::bigint[], :links::text[], :parents::bigint[], :positions::integer[], :roles::text[], :protocols::text[],
    :members::integer[], :bodies::bigint[]
  ) as fresh (id, link, parent, position, role, protocol, member, body)`);

const readUpTo = query<{ tenant: number; link: string }, ChainRow>(`
  with recursive chain as (
    select period, id, parent, body, link, role, protocol, member, position
    from links where tenant = :tenant and link = :link
    union all
    select before.period, before.id, before.parent, before.body, before.link, before.role, before.protocol,
      before.member, before.position
    from chain join links before on before.period = chain.period and before.id = chain.parent)
  select chain.link, chain.role, chain.protocol, chain.member, bodies.encoding, bodies.content
  from chain
  join bodies on bodies.period = chain.period and bodies.id = chain.body
  order by chain.position`);

const readLinksUpTo = query<{ tenant: number; link: string }, { link: string }>(`
  with recursive chain as (
    select period, parent, link, position from links where tenant = :tenant and link = :link
    union all
    select before.period, before.parent, before.link, before.position
    from chain join links before on before.period = chain.period and before.id = chain.parent)
  select link from chain order by position`);

/** How many messages of a chain are stored, counted from its beginning: whatever is stored has all before it. */
export async function countStored(runner: Runner, tenantName: string, links: readonly string[]): Promise<number> {
  const tenant = await knownTenant(runner, tenantName);
  for (const { from, batch } of fromTheEnd(links)) {
    const stored = new Set((await runner.all(storedAmong, { tenant, links: batch })).map(({ link }) => link));
    const at = stored.size === 0 ? -1 : batch.findLastIndex((link) => stored.has(link));
    if (at >= 0) return from + at + 1;
  }
  return 0;
}

/** `undefined` where the chain's known part is not stored any more: the whole chain is needed then. */
export async function append(
  runner: Runner,
  tenantName: string,
  { root, after, entries, session: name, now }: ChainEnd,
  currentPeriod: number,
): Promise<Appended | undefined> {
  await lockToWrite(runner, [
    `${tenantName}\n${root}`,
    ...(name === undefined ? [] : [`${tenantName}\nsession ${name}`]),
  ]);
  const tenant = await writingTenant(runner, tenantName);
  const wanted = [...(after === undefined ? [] : [after]), ...entries.map(({ link }) => link)];
  const stored = new Map((await runner.all(findLinks, { tenant, links: wanted })).map((row) => [row.link, row]));
  if (after !== undefined && !stored.has(after)) return undefined;
  const firstFresh = entries.findIndex(({ link }) => !stored.has(link));
  const fresh = firstFresh < 0 ? [] : entries.slice(firstFresh);
  const last = stored.get(wanted[wanted.length - fresh.length - 1] ?? "");
  const session = await sessionFor(runner, tenant, { name, last, next: fresh[0]?.link, now });
  const period = last?.period ?? currentPeriod;
  const head = await addFresh(runner, { tenant, period, session: session.id, now }, { fresh, last });
  await moveHead(runner, { id: session.id, head: name === undefined && fresh.length === 0 ? null : head, now });
  return { added: fresh.length, session: session.name };
}

type NewLinksPlace = Pick<NewLinks, "tenant" | "period" | "session" | "now">;

/** Answers with the last message of the chain. */
async function addFresh(
  runner: Runner,
  place: NewLinksPlace,
  { fresh, last }: { readonly fresh: readonly ChainEntry[]; readonly last: StoredLink | undefined },
): Promise<number | null> {
  const before = last?.id ?? null;
  if (fresh.length === 0) return before;
  const bodies = await keepBodies(
    runner,
    place,
    fresh.map(({ body }) => ({ form: "message", text: body })),
  );
  const ids = (await runner.all(nextIds, { count: fresh.length })).map(({ id }) => id);
  const firstPosition = (last?.position ?? -1) + 1;
  await runner.run(addLinks, {
    ...place,
    ids,
    bodies,
    parents: [before, ...ids.slice(0, -1)],
    links: fresh.map(({ link }) => link),
    positions: fresh.map((_, at) => firstPosition + at),
    roles: fresh.map(({ role }) => role),
    protocols: fresh.map(({ protocol = null }) => protocol),
    members: fresh.map(({ member }) => member),
  });
  return ids.at(-1)!;
}

export async function readChain(runner: Runner, tenant: string, link: string): Promise<readonly StoredMessage[]> {
  const rows = await runner.all(readUpTo, { tenant: await knownTenant(runner, tenant), link });
  return rows.map((row) => messageOf(runner.vault, row));
}

export async function readLinks(runner: Runner, tenant: string, link: string): Promise<readonly string[]> {
  const rows = await runner.all(readLinksUpTo, { tenant: await knownTenant(runner, tenant), link });
  return rows.map(({ link: name }) => name);
}
