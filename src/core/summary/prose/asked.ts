/** What a model is asked to write, and what code writes itself because it must not be wrong. */
import type { Section, Topic } from "../sections.ts";

/** The live request, a person's rules and the files come from the ledger, word for word; the rest is asked for. */
const ASKED_TOPICS: readonly Topic[] = [
  "goal",
  "actions",
  "progress",
  "blocked",
  "decisions",
  "remaining",
  "state",
  "resolved",
  "pending",
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
