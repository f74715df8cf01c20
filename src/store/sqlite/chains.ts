/** Conversations: links that name the one before them, each with a message's body. */
import type { Role } from "../../core/transcript/message.ts";
import type { Appended, StoredMessage } from "../store.ts";
import { keepBody, readyBody, textOf, type ReadyBody } from "./bodies.ts";
import { eachOf, query, type Runner } from "./query.ts";
import { moveHead, sessionFor } from "./sessions.ts";
import { knownTenant, writingTenant } from "./tenants.ts";

/** What is looked for first; most chains end in what was just stored. Then four times as many, and so on. */
const LINKS_AT_ONCE = 128;
const LINKS_AT_ONCE_GROWTH = 4;

/** One message on its way into the file. */
export interface ChainEntry {
  readonly link: string;
  readonly role: Role;
  readonly protocol?: string;
  readonly member: number;
  readonly body: string;
}

/** The end of a chain: what may be new of it. */
export interface ChainEnd {
  /** Link of the last message known to be stored; absent where the whole chain is given. */
  readonly after?: string;
  readonly entries: readonly ChainEntry[];
  readonly session?: string;
  readonly now: number;
}

const findLink = query<{ tenant: number; link: string }>("findLink")((db, arg) =>
  db
    .selectFrom("links")
    .innerJoin("sessions", "sessions.id", "links.session")
    .select(["links.id", "links.position", "links.session", "sessions.head", "sessions.name"])
    .where("links.tenant", "=", arg("tenant"))
    .where("links.link", "=", arg("link")),
);

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
}>("addLink")((db, arg) =>
  db.insertInto("links").values({
    tenant: arg("tenant"),
    link: arg("link"),
    parent: arg("parent"),
    position: arg("position"),
    session: arg("session"),
    role: arg("role"),
    protocol: arg("protocol"),
    member: arg("member"),
    body: arg("body"),
    created_at: arg("now"),
  }),
);

const findLinks = query<{ tenant: number; links: string }>("findLinks")((db, arg, sql) =>
  db
    .selectFrom(eachOf(sql, arg("links")))
    .crossJoin("links")
    .select("links.link")
    .where("links.tenant", "=", arg("tenant"))
    .whereRef("links.link", "=", "wanted.value"),
);

const readUpTo = query<{ tenant: number; link: string }>("readUpTo")((db, arg) =>
  db
    .withRecursive("chain", (cte) =>
      cte
        .selectFrom("links")
        .select(["id", "parent"])
        .where("tenant", "=", arg("tenant"))
        .where("link", "=", arg("link"))
        .unionAll(
          cte.selectFrom("links").innerJoin("chain", "chain.parent", "links.id").select(["links.id", "links.parent"]),
        ),
    )
    .selectFrom("chain")
    .innerJoin("links", "links.id", "chain.id")
    .innerJoin("bodies", "bodies.id", "links.body")
    .select(["links.link", "links.role", "links.protocol", "links.member", "bodies.encoding", "bodies.content"])
    .orderBy("links.position"),
);

const readLinksUpTo = query<{ tenant: number; link: string }>("readLinksUpTo")((db, arg) =>
  db
    .withRecursive("chain", (cte) =>
      cte
        .selectFrom("links")
        .select(["id", "parent", "link", "position"])
        .where("tenant", "=", arg("tenant"))
        .where("link", "=", arg("link"))
        .unionAll(
          cte
            .selectFrom("links")
            .innerJoin("chain", "chain.parent", "links.id")
            .select(["links.id", "links.parent", "links.link", "links.position"]),
        ),
    )
    .selectFrom("chain")
    .select("chain.link")
    .orderBy("chain.position"),
);

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
  return rows.map(({ link: name, role, protocol, member, encoding, content }) => ({
    link: name,
    role: role as Role,
    body: textOf(runner, { encoding, content }),
    member,
    ...(protocol === null ? {} : { protocol }),
  }));
}

export function readLinks(runner: Runner, tenantName: string, link: string): readonly string[] {
  return runner.all(readLinksUpTo, { tenant: knownTenant(runner, tenantName), link }).map(({ link: name }) => name);
}

/** Chains whose links do not count up from their beginning; none unless the file was changed by somebody else. */
export const brokenLinks = query("brokenLinks")((db, _arg, sql) =>
  db
    .selectFrom("links")
    .leftJoin("links as parents", "parents.id", "links.parent")
    .select("links.link")
    .where(sql<boolean>`links.position <> coalesce(parents.position + 1, 0)`),
);
