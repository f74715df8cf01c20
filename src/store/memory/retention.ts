/** What is deleted, and how much is left: the longest unused first, never what something younger is on. */
import { piecesOf } from "../body.ts";
import type { Holdings, Retention } from "../store.ts";
import type { TenantData, StoredSession } from "./tenant-data.ts";

/** Something that can go by itself. */
interface Unit {
  readonly usedAt: number;
  /** An original that belongs to no stored conversation. */
  readonly isLoose?: true;
  readonly remove: () => void;
}

export function retain(
  shelves: readonly TenantData[],
  { before, maxBytes = Infinity, maxFileBytes = Infinity, looseBefore = -Infinity }: Retention,
): void {
  const most = Math.min(maxBytes, maxFileBytes);
  for (;;) {
    const units = shelves.flatMap(unitsOf);
    const oldest = units.reduce<Unit | undefined>(older, undefined);
    if (oldest === undefined) return;
    const tooOld = before !== undefined && oldest.usedAt < before;
    const tooMuch = most < Infinity && holdingsOf(shelves).bytes > most;
    if (!tooOld && !tooMuch) return;
    const loose = units.filter(({ usedAt, isLoose }) => isLoose === true && usedAt < looseBefore);
    (tooOld ? oldest : (loose.reduce<Unit | undefined>(older, undefined) ?? oldest)).remove();
  }
}

function older(a: Unit | undefined, b: Unit): Unit {
  return a === undefined || b.usedAt < a.usedAt ? b : a;
}

/** Sessions without branches; records, originals and states that belong to no stored chain. */
function unitsOf(data: TenantData): readonly Unit[] {
  const { sessions, links, records, originals, states } = data;
  const needed = new Set<StoredSession | undefined>();
  for (const session of sessions.values())
    for (const on of [session.parent, session.head?.session]) if (on !== session) needed.add(on);
  for (const { parent, session } of links.values()) if (parent?.session !== session) needed.add(parent?.session);
  const named = namedOriginals(data);
  return [
    ...[...sessions.values()]
      .filter((session) => !needed.has(session))
      .map((session) => ({ usedAt: session.updatedAt, remove: () => removeSession(data, session) })),
    ...[...records]
      .filter(([link]) => !links.has(link))
      .map(([link, { usedAt }]) => ({ usedAt, remove: () => removeRecords(data, [link]) })),
    ...[...originals]
      .filter(([id]) => !named.has(id))
      .map(([id, { createdAt }]) => ({
        usedAt: createdAt,
        isLoose: true as const,
        remove: () => void originals.delete(id),
      })),
    ...[...states]
      .filter(([root]) => !links.has(linkOf(root)))
      .map(([root, { updatedAt }]) => ({ usedAt: updatedAt, remove: () => void states.delete(root) })),
  ];
}

/** Without what comes before a colon. */
function linkOf(root: string): string {
  return root.slice(root.indexOf(":") + 1);
}

/** Sessions by id, and all that are on one of them, the newest first. */
export function standingOn({ sessions, links }: TenantData, ids: readonly string[]): readonly StoredSession[] {
  const all = [...sessions.values()].toSorted((a, b) => a.number - b.number);
  const on = new Map(all.map((one) => [one, new Set([one.parent, one.head?.session])]));
  for (const { session, parent } of links.values()) on.get(session)?.add(parent?.session);
  const found = new Set<StoredSession | undefined>();
  // A session depends only on earlier ones.
  const standing = all.filter((one) => {
    const stands = ids.includes(one.id) || [...on.get(one)!].some((under) => under !== one && found.has(under));
    if (stands) found.add(one);
    return stands;
  });
  return standing.toReversed();
}

export function deleteSessions(data: TenantData, ids: readonly string[]): readonly string[] {
  const gone = standingOn(data, ids);
  for (const session of gone) removeSession(data, session);
  return gone.map(({ id }) => id);
}

function removeSession(data: TenantData, session: StoredSession): void {
  const { sessions, links, usages, states } = data;
  const gone = new Set([...links.values()].filter((one) => one.session === session).map(({ link }) => link));
  sessions.delete(session.id);
  for (const link of gone) links.delete(link);
  for (const root of states.keys()) if (gone.has(linkOf(root))) states.delete(root);
  const left = usages.filter(({ link }) => !gone.has(link));
  usages.length = 0;
  for (const usage of left) usages.push(usage);
  removeRecords(data, gone);
}

/** With the originals that only these records name. */
function removeRecords(data: TenantData, links: Iterable<string>): void {
  const before = namedOriginals(data);
  for (const link of links) data.records.delete(link);
  const after = namedOriginals(data);
  for (const id of before) if (!after.has(id)) data.originals.delete(id);
}

function namedOriginals({ records }: TenantData): ReadonlySet<string> {
  return new Set(
    [...records.values()].flatMap(({ all }) => all.flatMap(({ compaction }) => compaction.evicted.map(({ id }) => id))),
  );
}

const encoder = new TextEncoder();

export function holdingsOf(shelves: readonly TenantData[]): Holdings {
  const sum = (count: (data: TenantData) => number): number => shelves.reduce((total, data) => total + count(data), 0);
  const bodies = shelves.flatMap((data) => [...bodiesOf(data)]);
  return {
    sessions: sum(({ sessions }) => sessions.size),
    messages: sum(({ links }) => links.size),
    compactions: sum(({ records }) => [...records.values()].reduce((total, { all }) => total + all.length, 0)),
    originals: sum(({ originals }) => originals.size),
    bodies: bodies.length,
    bytes: bodies.reduce((total, [, text]) => total + encoder.encode(text).length, 0),
  };
}

/** Without looking for what is there twice. */
export function sizeOf(shelves: readonly TenantData[]): number {
  let size = 0;
  for (const { links, originals } of shelves) {
    for (const { body } of links.values()) size += body.text.length;
    for (const { original } of originals.values()) size += original.text.length;
  }
  return size;
}

/** Each body once, by what it is kept under. */
function bodiesOf({ links, originals }: TenantData): ReadonlyMap<string, string> {
  const all = [
    ...[...links.values()].map(({ body }) => body),
    ...[...originals.values()].flatMap(({ original }) => piecesOf(original)),
  ];
  return new Map(all.map(({ form, text }) => [`${form} ${text}`, text]));
}
