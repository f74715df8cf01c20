/** Splits a transcript into runs: stretches that are written together because they came from the same bytes, or must share a message. */
import { isSame, type Content, type Message, type WireSlice } from "../core/transcript/message.ts";
import type { Dialect, Entry, Run } from "./dialect.ts";

/** The bytes a message has in this protocol's list; a system prompt from a request's own member has none there. */
export function listSlice(dialect: Dialect, message: Message): WireSlice | undefined {
  const slice = message.wire?.protocol === dialect.name ? message.wire : undefined;
  return slice?.ofSystem === true ? undefined : slice;
}

/** The bytes a system message has in the request's own member. */
export function keySlice(dialect: Dialect, message: Message): WireSlice | undefined {
  const slice = message.wire?.protocol === dialect.name ? message.wire : undefined;
  return slice?.ofSystem === true ? slice : undefined;
}

export function runsOf(dialect: Dialect, messages: readonly Message[]): Run[] {
  const runs: { slice: WireSlice | undefined; entries: Entry[]; next: number }[] = [];
  const indexOf = memberFinder();
  for (const message of messages) {
    const slice = listSlice(dialect, message);
    const run = runs.at(-1);
    const follows = slice !== undefined && run?.slice === slice ? indexOf(slice, message, run.next) : -1;
    if (follows >= 0 && run !== undefined) {
      run.entries.push({ message, member: slice!.members[follows] });
      run.next = follows + 1;
      continue;
    }
    const found = slice === undefined ? -1 : indexOf(slice, message, 0);
    const own = found >= 0 ? slice : undefined;
    const entry = { message, member: own?.members[found] };
    const attaches =
      run !== undefined &&
      (run.slice === undefined || own === undefined) &&
      dialect.attaches(run, message, own !== undefined);
    if (attaches) {
      run.entries.push(entry);
      if (own !== undefined) Object.assign(run, { slice: own, next: found + 1 });
    } else runs.push({ slice: own, entries: [entry], next: found + 1 });
  }
  return runs;
}

/**
 * Finds which member of its slice a message is, or was before an edit: the next one that says the same, else the next of
 * its role that answers the same call. -1 when there is none from `from` on.
 */
function memberFinder(): (slice: WireSlice, message: Message, from: number) => number {
  const known = new Map<WireSlice, ReadonlyMap<string, readonly number[]>>();
  return (slice, message, from) => {
    const { members } = slice;
    const next = members[from];
    if (next !== undefined && isSame(message, next)) return from;
    let places = known.get(slice);
    if (places === undefined) known.set(slice, (places = placesOf(members)));
    const alike = (places.get(likenessOf(message)) ?? []).filter((at) => at >= from);
    return alike.find((at) => isSame(message, members[at]!)) ?? alike[0] ?? -1;
  };
}

function placesOf(members: readonly Content[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  members.forEach((member, at) => {
    const key = likenessOf(member);
    const list = places.get(key);
    if (list === undefined) places.set(key, [at]);
    else list.push(at);
  });
  return places;
}

/** What an edit leaves alone: the role, and the call that a result answers. */
function likenessOf({ role, parts }: Content): string {
  const [first] = parts;
  return first?.kind === "tool-result" ? `${role} ${first.callId}` : role;
}

/** Whether a run is all of its slice, as it was decoded. */
export function isWhole({ slice, entries }: Run): boolean {
  if (slice === undefined || entries.length !== slice.members.length) return false;
  return entries.every(({ message, member }, at) => member === slice.members[at] && isSame(message, member!));
}
