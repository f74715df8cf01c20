/** What is deleted, and how much is left: the longest unused first, never what something younger stands on. */
import { piecesOf } from "../body.ts";
import type { Holdings, Retention } from "../store.ts";
import type { Shelf, StoredSession } from "./shelf.ts";

/** Something that can go by itself. */
interface Unit {
  readonly usedAt: number;
  readonly remove: () => void;
}

export function retain(shelves: readonly Shelf[], { before, maxBytes }: Retention): void {
  for (;;) {
    const oldest = shelves.flatMap(unitsOf).reduce<Unit | undefined>(older, undefined);
    if (oldest === undefined) return;
    const tooOld = before !== undefined && oldest.usedAt < before;
    const tooMuch = maxBytes !== undefined && holdingsOf(shelves).bytes > maxBytes;
    if (!tooOld && !tooMuch) return;
    oldest.remove();
  }
}

function older(a: Unit | undefined, b: Unit): Unit {
  return a === undefined || b.usedAt < a.usedAt ? b : a;
}

/** Sessions without branches; records and originals that belong to no stored chain. */
function unitsOf(shelf: Shelf): readonly Unit[] {
  const { sessions, links, records, originals } = shelf;
  const needed = new Set<StoredSession | undefined>();
  for (const session of sessions.values())
    for (const on of [session.parent, session.head?.session]) if (on !== session) needed.add(on);
  for (const { parent, session } of links.values()) if (parent?.session !== session) needed.add(parent?.session);
  const named = namedOriginals(shelf);
  return [
    ...[...sessions.values()]
      .filter((session) => !needed.has(session))
      .map((session) => ({ usedAt: session.updatedAt, remove: () => removeSession(shelf, session) })),
    ...[...records]
      .filter(([link]) => !links.has(link))
      .map(([link, { usedAt }]) => ({ usedAt, remove: () => removeRecords(shelf, [link]) })),
    ...[...originals]
      .filter(([id]) => !named.has(id))
      .map(([id, { createdAt }]) => ({ usedAt: createdAt, remove: () => void originals.delete(id) })),
  ];
}

function removeSession(shelf: Shelf, session: StoredSession): void {
  const { sessions, links, usages } = shelf;
  const gone = new Set([...links.values()].filter((one) => one.session === session).map(({ link }) => link));
  sessions.delete(session.id);
  for (const link of gone) links.delete(link);
  const left = usages.filter(({ link }) => !gone.has(link));
  usages.splice(0, usages.length, ...left);
  removeRecords(shelf, gone);
}

/** With the originals that only these records name. */
function removeRecords(shelf: Shelf, links: Iterable<string>): void {
  const before = namedOriginals(shelf);
  for (const link of links) shelf.records.delete(link);
  const after = namedOriginals(shelf);
  for (const id of before) if (!after.has(id)) shelf.originals.delete(id);
}

function namedOriginals({ records }: Shelf): ReadonlySet<string> {
  return new Set(
    [...records.values()].flatMap(({ all }) => all.flatMap(({ compaction }) => compaction.evicted.map(({ id }) => id))),
  );
}

export function holdingsOf(shelves: readonly Shelf[]): Holdings {
  const sum = (count: (shelf: Shelf) => number): number => shelves.reduce((total, shelf) => total + count(shelf), 0);
  const bodies = shelves.flatMap((shelf) => [...bodiesOf(shelf)]);
  return {
    sessions: sum(({ sessions }) => sessions.size),
    messages: sum(({ links }) => links.size),
    compactions: sum(({ records }) => [...records.values()].reduce((total, { all }) => total + all.length, 0)),
    originals: sum(({ originals }) => originals.size),
    bodies: bodies.length,
    bytes: bodies.reduce((total, [, text]) => total + Buffer.byteLength(text), 0),
  };
}

/** Each body once, by what it is kept under. */
function bodiesOf({ links, originals }: Shelf): ReadonlyMap<string, string> {
  const all = [
    ...[...links.values()].map(({ body }) => body),
    ...[...originals.values()].flatMap(({ original }) => piecesOf(original)),
  ];
  return new Map(all.map(({ form, text }) => [`${form} ${text}`, text]));
}
