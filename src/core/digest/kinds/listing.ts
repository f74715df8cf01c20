/** A listing of files: how many, in which folders, of which types, and a sample; entries the task names come first. */
import type { Page } from "../page.ts";
import { sharedFolder, inTurns, plural, range, type DigestContent, type DigestContentRequest } from "../short.ts";

const FOLDERS_NOTED_MAX = 4;
/** Shorter listings speak for themselves. */
const NOTED_ENTRIES_MIN = 40;
const TYPES_NOTED_MAX = 6;
const TYPE_CHARS_MAX = 8;
/** What `ls -l` and trees put in front of the name. */
const DECORATION = /^[dlcbsp-][rwxsStT-]{9}[.@+]?\s+\d+\s+\S+\s+\S+\s+\S+\s+\S+\s+\S+\s+\S+\s+|^[\s│├└─|`-]+/;
const NO_ENTRY = /^(?:|total \d+|\.{1,2})$/;
const LINE_CHARS_SCANNED = 400;

export function shortListing(page: Page, { focus }: DigestContentRequest): DigestContent {
  const names = readNames(page);
  const entries = range(0, names.length).filter((number) => names[number] !== "");
  const shared = sharedFolder(entries.map((number) => names[number]!));
  const folders = new Map<string, number[]>();
  for (const number of entries) {
    const folder = names[number]!.slice(shared.length, names[number]!.lastIndexOf("/") + 1);
    const list = folders.get(folder);
    if (list === undefined) folders.set(folder, [number]);
    else list.push(number);
  }
  const types = countBy(entries, (number) => inferType(names[number]!));
  const perFolder = new Map([...folders].map(([folder, list]) => [folder === "" ? "./" : folder, list.length]));
  const noted = folders.size > 2 && entries.length >= NOTED_ENTRIES_MIN;
  return {
    facts: [plural(entries.length, "entry"), most(types, TYPES_NOTED_MAX)],
    notes: noted ? [`(${most(perFolder, FOLDERS_NOTED_MAX)})`] : [],
    lines: [...focus.filter((number) => names[number] !== ""), ...inTurns([...folders.values()])],
    under: (number) => ({ heading: shared === "" ? "" : `${shared}:`, text: names[number]!.slice(shared.length) }),
    gaps: false,
  };
}

/** The path on each line, empty where there is none; `ls -R` says a folder once, above its entries. */
function readNames(page: Page): readonly string[] {
  let folder = "";
  return page.lines.map((line) => {
    const name = line.slice(0, LINE_CHARS_SCANNED).replace(DECORATION, "").trim();
    const heading = /^([^\s:]+):$/.exec(name);
    if (heading !== null) folder = heading[1] === "." ? "" : `${heading[1]}/`;
    return heading !== null || NO_ENTRY.test(name) ? "" : folder + name;
  });
}

function inferType(name: string): string {
  const dot = name.lastIndexOf(".");
  if (dot > name.lastIndexOf("/") && name.length - dot <= TYPE_CHARS_MAX && /[A-Za-z]/.test(name[dot + 1] ?? ""))
    return name.slice(dot);
  return name.endsWith("/") ? "folders" : "other";
}

function countBy<T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}

function most(counts: ReadonlyMap<string, number>, max: number): string {
  const sorted = [...counts].toSorted((a, b) => b[1] - a[1]);
  const shown = sorted.slice(0, max).map(([key, count]) => `${key} ${count}`);
  if (sorted.length > max) shown.push(`${sorted.length - max} more`);
  return shown.join(", ");
}
