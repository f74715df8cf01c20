/** Writes the chosen items as text, in the format that `parse.ts` describes. */
import type { Excerpt } from "../excerpts/excerpts.ts";
import { LIST_SEPARATOR, type Item } from "./items.ts";
import { BULLETS, guarded, SOURCE_LEAD } from "./parse.ts";
import type { Section } from "./templates.ts";
import { TOPICS } from "./topics/index.ts";
import type { Topic } from "./topics/topic.ts";

/** What goes into one section. */
export interface FilledSection {
  readonly items: readonly Item[];
  /** How many items did not fit. */
  readonly leftOut: number;
}

export interface HandoffContents {
  readonly filled: ReadonlyMap<Topic, FilledSection>;
  readonly excerpts: readonly Excerpt[];
  /** The number of the first completed action that is written. */
  readonly firstNumber: number;
}

export interface RenderOptions {
  readonly template: readonly Section[];
  /** Id under which what was left out can be fetched. */
  readonly recall: string;
}

/** The lines of a section; none where it has nothing to say. */
export function sectionLines(
  section: Section,
  contents: HandoffContents,
  { recall }: RenderOptions,
): readonly string[] {
  const lines = section.topics.flatMap((topic, place) => topicLines(topic, contents, BULLETS[place] ?? BULLETS[0]));
  const leftOut = section.topics.reduce((sum, topic) => sum + (contents.filled.get(topic)?.leftOut ?? 0), 0);
  if (leftOut > 0 && lines.length > 0) lines.push(leftOutLine(leftOut, recall));
  if (section.topics.includes("context")) addExcerpts(lines, contents.excerpts);
  if (lines.length === 0 && section.topics.length > 0) return [];
  return [`${"#".repeat(section.level)} ${section.heading}`, ...lines];
}

export function leftOutLine(count: number, recall: string): string {
  return `(+${count} in ${recall})`;
}

function topicLines(topic: Topic, { filled, firstNumber }: HandoffContents, bullet: string): string[] {
  const items = [...(filled.get(topic)?.items ?? [])].toSorted((a, b) => a.order - b.order);
  const { layout } = TOPICS[topic];
  if (layout === "grouped") return fileLines(items);
  return items.map(({ text }, at) => `${layout === "numbered" ? `${firstNumber + at}.` : bullet} ${indented(text)}`);
}

function indented(text: string): string {
  return text.includes("\n") ? text.replace(/\n(?=[^\n])/g, "\n  ") : text;
}

/** One line a tool; the changed ones first, each list with the latest first. */
function fileLines(items: readonly Item[]): string[] {
  const groups = new Map<string, Item[]>();
  // What a model wrote of files is in sentences of its own.
  const written = items.filter(({ group }) => group === undefined);
  for (const item of items.filter(({ group }) => group !== undefined).toReversed())
    (groups.get(item.group ?? "") ?? groups.set(item.group ?? "", []).get(item.group ?? "")!).push(item);
  const ordered = [...groups].toSorted(([, a], [, b]) => topRank(b) - topRank(a));
  const listed = ordered.map(
    ([group, members]) => `- ${group}: ${members.map(({ text }) => text).join(LIST_SEPARATOR)}`,
  );
  return [...listed, ...written.map(({ text }) => `- ${indented(text)}`)];
}

function topRank(items: readonly Item[]): number {
  return items.reduce((top, { rank }) => Math.max(top, rank), 0);
}

/** Grouped by source, sources and lines in the order of the conversation. */
function addExcerpts(lines: string[], excerpts: readonly Excerpt[]): void {
  const bySource = new Map<string, Excerpt[]>();
  for (const one of inOrder(excerpts)) {
    const own = bySource.get(one.source);
    if (own === undefined) bySource.set(one.source, [one]);
    else own.push(one);
  }
  for (const [source, own] of bySource) {
    lines.push(`${SOURCE_LEAD}${source.replace(/\s+/g, " ")}`);
    for (const one of own) lines.push(guardedLines(one));
  }
}

/** Most excerpts are in one handoff after another. */
const written = new WeakMap<Excerpt, string>();

/** The lines of an excerpt, none of which reads as anything else. */
function guardedLines(excerpt: Excerpt): string {
  let lines = written.get(excerpt);
  if (lines === undefined) {
    const { text } = excerpt;
    lines = text.includes("\n") ? text.split("\n").map(guarded).join("\n") : guarded(text);
    written.set(excerpt, lines);
  }
  return lines;
}

/** Message by message: many short lists are sorted faster than a long one. */
function inOrder(excerpts: readonly Excerpt[]): readonly Excerpt[] {
  const byMessage = new Map<number, Excerpt[]>();
  for (const one of excerpts) {
    const own = byMessage.get(one.message);
    if (own === undefined) byMessage.set(one.message, [one]);
    else own.push(one);
  }
  const ordered: Excerpt[] = [];
  for (const message of [...byMessage.keys()].sort((a, b) => a - b)) {
    const own = byMessage.get(message)!;
    if (own.length > 1) own.sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
    for (const one of own) ordered.push(one);
  }
  return ordered;
}
