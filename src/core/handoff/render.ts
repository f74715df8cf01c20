/** Writes the chosen items as text, in the format that `parse.ts` describes. */
import { LIST_SEPARATOR, type Item } from "./items.ts";
import { withQuotedMarks } from "./marks.ts";
import { BULLETS } from "./parse.ts";
import type { Section } from "./templates.ts";
import { TOPICS } from "./sections/topics.ts";
import type { Topic } from "./sections/topic.ts";

export interface FilledSection {
  readonly items: readonly Item[];
  /** How many items did not fit. */
  readonly leftOut: number;
}

export interface HandoffContents {
  readonly filled: ReadonlyMap<Topic, FilledSection>;
  /** Of the completed actions that an earlier handoff has: they keep theirs, and those that follow go on from the last. */
  readonly numbers: readonly number[];
}

/** The lines of a section; none where it has nothing to say. `recall` is the id under which what was left out can be fetched. */
export function sectionLines(section: Section, contents: HandoffContents, recall: string): readonly string[] {
  const lines = section.topics.flatMap((topic, place) => topicLines(topic, contents, BULLETS[place] ?? BULLETS[0]));
  const leftOut = section.topics.reduce((sum, topic) => sum + (contents.filled.get(topic)?.leftOut ?? 0), 0);
  if (leftOut > 0 && lines.length > 0) lines.push(leftOutLine(leftOut, recall));
  if (lines.length === 0 && section.topics.length > 0) return [];
  return [`${"#".repeat(section.level)} ${section.heading}`, ...lines];
}

export function leftOutLine(count: number, recall: string): string {
  return `(+${count} in ${recall})`;
}

function topicLines(topic: Topic, { filled, numbers }: HandoffContents, bullet: string): string[] {
  const items = [...(filled.get(topic)?.items ?? [])].toSorted((a, b) => a.order - b.order);
  const { layout } = TOPICS[topic];
  if (layout === "grouped") return fileLines(items);
  const before = items.filter(({ order }) => order < 0).length;
  const first = Math.max(1, (numbers.at(-1) ?? 0) - before + 1);
  const mark = (order: number, at: number): string =>
    layout === "numbered" ? `${numbers[numbers.length + order] || first + at}.` : bullet;
  return items.map(({ text, order }, at) => `${mark(order, at)} ${indented(text)}`);
}

/** Lines after the first belong to the item. */
function indented(text: string): string {
  return withQuotedMarks(text).replace(/\n(?=[^\n])/g, "\n  ");
}

/** A name that somebody else gave, of a file or a tool, may hold a line break. */
function named(text: string): string {
  return withQuotedMarks(text).replace(/\s+/g, " ");
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
    ([group, members]) => `- ${named(group)}: ${members.map(({ text }) => named(text)).join(LIST_SEPARATOR)}`,
  );
  return [...listed, ...written.map(({ text }) => `- ${indented(text)}`)];
}

function topRank(items: readonly Item[]): number {
  return items.reduce((top, { rank }) => Math.max(top, rank), 0);
}
