/**
 * What data from outside looks like, field by field: types hold what is compiled with us, not what a plugin, a file or
 * another version hands over. The error names the place.
 */

/** Throws a `ShapeError` where a value is not what it should be; `place` says where it is. */
export type Shape = (value: unknown, place: string) => void;

export class ShapeError extends Error {
  override readonly name = "ShapeError";
  readonly place: string;

  constructor(place: string, text: string) {
    super(`${place} ${text}`);
    this.place = place;
  }
}

/** Throws unless the condition holds; `text` goes on from the place. */
export function hold(holds: boolean, place: string, text: () => string): asserts holds {
  if (!holds) throw new ShapeError(place, text());
}

export const isA =
  (holds: (value: unknown) => boolean, what: string): Shape =>
  (value, place) =>
    hold(holds(value), place, () => `is ${shown(value)}, not ${what}`);

export const text = isA((value) => typeof value === "string", "a text");
export const figure = isA((value) => Number.isFinite(value), "a number");
export const index = isA((value) => Number.isSafeInteger(value) && (value as number) >= 0, "a whole number");
export const anything: Shape = () => undefined;

export function oneOf(...values: readonly (string | number | boolean)[]): Shape {
  return isA((value) => values.includes(value as string), values.map((one) => JSON.stringify(one)).join(" or "));
}

export function maybe(shape: Shape): Shape {
  return (value, place) => void (value === undefined || shape(value, place));
}

export function listOf(item: Shape): Shape {
  return (value, place) => {
    hold(Array.isArray(value), place, () => `is ${shown(value)}, not a list`);
    hold(Object.keys(value).length === value.length, place, () => "has holes");
    value.forEach((one, at) => item(one, `${place}[${at}]`));
  };
}

export function record(fields: Readonly<Record<string, Shape>>): Shape {
  return (value, place) => {
    hold(isRecord(value), place, () => `is ${shown(value)}, not an object`);
    for (const [name, shape] of Object.entries(fields)) shape(value[name], `${place}.${name}`);
  };
}

/** One of several records, distinguished by their `kind`. */
export function kinds(variants: Readonly<Record<string, Shape>>): Shape {
  const kind = oneOf(...Object.keys(variants));
  return (value, place) => {
    hold(isRecord(value), place, () => `is ${shown(value)}, not an object`);
    kind(value["kind"], `${place}.kind`);
    variants[value["kind"] as string]!(value, place);
  };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const SHOWN_CHARS_MAX = 40;

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, SHOWN_CHARS_MAX));
  if (Array.isArray(value)) return "a list";
  if (value === undefined) return "missing";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
