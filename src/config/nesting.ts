/** How deep a configuration may be nested. No setting needs more than a few levels, and whatever walks values may recurse. */
export const NESTING_LEVELS_MAX = 64;

/** Whether a value is nested too deep, as one that leads into itself is. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= NESTING_LEVELS_MAX; depth++) {
    const inside = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
    if (inside.length === 0) return false;
    // A value that is in several places is looked into once.
    level = [...new Set(inside)];
  }
  return true;
}
