/** What a model is asked to write: every section but the list of what the user wrote. */
import type { Section } from "../templates.ts";
import { TOPICS } from "../sections/topics.ts";
import type { Topic } from "../sections/topic.ts";

/** Topics of work with files and commands: a conversation without any is not asked for them. */
const OF_WORK: ReadonlySet<Topic> = new Set(["state", "progress", "blocked", "files"]);

/** The sections that a conversation can have something to say in, but for what its record says already. */
export function withoutWork(template: readonly Section[], record: Items): readonly Section[] {
  return template.filter(
    ({ topics }) => topics.length === 0 || topics.some((topic) => !OF_WORK.has(topic) || record.has(topic)),
  );
}

/** A section that a model fills, and the topic that its items belong to. */
export interface AskedSection extends Section {
  readonly topic: Topic;
}

export function askedOf(template: readonly Section[]): readonly AskedSection[] {
  return template.flatMap((section) => {
    const topic = section.asked ?? firstAskedOf(section.topics);
    return topic === undefined ? [] : [{ ...section, topic }];
  });
}

function placeOf(topic: Topic): number {
  return TOPICS[topic].place ?? Infinity;
}

function firstAskedOf(topics: readonly Topic[]): Topic | undefined {
  const [first] = topics.filter((topic) => placeOf(topic) < Infinity).toSorted((a, b) => placeOf(a) - placeOf(b));
  return first;
}

/** The items of a record by topic, without bullet or number, in order. */
export type Items = ReadonlyMap<Topic, readonly string[]>;

/** A record as a model reads and writes it. */
export function recordText(items: Items, asked: readonly AskedSection[]): string {
  const sections = asked.flatMap(({ topic, heading, level }) => {
    const texts = items.get(topic) ?? [];
    if (texts.length === 0) return [];
    const lines = texts.map((text, at) => listed(text, TOPICS[topic].layout === "numbered" ? `${at + 1}. ` : "- "));
    return [`${"#".repeat(level)} ${heading}`, ...lines];
  });
  return sections.join("\n");
}

function listed(text: string, mark: string): string {
  return `${mark}${text.replaceAll("\n", `\n${" ".repeat(mark.length)}`)}`;
}
