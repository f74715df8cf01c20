/**
 * Which lines of an answer are headings, and which of the sections that were asked for each of them opens: as it was
 * given, numbered, in bold, at another depth, respelled a little, or translated where all of them stand in their places.
 */
import type { Topic } from "../sections/topic.ts";
import type { AskedSection } from "./asked.ts";

/** What a line opens, and what else it says. */
interface Opening {
  readonly topic: Topic;
  readonly rest: string;
}

interface Heading {
  readonly name: string;
  readonly rest: string;
  /** Its depth; 0 for one in bold. */
  readonly depth: number;
}

const NAME_CHARS_MAX = 80;
const NUMBER = /^\d{1,2}[.)]\s*/;
const HASHES = /^(#{1,6})(?=[\s\p{L}\d*_])\s*/u;
const BOLD = /^(\*\*|__)(?=\S)(.{1,80}?)\1(.*)$/;
/** `Goal: ship it`, `Goal (for now)`. */
const ENDS = /[:：]|\s(?=[(（—–])/;
const IN_BRACKETS = /^[(（](.+)[)）]$/;
/** A heading with a name, a path or a figure in it is no translation of one that was asked for. */
const WORDS = /^[\p{L}\p{M}\s&,'’·・/-]+$/u;
/** Of the longer of two names: so many letters may be others. */
const RESPELLED_SHARE_MAX = 0.2;

/** `## Heading`, `3. **Heading:** and its first words`. */
export function headingIn(line: string): Heading | undefined {
  const text = line.trim();
  if (/^(?: {4}| {0,3}\t)/.test(line) || !/^(?:#|\*\*|__|\d{1,2}[.)]\s*(?:\*\*|__))/.test(text)) return undefined;
  const depth = HASHES.exec(text)?.[1]?.length ?? 0;
  const bare = text.replace(HASHES, "").replace(NUMBER, "");
  const bold = BOLD.exec(bare);
  if (bold === null)
    return depth === 0 || bare.startsWith("#") ? undefined : { ...named(bare.replace(/\s#+$/, "")), depth };
  const [, , name = "", after = ""] = bold;
  const { name: inside, rest } = named(name);
  if (after.trim() === "") return { name: inside, rest, depth };
  const follows = /^\s*[:：]/.test(after) || (rest === "" && /[:：]$/.test(name));
  return follows || depth > 0
    ? { name: inside, rest: `${rest} ${after.replace(/^\s*[:：]/, "")}`.trim(), depth }
    : undefined;
}

function named(text: string): Pick<Heading, "name" | "rest"> {
  const end = ENDS.exec(text);
  if (end === null) return { name: text.trim(), rest: "" };
  return { name: text.slice(0, end.index).trim(), rest: text.slice(end.index + end[0].length).trim() };
}

/** The sections that were asked for, by their headings. */
interface AskedHeadings {
  /** The section that a marked line opens. */
  readonly openedBy: (line: string) => Opening | undefined;
  /** By the number of a line; `undefined` stands for what is no single line. */
  readonly openings: (lines: readonly (string | undefined)[]) => ReadonlyMap<number, Opening>;
}

export function createAskedHeadings(asked: readonly AskedSection[]): AskedHeadings {
  const keys = asked.map(({ heading, topic }) => [keyOf(heading), topic] as const);
  const known = new Map<string, Topic | undefined>(keys);
  const topicOf = (name: string): Topic | undefined => {
    const key = name.length > NAME_CHARS_MAX ? "" : keyOf(name);
    if (key !== "" && !known.has(key)) known.set(key, nearest(key, keys));
    return known.get(key);
  };
  const openedBy = (line: string): Opening | undefined => opening(headingIn(line), topicOf);
  return {
    openedBy,
    openings: (lines) => {
      const marked = openingsOf(lines, openedBy);
      const found = marked.size > 0 ? marked : openingsOf(lines, (line) => opening(plainHeading(line), topicOf));
      return found.size === asked.length ? found : (byPlace(lines, found, asked) ?? found);
    },
  };
}

function opening(heading: Heading | undefined, topicOf: (name: string) => Topic | undefined): Opening | undefined {
  if (heading === undefined) return undefined;
  const topic = topicOf(heading.name);
  if (topic !== undefined) return { topic, rest: heading.rest };
  // A translation may have the heading as it was given beside it.
  const given = topicOf(IN_BRACKETS.exec(heading.rest)?.[1] ?? "");
  return given === undefined ? undefined : { topic: given, rest: "" };
}

function openingsOf(
  lines: readonly (string | undefined)[],
  openedBy: (line: string) => Opening | undefined,
): ReadonlyMap<number, Opening> {
  return new Map(
    lines.flatMap((line, at) => {
      const found = line === undefined ? undefined : openedBy(line);
      return found === undefined ? [] : [[at, found] as const];
    }),
  );
}

/** An answer without any marked heading may have them on lines of their own. */
function plainHeading(line: string): Heading | undefined {
  const name = /^\S/.test(line)
    ? line
        .replace(NUMBER, "")
        .trimEnd()
        .replace(/[:：]$/, "")
        .trim()
    : "";
  return name === "" || /^[-*•+]\s/.test(name) ? undefined : { name, rest: "", depth: 0 };
}

/** Headings in other words are those that were asked for where there are as many, and each known one is in its place. */
function byPlace(
  lines: readonly (string | undefined)[],
  found: ReadonlyMap<number, Opening>,
  asked: readonly AskedSection[],
): ReadonlyMap<number, Opening> | undefined {
  const all = lines.flatMap((line, at) => {
    const heading = line === undefined ? undefined : headingIn(line);
    return heading === undefined || heading.rest !== "" ? [] : [{ at, ...heading }];
  });
  const groups = [
    all.filter(({ depth }) => depth > 0),
    ...[1, 2, 3, 4, 0].map((own) => all.filter(({ depth }) => depth === own)),
  ];
  const group = groups.find(
    (one) =>
      one.length === asked.length &&
      one.every(
        ({ at, name }, place) =>
          (found.get(at)?.topic ?? asked[place]!.topic) === asked[place]!.topic && WORDS.test(name),
      ) &&
      [...found.keys()].every((at) => one.some((heading) => heading.at === at)),
  );
  return group && new Map(group.map(({ at }, place) => [at, { topic: asked[place]!.topic, rest: "" }]));
}

function keyOf(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}]+/gu, "");
}

function nearest(key: string, keys: readonly (readonly [key: string, topic: Topic])[]): Topic | undefined {
  let [closest, least]: [Topic | undefined, number] = [undefined, Infinity];
  for (const [other, topic] of keys) {
    const most = Math.floor(Math.max(key.length, other.length) * RESPELLED_SHARE_MAX);
    const letters = Math.abs(key.length - other.length) > most ? Infinity : distance(key, other);
    if (letters <= most && letters < least) [closest, least] = [topic, letters];
  }
  return closest;
}

/** How many letters have to be put in, taken out or exchanged. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}
