/**
 * A path as the most obliging server may read it: percent-encoding taken off as often as it was put on, also where the
 * encoding itself is encoded. For comparing only: what goes on is the path as it came.
 */

/** Nobody encodes a path more often by accident; more is refused where it counts. */
const DECODINGS_MAX = 8;
const ENCODED_PERCENT = /%(?:25)+/g;
const ENCODED_ASCII = /%([0-7][0-9a-f])/gi;
const SEPARATORS = /[/\\]/;
/** A part that is `.` or `..`, also with what some servers cut off a part, or leave out, before they look at it. */
const DOT_SEGMENT = /^\.{1,2}(?:[;?#]|$)/;

/** Undefined where it is encoded more often than anybody does. */
export function plainPath(target: string): string | undefined {
  let [path = ""] = target.split(/[?#]/, 1);
  for (let decodings = 0; decodings <= DECODINGS_MAX; decodings++) {
    const next = path
      .replace(ENCODED_PERCENT, "%")
      .replace(ENCODED_ASCII, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (next === path) return path;
    path = next;
  }
  return undefined;
}

/**
 * Whether a part of the path is `.` or `..` to any server that may read it. Servers resolve such parts, some after
 * they decode the path, and would leave the upstream's base path by them.
 */
export function hasDotSegment(target: string): boolean {
  if (!target.includes(".") && !target.includes("%")) return false;
  const plain = plainPath(target);
  if (plain === undefined) return true;
  return plain
    .replace(/[\0-\x20]/g, "")
    .split(SEPARATORS)
    .some((segment) => DOT_SEGMENT.test(segment));
}
