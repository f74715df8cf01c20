/** What is deleted, and how much is left: the longest unused first, never what something younger is on. */
import { keptWith } from "../../core/kept.ts";
import { piecesOf, type Body } from "../body.ts";
import type { Holdings, Retention } from "../store.ts";
import type { TenantData, StoredSession } from "./tenant-data.ts";

/** Something that can go by itself. */
interface Unit {
  readonly usedAt: number;
  /** Of its bodies, also those that others hold too. */
  readonly bytes: number;
  /** An original that belongs to no stored conversation. */
  readonly isLoose?: true;
  readonly session?: StoredSession;
  readonly link?: string;
  readonly original?: string;
  readonly root?: string;
}

interface Placed {
  readonly data: TenantData;
  readonly unit: Unit;
}

/** What went may set free what is older than the rest: of many, so large a part goes before they are looked at again. */
const ROUND_PART = 16;

export function retain(
  shelves: readonly TenantData[],
  {
    before = -Infinity,
    maxBytes = Infinity,
    maxFileBytes = Infinity,
    looseBefore = -Infinity,
    looseOnly = false,
  }: Retention,
): void {
  const most = Math.min(maxBytes, maxFileBytes);
  for (;;) {
    const units = shelves.flatMap((data) =>
      unitsOf(data)
        .filter(({ session, root }) => !looseOnly || (session === undefined && root === undefined))
        .map((unit): Placed => ({ data, unit })),
    );
    units.sort((a, b) => a.unit.usedAt - b.unit.usedAt);
    const tooOld = units.filter(({ unit }) => unit.usedAt < before);
    const tooMuch = most === Infinity ? 0 : bytesOf(shelves) - most;
    if (tooOld.length === 0 && tooMuch <= 0) return;
    const isLoose = ({ unit }: Placed): boolean => unit.isLoose === true && unit.usedAt < looseBefore;
    const inOrder = [...units.filter(isLoose), ...units.filter((one) => !isLoose(one))];
    const part = inOrder.slice(0, Math.ceil(units.length / ROUND_PART));
    const going = tooOld.length > 0 ? tooOld : weighing(part, tooMuch);
    if (going.length === 0) return;
    for (const [data, gone] of Map.groupBy(going, (one) => one.data)) remove(data, gone);
  }
}

/** The first of them that weigh so much together, or all. */
function weighing(units: readonly Placed[], bytes: number): readonly Placed[] {
  let left = bytes;
  const last = units.findIndex(({ unit }) => (left -= unit.bytes) <= 0);
  return last < 0 ? units : units.slice(0, last + 1);
}

/** Sessions without branches; records, originals and states that belong to no stored chain. */
function unitsOf(data: TenantData): readonly Unit[] {
  const { sessions, links, records, originals, states } = data;
  const needed = new Set<StoredSession | undefined>();
  for (const session of sessions.values())
    for (const on of [session.parent, session.head?.session]) if (on !== session) needed.add(on);
  const sizes = new Map<StoredSession, number>();
  for (const { parent, session, body } of links.values()) {
    if (parent?.session !== session) needed.add(parent?.session);
    sizes.set(session, (sizes.get(session) ?? 0) + sizeOfBody(body));
  }
  for (const [link, { all }] of records) {
    const session = links.get(link)?.session;
    const ids = all.flatMap(({ compaction }) => compaction.evicted.map(({ id }) => id));
    const named = ids.flatMap((id) => originals.get(id)?.original ?? []);
    const bytes = named.reduce((sum, original) => sum + sizeOfBody(original), 0);
    if (session !== undefined) sizes.set(session, (sizes.get(session) ?? 0) + bytes);
  }
  const named = namedOriginals(data);
  return [
    ...[...sessions.values()]
      .filter((session) => !needed.has(session))
      .map((session) => ({ usedAt: session.updatedAt, bytes: sizes.get(session) ?? 0, session })),
    ...[...records].filter(([link]) => !links.has(link)).map(([link, { usedAt }]) => ({ usedAt, bytes: 0, link })),
    ...[...originals]
      .filter(([id]) => !named.has(id))
      .map(([id, { createdAt, original }]) => {
        return { usedAt: createdAt, bytes: sizeOfBody(original), isLoose: true as const, original: id };
      }),
    ...[...states]
      .filter(([root]) => !links.has(linkOf(root)))
      .map(([root, { updatedAt }]) => ({ usedAt: updatedAt, bytes: 0, root })),
  ];
}

function remove(data: TenantData, gone: readonly Placed[]): void {
  const units = gone.map(({ unit }) => unit);
  removeSessions(
    data,
    units.flatMap(({ session = [] }) => session),
  );
  removeRecords(
    data,
    units.flatMap(({ link = [] }) => link),
  );
  for (const { original, root } of units) {
    if (original !== undefined) data.originals.delete(original);
    if (root !== undefined) data.states.delete(root);
  }
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
  removeSessions(data, gone);
  return gone.map(({ id }) => id);
}

function removeSessions(data: TenantData, removed: readonly StoredSession[]): void {
  if (removed.length === 0) return;
  const { sessions, links, usages, states } = data;
  const all = new Set(removed);
  const gone = new Set([...links.values()].filter(({ session }) => all.has(session)).map(({ link }) => link));
  for (const { id } of removed) sessions.delete(id);
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

const sizeOfBody = keptWith(({ text }: Pick<Body, "text">) => encoder.encode(text).length);

/** Whether a tenant has nothing left. */
export function isEmpty({ sessions, links, records, originals, usages, states }: TenantData): boolean {
  return [sessions, links, records, originals, states].every(({ size }) => size === 0) && usages.length === 0;
}

export function holdingsOf(shelves: readonly TenantData[]): Holdings {
  const sum = (count: (data: TenantData) => number): number => shelves.reduce((total, data) => total + count(data), 0);
  return {
    sessions: sum(({ sessions }) => sessions.size),
    messages: sum(({ links }) => links.size),
    compactions: sum(({ records }) => [...records.values()].reduce((total, { all }) => total + all.length, 0)),
    originals: sum(({ originals }) => originals.size),
    bodies: sum((data) => bodiesOf(data).length),
    bytes: bytesOf(shelves),
  };
}

function bytesOf(shelves: readonly TenantData[]): number {
  return shelves.flatMap(bodiesOf).reduce((total, body) => total + sizeOfBody(body), 0);
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
function bodiesOf({ links, originals }: TenantData): readonly Body[] {
  const all = [
    ...[...links.values()].map(({ body }) => body),
    ...[...originals.values()].flatMap(({ original }) => piecesOf(original)),
  ];
  const forms = Map.groupBy(all, ({ form }) => form);
  return [...forms.values()].flatMap((bodies) => [...new Map(bodies.map((body) => [body.text, body])).values()]);
}
