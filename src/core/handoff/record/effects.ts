/**
 * What a call of any tool did, in one line: the arguments that decide what is acted on, and what came of it. Where a result
 * is JSON and an earlier result showed the same thing, what changed between the two is the outcome.
 */
import { oneLine } from "../../digest/cut.ts";
import { saysRefusal } from "../../ledger/readers/refusals.ts";
import { clipped } from "../items.ts";
import { factsText, type Fact, type FactValue } from "./facts.ts";

/** What the calls so far have shown of things that have an id, for comparing. */
export interface KnownThings {
  /**
   * How a result differs from what was known of the same thing, without the values that are in `said` (the arguments of
   * the call); remembers the result.
   */
  readonly changesIn: (result: string, said?: string) => readonly Fact[] | undefined;
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
    if (before?.name !== now.name) continue;
    const changes = differences(before.leaves, now.leaves);
    return changes === undefined ? undefined : factsText(changes);
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

/** The values of a result that shows one thing; nothing where it shows anything else. */
export function thingText(result: string): string | undefined {
  const facts = thingFacts(result);
  return facts === undefined ? undefined : factsText(facts);
}

interface ThingOptions {
  /** What need not be said again. */
  readonly known?: string;
  /** With fewer, nothing is said. */
  readonly fieldsMin?: number;
}

/** The same, each place with its values. */
export function thingFacts(result: string, options?: ThingOptions): readonly Fact[] | undefined {
  return result.length > THING_CHARS_MAX ? undefined : factsOf(shownIn(result), options);
}

/** The values of one thing: what says that something did not work, then its own before those of its parts. */
export function factsOf(
  shown: Shown | undefined,
  { known = "", fieldsMin = THING_FIELDS_MIN }: ThingOptions = {},
): readonly Fact[] | undefined {
  if (shown === undefined || shown.fields < fieldsMin) return undefined;
  const leaves = [...shown.leaves]
    .filter(([, text]) => !stands(text, known))
    .toSorted(([a], [b]) => depthOf(a) - depthOf(b));
  if (leaves.length === 0) return undefined;
  const values = new Map<string, FactValue[]>();
  for (const [path, text] of leaves) push(values, path.replace(/\[\d+\]/g, "[]"), { now: text });
  return refusalsFirst(Array.from(values, factOf));
}

function factOf([place, values]: readonly [string, readonly FactValue[]]): Fact {
  return { place, values, separator: " | " };
}

function refusalsFirst(facts: readonly Fact[]): readonly Fact[] {
  const refusals = facts.filter(refuses);
  return refusals.length === 0 ? facts : [...refusals, ...facts.filter((fact) => !refuses(fact))];
}

function refuses({ place, values }: Fact): boolean {
  return values.some((value) => saysRefusal(place, value.now));
}

function stands(value: string, said: string): boolean {
  return value.length >= KNOWN_CHARS_MIN && said.includes(value);
}

/** `cabin: business → economy, payments added: card_1 -6594, flights[].price: 1859 → 140 | 1679 → 101`. */
function differences(before: Leaves, now: Leaves, said = ""): readonly Fact[] | undefined {
  const changes = new Map<string, FactValue[]>();
  const added = new Map<string, FactValue[]>();
  for (const [path, value] of now) {
    const was = before.get(path);
    if (was === value) continue;
    const list = was === undefined ? /^(.*)\[\d+\]/.exec(path)?.[1] : undefined;
    if (list === undefined)
      push(changes, path.replace(/\[\d+\]/g, "[]"), was === undefined ? { now: value } : { now: value, was });
    else if (!stands(value, said)) push(added, list, { now: value });
  }
  const own = [...changes].toSorted(([a], [b]) => depthOf(a) - depthOf(b)).map(factOf);
  const facts = [
    ...own.filter(({ place }) => depthOf(place) === 1),
    ...Array.from(added, ([list, values]): Fact => ({ place: `${list} added`, values, separator: " " })),
    ...own.filter(({ place }) => depthOf(place) > 1),
  ].slice(0, CHANGES_MAX);
  return facts.length === 0 ? undefined : refusalsFirst(facts);
}

function push<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
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
  let isGap = false;
  for (const value of values) {
    const lead = text === "" ? "" : isGap ? `${LEFT_OUT}, ` : ", ";
    const left = charsMax - text.length - lead.length - LEFT_OUT.length;
    if (value.length <= left) {
      text += `${lead}${value}`;
      isGap = false;
    } else if (left >= PROSE_CHARS_MIN && PROSE.test(value))
      return `${text}${lead}${clipped(value, left + LEFT_OUT.length)}`;
    else isGap = true;
  }
  return text === "" ? clipped(values.join(", "), charsMax) : `${text}${isGap ? LEFT_OUT : ""}`;
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
