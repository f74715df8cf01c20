/**
 * Which lines of an answer are headings, and which of the sections that were asked for each of them opens: as it was
 * given, whatever its case, number, marks and depth. A heading in other words heads a section of the model's own.
 */
import type { Topic } from "../sections/topic.ts";
import type { AskedSection } from "./asked.ts";

/** What a line opens, and what else it says. */
interface Opening {
  readonly topic: Topic;
  readonly rest: string;
  readonly depth: number;
}

interface Heading {
  readonly name: string;
  readonly rest: string;
  /** Its depth; 0 for one in bold. */
  readonly depth: number;
}

const NUMBER = /^\d{1,2}[.)]\s*/;
const HASHES = /^(#{1,6})(?=[\s\p{L}\d*_])\s*/u;
const BOLD = /^(\*\*|__)(?=\S)(.{1,80}?)\1(.*)$/;
/** `Goal: ship it`, `Goal (for now)`. */
const ENDS = /[:：]|\s(?=[(（—–])/;

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

/** What each line opens; headings in bold count where no section that was asked for has a marked one. */
export function openingsIn(
  lines: readonly string[],
  openedBy: (line: string) => Opening | undefined,
): ReadonlyMap<number, Opening> {
  const all = lines.flatMap((line, at) => {
    const found = openedBy(line);
    return found === undefined ? [] : [[at, found] as const];
  });
  const marked = all.filter(([, { depth }]) => depth > 0);
  return new Map(marked.length > 0 ? marked : all);
}

/** The section that a line opens which is marked as a heading. */
export function createOpener(asked: readonly AskedSection[]): (line: string) => Opening | undefined {
  const topics = new Map(asked.map(({ heading, topic }) => [keyOf(heading), topic]));
  return (line) => {
    const heading = headingIn(line);
    const topic = heading && topics.get(keyOf(heading.name));
    return topic && { topic, rest: heading!.rest, depth: heading!.depth };
  };
}

function keyOf(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}]+/gu, "");
}
