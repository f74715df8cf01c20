/**
 * How deep values from outside may be nested: whatever walks them may then recurse. No setting needs more than a few levels, and
 * no call or result that means anything needs hundreds.
 */
export const NESTING_LEVELS_MAX = 64;
export const JSON_LEVELS_MAX = 256;

/** Whether a value is nested too deep, as one that leads into itself is. */
export function isTooDeep(value: unknown, levelsMax = NESTING_LEVELS_MAX): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 0; depth <= levelsMax; depth++) {
    if (level.length === 0) return false;
    // A value that is in several places is looked into once.
    level = [...new Set(level.flatMap((one) => Object.values(one).filter(isContainer)))];
  }
  return true;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** What a JSON text says. @throws SyntaxError for one that is malformed, and for one that is nested too deep. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Each level takes two characters.
  if (text.length > 2 * JSON_LEVELS_MAX && isTooDeep(value, JSON_LEVELS_MAX))
    throw new SyntaxError(`JSON nested deeper than ${JSON_LEVELS_MAX} levels`);
  return value;
}
