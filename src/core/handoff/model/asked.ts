/** What a model is asked to write: every section but the list of what the user wrote. */
import type { Section, Topic } from "../templates.ts";

/** In the order in which a section that holds several is asked for one. */
const ASKED_TOPICS: readonly Topic[] = [
  "goal",
  "task",
  "constraints",
  "actions",
  "progress",
  "blocked",
  "decisions",
  "remaining",
  "state",
  "resolved",
  "pending",
  "files",
  "context",
];

/** A section that a model fills, and the topic that its items belong to. */
export interface AskedSection extends Section {
  readonly topic: Topic;
}

/** The sections of a template that a model is asked for. */
export function askedOf(template: readonly Section[]): readonly AskedSection[] {
  return template.flatMap((section) => {
    const topic = section.asked ?? ASKED_TOPICS.find((one) => section.topics.includes(one));
    return topic === undefined ? [] : [{ ...section, topic }];
  });
}

/** The items of a record by topic, without bullet or number, in order. */
export type Items = ReadonlyMap<Topic, readonly string[]>;

/** A record as a model reads and writes it. */
export function recordText(items: Items, asked: readonly AskedSection[]): string {
  const sections = asked.flatMap(({ topic, heading, level }) => {
    const texts = items.get(topic) ?? [];
    if (texts.length === 0) return [];
    const lines = texts.map((text, at) => `${topic === "actions" ? `${at + 1}.` : "-"} ${text}`);
    return [`${"#".repeat(level)} ${heading}`, ...lines];
  });
  return sections.join("\n");
}
