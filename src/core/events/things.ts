/**
 * What a result in JSON shows of a thing that has an id: its values, and, where an earlier result showed the same thing, what changed
 * between the two. A value that was replaced is known as replaced where one thing shows both.
 */
import { oneLine } from "../digest/cut.ts";

/** The values that stand at one place of a result. */
interface Fact {
  readonly place: string;
  /** Each as it is now, with what it was before where that is another. */
  readonly values: readonly FactValue[];
  /** What separates them. */
  readonly separator: " | " | " ";
}

interface FactValue {
  readonly now: string;
  readonly was?: string;
}

/** What a result in JSON shows. */
interface Shown {
  /** Nothing where it has no id. */
  readonly name: string | undefined;
  readonly fields: number;
  /** None of a document without an id. */
  readonly leaves: Leaves;
}

/** What the results so far have shown of things that have an id. */
export interface KnownThings {
  /** How a result differs from what was known of the same thing, in words; remembers the result. */
  readonly changesIn: (result: string) => string | undefined;
}

const LEAVES_MAX = 300;
const THINGS_MAX = 500;
const RESULT_CHARS_READ_MAX = 40_000;
const VALUE_CHARS_MAX = 60;
const CHANGES_MAX = 8;
const ID_KEY = /(?:^|_)id$|Id$/;

type Leaves = ReadonlyMap<string, string>;

export function createKnownThings(): KnownThings {
  const known = new Map<string, Leaves>();
  return {
    changesIn: (result) => {
      const now = shownIn(result);
      if (now?.name === undefined) return undefined;
      const before = known.get(now.name);
      known.delete(now.name);
      known.set(now.name, now.leaves);
      if (known.size > THINGS_MAX) known.delete(known.keys().next().value!);
      const changes = before === undefined ? undefined : differences(before, now.leaves);
      return changes === undefined ? undefined : factsText(changes);
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

function shownIn(result: string): Shown | undefined {
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
const THING_CHARS_MAX = 1_500;
const THING_FIELDS_MIN = 3;

/** All values of a document in JSON, each with its place: `progress.answer: true, next.speaker: WebSurfer`. */
export function valuesIn(text: string): string | undefined {
  const value = parsed(text);
  if (value === undefined) return undefined;
  return Array.from(leavesOf(value, VALUE_CHARS_WHOLE), ([path, leaf]) => `${path}: ${leaf}`).join(", ");
}

const VALUE_CHARS_WHOLE = 2_000;

/** The values of a result that shows one thing; nothing where it shows anything else. */
export function thingText(result: string): string | undefined {
  const shown = result.length > THING_CHARS_MAX ? undefined : shownIn(result);
  if (shown === undefined || shown.fields < THING_FIELDS_MIN || shown.leaves.size === 0) return undefined;
  const values = new Map<string, FactValue[]>();
  for (const [path, text] of shown.leaves) push(values, path.replace(/\[\d+\]/g, "[]"), { now: text });
  return factsText(Array.from(values, factOf));
}

function factOf([place, values]: readonly [string, readonly FactValue[]]): Fact {
  return { place, values, separator: " | " };
}

function factsText(facts: readonly Fact[]): string {
  return facts.map(({ place, values, separator }) => `${place}: ${values.map(valueOf).join(separator)}`).join(", ");
}

/** What a long text was is left out: where not all fits, it would be what stays. */
function valueOf({ now, was }: FactValue): string {
  if (was === undefined) return now;
  return `${was.length > REPLACED_CHARS_MAX ? "…" : was} → ${now}`;
}

const REPLACED_CHARS_MAX = 32;

/** `cabin: business → economy, payments added: card_1 -6594, flights[].price: 1859 → 140 | 1679 → 101`. */
function differences(before: Leaves, now: Leaves): readonly Fact[] | undefined {
  const changes = new Map<string, FactValue[]>();
  const added = new Map<string, FactValue[]>();
  for (const [path, value] of now) {
    const was = before.get(path);
    if (was === value) continue;
    const list = was === undefined ? /^(.*)\[\d+\]/.exec(path)?.[1] : undefined;
    if (list === undefined)
      push(changes, path.replace(/\[\d+\]/g, "[]"), was === undefined ? { now: value } : { now: value, was });
    else push(added, list, { now: value });
  }
  const facts = [
    ...Array.from(changes, factOf),
    ...Array.from(added, ([list, values]): Fact => ({ place: `${list} added`, values, separator: " " })),
  ].slice(0, CHANGES_MAX);
  return facts.length === 0 ? undefined : facts;
}

function push<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const own = lists.get(key);
  if (own === undefined) lists.set(key, [value]);
  else own.push(value);
}

type Fields = Readonly<Record<string, unknown>>;

function parsed(text: string): Fields | undefined {
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
function leavesOf(root: Fields, charsMax = VALUE_CHARS_MAX): Leaves {
  const leaves = new Map<string, string>();
  const stack: [string, unknown][] = [["", root]];
  while (stack.length > 0 && leaves.size < LEAVES_MAX) {
    const [path, value] = stack.pop()!;
    if (Array.isArray(value)) for (let at = value.length - 1; at >= 0; at--) stack.push([`${path}[${at}]`, value[at]]);
    else if (typeof value === "object" && value !== null)
      for (const [key, child] of Object.entries(value).toReversed())
        stack.push([path === "" ? key : `${path}.${key}`, child]);
    else leaves.set(path, oneLine(String(value), charsMax));
  }
  return leaves;
}

/** `reservation_id=JG7FMM, cabin=economy`: the arguments of a call in one line. */
export function argumentsIn(raw: string): string {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return raw;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return valueText(value);
  return Object.entries(value)
    .map(([key, one]) => `${key}=${valueText(one)}`)
    .join(", ");
}

/** JSON without the marks that only a parser needs. */
function valueText(value: unknown): string {
  if (typeof value === "string") return value.replace(/\s+/g, " ");
  const json = JSON.stringify(value) ?? "";
  return json.replaceAll('"', "").replaceAll(",", ", ").replaceAll(":", ": ");
}
