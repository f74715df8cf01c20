/** Conversations: links that name the one before them, and sessions as the newest link of a line. */
import { bodyOf, memberOf } from "../body.ts";
import type { Appended, ChainAppend, SessionEntry, SessionsQuery, StoredMessage } from "../store.ts";
import type { TenantData, StoredLink, StoredSession } from "./tenant-data.ts";

export function append(data: TenantData, { links, messages, session: name }: ChainAppend, now: number): Appended {
  if (links.length === 0) return { added: 0, session: "" };
  const known = links.findLastIndex((link) => data.links.has(link)) + 1;
  let last = known === 0 ? undefined : data.links.get(links[known - 1]!);
  const session = sessionFor(data, { name, last, next: links[known], now });
  for (let at = known; at < links.length; at++) {
    const message = messages[at]!;
    const stored: StoredLink = {
      link: links[at]!,
      parent: last,
      position: at,
      session,
      role: message.role,
      protocol: message.wire?.protocol,
      member: memberOf(message),
      body: { form: "message", text: bodyOf(message) },
    };
    data.links.set(stored.link, stored);
    last = stored;
  }
  if (name !== undefined || known < links.length) session.head = last;
  session.updatedAt = now;
  return { added: links.length - known, session: session.id };
}

interface ChainPosition {
  readonly name: string | undefined;
  /** The last message that was known before. */
  readonly last: StoredLink | undefined;
  /** The first that was not. */
  readonly next: string | undefined;
  readonly now: number;
}

/** The session that a chain goes on with: the one it names, the one whose head it continues, or a new branch. */
function sessionFor(data: TenantData, { name, last, next, now }: ChainPosition): StoredSession {
  if (name === undefined && last !== undefined && (next === undefined || last.session.head === last))
    return last.session;
  const id = name ?? next!;
  const { sessions } = data;
  const standing = sessions.get(id);
  if (standing !== undefined && !(last !== undefined && mustMakeWay(data, standing, last.session))) return standing;
  const number = [...sessions.values()].reduce((most, one) => Math.max(most, one.number), 0) + 1;
  const session = {
    id,
    number,
    parent: last?.session,
    forkedAt: last,
    head: undefined,
    createdAt: now,
    updatedAt: now,
  };
  sessions.set(id, session);
  return session;
}

/**
 * Whether a name has moved on to a later conversation than the session that has it. That session then goes by its first
 * message, as sessions without a name do.
 */
function mustMakeWay({ sessions, links }: TenantData, session: StoredSession, onto: StoredSession): boolean {
  if (onto.number <= session.number) return false;
  const first = [...links.values()].find((one) => one.session === session);
  if (first === undefined) return false;
  sessions.delete(session.id);
  session.id = `${first.link}~${session.number}`;
  sessions.set(session.id, session);
  return true;
}

export function chainTo({ links }: TenantData, link: string): readonly StoredMessage[] {
  const chain: StoredMessage[] = [];
  for (let at = links.get(link); at !== undefined; at = at.parent) {
    const { role, protocol, body, member } = at;
    chain.push({ link: at.link, role, body: body.text, member, ...(protocol === undefined ? {} : { protocol }) });
  }
  return chain.toReversed();
}

export function linksTo({ links }: TenantData, link: string): readonly string[] {
  const chain: string[] = [];
  for (let at = links.get(link); at !== undefined; at = at.parent) chain.push(at.link);
  return chain.toReversed();
}

export function listSessions(
  { sessions }: TenantData,
  { limit, parent, prefix = "" }: SessionsQuery,
): readonly SessionEntry[] {
  return [...sessions.values()]
    .filter((session) => (parent === undefined || session.parent?.id === parent) && session.id.startsWith(prefix))
    .toReversed()
    .toSorted((a, b) => b.updatedAt - a.updatedAt)
    .slice(0, limit)
    .map(entryOf);
}

export function entryOf({ id, parent, forkedAt, head, createdAt, updatedAt }: StoredSession): SessionEntry {
  return {
    id,
    head: head!.link,
    messages: head!.position + 1,
    ...(parent === undefined ? {} : { parent: parent.id }),
    ...(forkedAt === undefined ? {} : { forkedAt: forkedAt.link }),
    createdAt,
    updatedAt,
  };
}
