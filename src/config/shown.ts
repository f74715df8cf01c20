/** A stated value as a message quotes it: short, and as its source would write it. */

const SHOWN_CHARS_MAX = 60;

/** In an address, between the user and the host. */
const PASSWORD = /(:\/\/[^/\s@:]*):[^/\s@]*@/g;

export function shown(value: unknown): string {
  const text =
    value === undefined
      ? "an alias that cannot be followed"
      : typeof value === "number"
        ? String(value)
        : (JSON.stringify(value) ?? `a ${typeof value}`);
  const safe = text.replace(PASSWORD, "$1:…@");
  return safe.length > SHOWN_CHARS_MAX ? `${safe.slice(0, SHOWN_CHARS_MAX)}…` : safe;
}
