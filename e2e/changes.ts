/**
 * What a client changes in what it already sent: each request of a conversation is laid beside the one before it, message
 * by message, and the places that differ are named. A place is a path in the JSON with its numbers left out.
 */

export interface Change {
  /** For example `messages[].content[].cache_control`. */
  readonly place: string;
  readonly kind: "added" | "removed" | "changed" | "reordered" | "retyped" | "shorter" | "longer";
  /** How many messages from the end of the earlier request, 0 for its last one; absent beside the messages. */
  readonly fromEnd?: number;
  readonly before: string;
  readonly after: string;
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Fields = { readonly [key: string]: Json };

const SHOWN_CHARS = 60;

/** Every place where a later request says otherwise what an earlier one said; `list` is the name of its messages. */
export function changesBetween(earlier: string, later: string, list: string): readonly Change[] {
  const [before, after] = [JSON.parse(earlier) as Fields, JSON.parse(later) as Fields];
  const [old, next] = [listIn(before, list), listIn(after, list)];
  const found: Change[] = [];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
    if (key !== list) compare(before[key], after[key], { place: key, found });
  old.forEach((message, at) => compare(message, next[at], { place: `${list}[]`, found, fromEnd: old.length - 1 - at }));
  return found;
}

function listIn(body: Fields, list: string): readonly Json[] {
  const value = body[list];
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

interface Walk {
  readonly place: string;
  readonly found: Change[];
  readonly fromEnd?: number;
}

function compare(before: Json | undefined, after: Json | undefined, walk: Walk): void {
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  if (before === undefined) return note("added", before, after, walk);
  if (after === undefined) return note("removed", before, after, walk);
  if (Array.isArray(before) && Array.isArray(after)) {
    const [old, next] = [before as readonly Json[], after as readonly Json[]];
    if (old.length !== next.length) note(old.length < next.length ? "longer" : "shorter", before, after, walk);
    const common = Math.min(old.length, next.length);
    for (let at = 0; at < common; at++) compare(old[at], next[at], { ...walk, place: `${walk.place}[]` });
    return;
  }
  if (isFields(before) && isFields(after)) return compareFields(before, after, walk);
  note(
    typeof before === typeof after && Array.isArray(before) === Array.isArray(after) ? "changed" : "retyped",
    before,
    after,
    walk,
  );
}

function compareFields(before: Fields, after: Fields, walk: Walk): void {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const told = walk.found.length;
  for (const key of keys) compare(before[key], after[key], { ...walk, place: `${walk.place}.${key}` });
  if (walk.found.length === told) note("reordered", before, after, walk);
}

function isFields(value: Json): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function note(
  kind: Change["kind"],
  before: Json | undefined,
  after: Json | undefined,
  { place, found, fromEnd }: Walk,
): void {
  const shown = (value: Json | undefined): string =>
    value === undefined ? "" : JSON.stringify(value).slice(0, SHOWN_CHARS);
  found.push({
    place,
    kind,
    ...(fromEnd === undefined ? {} : { fromEnd }),
    before: shown(before),
    after: shown(after),
  });
}
