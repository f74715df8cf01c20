/** A stated value as a message quotes it: short, and as its source would write it. */

const SHOWN_CHARS_MAX = 60;

export function shown(value: unknown): string {
  const text =
    value === undefined
      ? "an alias that cannot be followed"
      : typeof value === "number"
        ? String(value)
        : (JSON.stringify(value) ?? `a ${typeof value}`);
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
}
