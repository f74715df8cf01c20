/** A listing of files: how many, in which folders, of which types, and a sample; entries the task names come first. */
import type { Page } from "../page.ts";
import {
  sharedFolder,
  inTurns,
  plural,
  range,
  type DigestContent,
  type DigestContentRequest,
  type LineBlock,
} from "../short.ts";

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

/** `file:12:text` is a hit, `file-12-text` its context; `12:text` comes from a search in one file. */
const HIT = /^(?:((?:[A-Za-z]:)?[^\s:]{1,300}):)?(\d{1,7}):/;
const CONTEXT = /^(?:[^\s:]{1,300}-)?\d{1,7}-/;
const FILES_NOTED_MAX = 6;
/** A search with few hits is kept whole where that fits twice the target. */
const HITS_MUST_MAX = 10;

export function shortSearchHits(page: Page, { focus, call }: DigestContentRequest): DigestContent {
  const { files, other } = parseHits(page, call.paths[0] ?? "");
  if (files.size === 0) return { facts: [], lines: [...range(0, 10), ...focus] };
  const hits = [...files.values()].reduce((sum, list) => sum + list.length, 0);
  const shown = inTurns([...files.values()]);
  return {
    facts: [`${plural(hits, "hit")} in ${plural(files.size, "file")}`],
    notes: files.size < 2 || hits < 6 ? [] : [`(${describeCounts(files)})`],
    lines: [...focus.filter((line) => shown.includes(line)).slice(0, 4), ...shown, ...other.slice(0, 4)],
    must: HITS_MUST_MAX,
    under: (number) => underFile(page, files, number),
    gaps: false,
  };
}

interface Hits {
  /** Line numbers of the hits in each file. */
  readonly files: ReadonlyMap<string, readonly number[]>;
  /** Lines that are neither hit nor context. */
  readonly other: readonly number[];
}

function parseHits(page: Page, onlyFile: string): Hits {
  const files = new Map<string, number[]>();
  const other: number[] = [];
  page.lines.forEach((line, number) => {
    const start = line.slice(0, 320);
    const hit = HIT.exec(start);
    if (hit === null) {
      if (!CONTEXT.test(start) && line !== "--" && line.trim() !== "") other.push(number);
      return;
    }
    const file = hit[1] ?? onlyFile;
    const hits = files.get(file);
    if (hits === undefined) files.set(file, [number]);
    else hits.push(number);
  });
  return { files, other };
}

/** A file with several hits is named once. */
function underFile(page: Page, files: Hits["files"], number: number): LineBlock | undefined {
  const file = HIT.exec(page.lines[number]!.slice(0, 320))?.[1];
  if (file === undefined || (files.get(file)?.length ?? 0) < 2) return undefined;
  return { heading: `${file}:`, text: page.lines[number]!.slice(file.length + 1) };
}

function describeCounts(files: ReadonlyMap<string, readonly number[]>): string {
  const largest = [...files].toSorted((a, b) => b[1].length - a[1].length);
  const shared = sharedFolder([...files.keys()]);
  const counts = largest.slice(0, FILES_NOTED_MAX).map(([file, hits]) => `${file.slice(shared.length)} ${hits.length}`);
  if (largest.length > FILES_NOTED_MAX) counts.push(`${largest.length - FILES_NOTED_MAX} more`);
  return `${shared === "" ? "" : `in ${shared}: `}${counts.join(", ")}`;
}
