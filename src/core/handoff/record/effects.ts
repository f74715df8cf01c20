/**
 * What a call of any tool did, in one line: the arguments that decide what is acted on, and what came of it. Where a result
 * is JSON and an earlier result showed the same thing, what changed between the two is the outcome.
 */
import { oneLine } from "../../digest/cut.ts";
import { clipped } from "../items.ts";

/** What the calls so far have shown of things that have an id, for comparing. */
export interface KnownThings {
  /**
   * How a result differs from what was known of the same thing, in words, without the values that are in `said` (the
   * arguments of the call); remembers the result.
   */
  readonly changesIn: (result: string, said?: string) => string | undefined;
  /** Remembers what a result shows. */
  readonly see: (shown: Shown | undefined) => void;
}

/** What a result in JSON shows. */
export interface Shown {
  /** Nothing where it has no id. */
  readonly name: string | undefined;
  readonly fields: number;
  /** None of a document without an id. */
  readonly leaves: Leaves;
}

/** What was shown, and can be forgotten. */
export interface LastingThings extends KnownThings {
  /** How many results showed things; `backTo` forgets those after. */
  readonly shown: () => number;
  readonly backTo: (shown: number) => void;
}

const LEAVES_MAX = 300;
const THINGS_MAX = 500;
const RESULT_CHARS_READ_MAX = 40_000;
const VALUE_CHARS_MAX = 60;
const CHANGES_MAX = 8;
const ID_KEY = /(?:^|_)id$|Id$|^(?:number|key|name|code)$/;

export type Leaves = ReadonlyMap<string, string>;

export function createKnownThings(): LastingThings {
  const known = new Map<string, Leaves>();
  const shown: { readonly name: string; readonly now: Leaves }[] = [];
  const remember = (name: string, now: Leaves): void => {
    known.delete(name);
    known.set(name, now);
    if (known.size > THINGS_MAX) known.delete(known.keys().next().value!);
  };
  const see = (one: Shown | undefined): void => {
    if (one?.name === undefined) return;
    shown.push({ name: one.name, now: one.leaves });
    remember(one.name, one.leaves);
  };
  return {
    shown: () => shown.length,
    backTo: (count) => {
      if (count === shown.length) return;
      shown.length = count;
      known.clear();
      for (const { name, now } of shown) remember(name, now);
    },
    see,
    changesIn: (result, said) => {
      const now = shownIn(result);
      const before = now?.name === undefined ? undefined : known.get(now.name);
      see(now);
      return now === undefined || before === undefined ? undefined : differences(before, now.leaves, said);
    },
  };
}

/** How a result differs from the newest of earlier ones that shows the same thing, in words; nothing where none does. */
export function changesSince(earlier: readonly string[], result: string): string | undefined {
  const now = shownIn(result);
  if (now?.name === undefined) return undefined;
  const value = now.name.slice(now.name.indexOf("=") + 1);
  for (let at = earlier.length - 1; at >= 0; at--) {
    const before = earlier[at]!.includes(value) ? shownIn(earlier[at]!) : undefined;
    if (before?.name === now.name) return differences(before.leaves, now.leaves);
  }
  return undefined;
}

export function shownIn(result: string): Shown | undefined {
  const value = parsed(result);
  if (value === undefined) return undefined;
  const fields = Object.entries(value);
  const id = fields.find(([key, one]) => ID_KEY.test(key) && typeof one !== "object");
  const name = id === undefined ? undefined : `${id[0]}=${String(id[1])}`;
  const isRead = name !== undefined || result.length <= THING_CHARS_MAX;
  return { name, fields: fields.length, leaves: isRead ? leavesOf(value) : NO_LEAVES };
}

const NO_LEAVES: Leaves = new Map();

/** More is a document. */
export const THING_CHARS_MAX = 1_500;
const THING_FIELDS_MIN = 3;
/** Shorter values are in any text. */
const KNOWN_CHARS_MIN = 4;

/** The values of a result that shows one thing, without those that are in `known`; nothing where it shows anything else. */
export function thingText(result: string, known = ""): string | undefined {
  return result.length > THING_CHARS_MAX ? undefined : valuesText(shownIn(result), known);
}

/** The values of one thing, its own before those of its parts. */
export function valuesText(shown: Shown | undefined, known = ""): string | undefined {
  if (shown === undefined || shown.fields < THING_FIELDS_MIN) return undefined;
  const leaves = [...shown.leaves]
    .filter(([, text]) => !stands(text, known))
    .toSorted(([a], [b]) => depthOf(a) - depthOf(b));
  if (leaves.length === 0) return undefined;
  const values = new Map<string, string[]>();
  for (const [path, text] of leaves) push(values, path.replace(/\[\d+\]/g, "[]"), text);
  return Array.from(values, ([place, own]) => `${place}: ${own.join(" | ")}`).join(", ");
}

function stands(value: string, said: string): boolean {
  return value.length >= KNOWN_CHARS_MIN && said.includes(value);
}

/** `cabin: business → economy, payments added: card_1 -6594, flights[].price: 1859 → 140 | 1679 → 101`. */
function differences(before: Leaves, now: Leaves, said = ""): string | undefined {
  const changes = new Map<string, string[]>();
  const added = new Map<string, string[]>();
  for (const [path, value] of now) {
    const was = before.get(path);
    if (was === value) continue;
    const list = was === undefined ? /^(.*)\[\d+\]/.exec(path)?.[1] : undefined;
    if (list === undefined)
      push(changes, path.replace(/\[\d+\]/g, "[]"), was === undefined ? value : `${was} → ${value}`);
    else if (!stands(value, said)) push(added, list, value);
  }
  const own = [...changes].toSorted(([a], [b]) => depthOf(a) - depthOf(b));
  const texts = [
    ...own.filter(([place]) => depthOf(place) === 1).map(([place, values]) => `${place}: ${values.join(" | ")}`),
    ...Array.from(added, ([list, values]) => `${list} added: ${values.join(" ")}`),
    ...own.filter(([place]) => depthOf(place) > 1).map(([place, values]) => `${place}: ${values.join(" | ")}`),
  ].slice(0, CHANGES_MAX);
  return texts.length === 0 ? undefined : texts.join(", ");
}

function push(lists: Map<string, string[]>, key: string, value: string): void {
  const own = lists.get(key);
  if (own === undefined) lists.set(key, [value]);
  else own.push(value);
}

function depthOf(path: string): number {
  return path.split(/[.[]/).length;
}

export type Fields = Readonly<Record<string, unknown>>;

export function parsed(text: string): Fields | undefined {
  const start = text.trimStart();
  if (!start.startsWith("{") || text.length > RESULT_CHARS_READ_MAX) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

/** `flights[0].price` → `1859`: a stack, because results can be nested deeper than the call stack is. */
export function leavesOf(root: Fields): Leaves {
  const leaves = new Map<string, string>();
  const stack: [string, unknown][] = [["", root]];
  while (stack.length > 0 && leaves.size < LEAVES_MAX) {
    const [path, value] = stack.pop()!;
    if (Array.isArray(value)) for (let at = value.length - 1; at >= 0; at--) stack.push([`${path}[${at}]`, value[at]]);
    else if (typeof value === "object" && value !== null)
      for (const [key, child] of Object.entries(value).toReversed())
        stack.push([path === "" ? key : `${path}.${key}`, child]);
    else leaves.set(path, oneLine(String(value), VALUE_CHARS_MAX));
  }
  return leaves;
}

/** `reservation_id=JG7FMM, cabin=economy`: the arguments of a call, the short ones first, within that many characters. */
export function argumentsWithin(raw: string): (charsMax: number) => string {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return (charsMax) => oneLine(raw, charsMax);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const text = valueText(value);
    return (charsMax) => oneLine(text, charsMax);
  }
  const entries = Object.entries(value).map(([key, one]) => ({
    key,
    text: valueText(one),
    isPlain: typeof one !== "object",
  }));
  const ordered = [...entries.filter(({ isPlain }) => isPlain), ...entries.filter(({ isPlain }) => !isPlain)];
  const named = ordered.map(({ key, text }) => `${key}=${text}`).join(", ");
  const values = ordered.map(({ text }) => text);
  // Where there is no room for the names of the arguments, their values mostly say what they are.
  return (charsMax) => (named.length <= charsMax ? named : firstWhole(values, charsMax));
}

/** The values that fit whole, as an id that is cut means nothing; prose is cut where there is room for some of it. */
function firstWhole(values: readonly string[], charsMax: number): string {
  let text = "";
  for (const value of values) {
    const lead = text === "" ? "" : ", ";
    const left = charsMax - text.length - lead.length - LEFT_OUT.length;
    if (value.length <= left) text += `${lead}${value}`;
    else if (left >= PROSE_CHARS_MIN && PROSE.test(value))
      return `${text}${lead}${clipped(value, left + LEFT_OUT.length)}`;
  }
  return text === "" ? clipped(values.join(", "), charsMax) : `${text}${LEFT_OUT}`;
}

const PROSE_CHARS_MIN = 30;
const PROSE = /^(?:\S{1,40}\s){4}\S/;
const LEFT_OUT = ", …";

/** JSON without the marks that only a parser needs. */
function valueText(value: unknown): string {
  if (typeof value === "string") return value.replace(/\s+/g, " ");
  const json = JSON.stringify(value) ?? "";
  return json.replaceAll('"', "").replaceAll(",", ", ").replaceAll(":", ": ");
}
