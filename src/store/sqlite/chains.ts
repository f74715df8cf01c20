/** Conversations: links that name the one before them, each with a message's body. */
import type { ChainEnd } from "../sql/appending.ts";
import { fromTheEnd, messageOf, type ChainRow } from "../sql/chains.ts";
import type { Appended, StoredMessage } from "../store.ts";
import { keepBody, readyBody, type ReadyBody } from "./bodies.ts";
import { query } from "../sql/query.ts";
import type { Runner } from "./query.ts";
import { moveHead, sessionFor } from "./sessions.ts";
import { knownTenant, writingTenant } from "./tenants.ts";

const findLink = query<
  { tenant: number; link: string },
  { id: number; position: number; session: number; head: number | null; name: string }
>(`
  select links.id, links.position, links.session, sessions.head, sessions.name from links
  join sessions on sessions.id = links.session
  where links.tenant = :tenant and links.link = :link`);

const addLink = query<{
  tenant: number;
  link: string;
  parent: number | null;
  position: number;
  session: number;
  role: string;
  protocol: string | null;
  member: number;
  body: number;
  now: number;
}>(`
  insert into links (tenant, link, parent, position, session, role, protocol, member, body, created_at)
  values (:tenant, :link, :parent, :position, :session, :role, :protocol, :member, :body, :now)`);

const findLinks = query<{ tenant: number; links: string }, { link: string }>(`
  select links.link from json_each(:links) wanted
  cross join links
  where links.tenant = :tenant and links.link = wanted.value`);

const readUpTo = query<{ tenant: number; link: string }, ChainRow>(`
  with recursive chain as (
    select id, parent from links where tenant = :tenant and link = :link
    union all
    select links.id, links.parent from links join chain on chain.parent = links.id)
  select links.link, links.role, links.protocol, links.member, bodies.encoding, bodies.content
  from chain
  join links on links.id = chain.id
  join bodies on bodies.id = links.body
  order by links.position`);

const readLinksUpTo = query<{ tenant: number; link: string }, { link: string }>(`
  with recursive chain as (
    select id, parent, link, position from links where tenant = :tenant and link = :link
    union all
    select links.id, links.parent, links.link, links.position from links join chain on chain.parent = links.id)
  select link from chain order by position`);

function linkOf(runner: Runner, tenant: number, link: string) {
  return runner.first(findLink, { tenant, link });
}

/** How many messages of a chain are stored, counted from its beginning: whatever is stored has all before it. */
export function countStored(runner: Runner, tenantName: string, links: readonly string[]): number {
  const tenant = knownTenant(runner, tenantName);
  for (const { from, batch } of fromTheEnd(links)) {
    const stored = new Set(runner.all(findLinks, { tenant, links: JSON.stringify(batch) }).map(({ link }) => link));
    const at = stored.size === 0 ? -1 : batch.findLastIndex((link) => stored.has(link));
    if (at >= 0) return from + at + 1;
  }
  return 0;
}

export function readyEntries(runner: Runner, tenantName: string, { entries }: ChainEnd): readonly ReadyBody[] {
  const tenant = knownTenant(runner, tenantName);
  return entries.map(({ body }) => readyBody(runner, tenant, { form: "message", text: body }));
}

/** `undefined` where the chain's known part is not stored any more: the whole chain is needed then. */
export function append(
  runner: Runner,
  tenantName: string,
  { after, entries, session: name, now }: ChainEnd,
  bodies: readonly ReadyBody[],
): Appended | undefined {
  const tenant = writingTenant(runner, tenantName);
  let last = after === undefined ? undefined : linkOf(runner, tenant, after);
  if (after !== undefined && last === undefined) return undefined;
  let known = 0;
  for (; known < entries.length; known++) {
    const stored = linkOf(runner, tenant, entries[known]!.link);
    if (stored === undefined) break;
    last = stored;
  }
  const fresh = entries.slice(known);
  const session = sessionFor(runner, tenant, { name, last, next: fresh[0]?.link, now });
  let head = last?.id ?? null;
  fresh.forEach(({ link, role, protocol = null, member }, at) => {
    const position = (last?.position ?? -1) + 1 + at;
    const body = keepBody(runner, tenant, bodies[known + at]!);
    head = runner.run(addLink, {
      tenant,
      link,
      parent: head,
      position,
      session: session.id,
      role,
      protocol,
      member,
      body,
      now,
    }).id;
  });
  moveHead(runner, { id: session.id, head: name === undefined && fresh.length === 0 ? null : head, now });
  return { added: fresh.length, session: session.name };
}

export function readChain(runner: Runner, tenantName: string, link: string): readonly StoredMessage[] {
  const rows = runner.all(readUpTo, { tenant: knownTenant(runner, tenantName), link });
  return rows.map((row) => messageOf(runner.vault, row));
}

export function readLinks(runner: Runner, tenantName: string, link: string): readonly string[] {
  return runner.all(readLinksUpTo, { tenant: knownTenant(runner, tenantName), link }).map(({ link: name }) => name);
}
