/**
 * Reads a handoff back into its entries, so that the next one merges them instead of summarising a summary.
 *
 * The format: the start mark on a line of its own, the framing with the recall ids, then headings in the template's
 * order, each with items. An item opens with "- " or "N. ", one of a section's second topic with "* " and of its third
 * with "+ "; lines that follow it, indented by two spaces or blank, belong to it.
 */
import { LIST_SEPARATOR } from "./items.ts";
import { HANDOFF_END, HANDOFF_START, opensWithHandoff } from "./marks.ts";
import { FIVE_SECTIONS_IN_ALL } from "./five-sections.ts";
import { FOUR_SECTIONS } from "./four-sections.ts";
import { RECALL_LEAD } from "./framing.ts";
import { NINE_SECTIONS, SEVEN_SECTIONS, type Section } from "./templates.ts";
import { THIRTEEN_SECTIONS_IN_ALL } from "./translations.ts";
import type { Topic } from "./sections/topic.ts";

export interface ParsedHandoff {
  /** Recall ids of the replaced spans, the newest first. */
  readonly spans: readonly string[];
  /** The items of each section, without bullet or number, in order. */
  readonly sections: ReadonlyMap<Topic, readonly string[]>;
  /** The numbers of the completed actions, in their order. */
  readonly numbers: readonly number[];
}

const NONE = "None.";
/** Records of before quoted lines below such a line; they are not carried on. */
const SOURCE_LEAD = "@ ";
const LEFT_OUT = /^\(\+\d+ in \S+\)$/;
/** By the place of an item's topic among those of its section. */
export const BULLETS = ["-", "*", "+"] as const;
/** `[12, 15-18]` at its end: the messages that a model's item rests on. */
const CITES = /\s\[\d{1,6}[\d\s,;–-]{0,200}\]\.?$/;
const ITEM = /^(?:([-*+])|(\d{1,6})\.) /;

/** The topics under a heading. Where templates share one, the thirteen say what comes first and the others what else may. */
const TOPICS_OF = topicsByHeading([
  ...FIVE_SECTIONS_IN_ALL,
  FOUR_SECTIONS,
  NINE_SECTIONS,
  SEVEN_SECTIONS,
  ...THIRTEEN_SECTIONS_IN_ALL,
]);

function topicsByHeading(templates: readonly (readonly Section[])[]): ReadonlyMap<string, readonly Topic[]> {
  const known = new Map<string, readonly Topic[]>();
  for (const { heading, topics } of templates.flat())
    if (topics.length > 0) known.set(heading, [...topics, ...(known.get(heading) ?? []).slice(topics.length)]);
  return known;
}

/** The entries of a handoff; nothing where the text holds none of this version. */
export function parseHandoff(text: string): ParsedHandoff | undefined {
  if (!opensWithHandoff(text)) return undefined;
  const start = text.indexOf(HANDOFF_START) + HANDOFF_START.length;
  const end = text.lastIndexOf(`\n${HANDOFF_END}`);
  const lines = text.slice(start, end < start ? text.length : end).split("\n");
  const first = lines.findIndex((line) => topicsIn(line) !== undefined);
  const framing = lines.slice(0, first < 0 ? lines.length : first).join(" ");
  const sections = new Map<Topic, string[]>();
  let quotes = false;
  const numbers: number[] = [];
  let topics: readonly Topic[] = [];
  let topic: Topic | undefined;
  for (const line of first < 0 ? [] : lines.slice(first)) {
    const heading = quotes ? undefined : topicsIn(line);
    if (heading !== undefined) {
      [topics, topic] = [heading, heading[0]!];
      sections.set(topic, sections.get(topic) ?? []);
    } else if (topics.includes("context") && line.startsWith(SOURCE_LEAD)) quotes = true;
    else if (!quotes && topic !== undefined) {
      topic = topicOf(line, topics) ?? topic;
      const items = sections.get(topic) ?? [];
      sections.set(topic, items);
      addLine(items, line);
      if (topic === "actions" && items.length > numbers.length) numbers.push(Number(ITEM.exec(line)?.[2] ?? 0));
    }
  }
  return { spans: spansIn(framing), sections: withoutFileGroups(sections), numbers };
}

function topicsIn(line: string): readonly Topic[] | undefined {
  const match = /^#{2,3} (.+)$/.exec(line);
  return match === null ? undefined : TOPICS_OF.get(match[1]!);
}

/** The topic of the item that a line opens. */
function topicOf(line: string, topics: readonly Topic[]): Topic | undefined {
  const match = ITEM.exec(line);
  if (match === null) return undefined;
  return topics[BULLETS.findIndex((bullet) => bullet === match[1])] ?? topics[0];
}

function addLine(items: string[], line: string): void {
  const match = ITEM.exec(line);
  if (match !== null) items.push(line.slice(match[0].length));
  else if (line !== NONE && !LEFT_OUT.test(line) && items.length > 0)
    items[items.length - 1] += `\n${line.startsWith("  ") ? line.slice(2) : line}`;
}

function spansIn(framing: string): readonly string[] {
  const at = framing.search(RECALL_LEAD);
  return at < 0 ? [] : (framing.slice(at).match(/\br[0-9a-f]{6,64}\b/g) ?? []);
}

/** How words open whose message has a number (`turns/words.ts`), what points to a message, and what code dates itself. */
const SPOKEN = /^\[\d+\] (?=(?:User|System): )/gm;
const POINTER = /; word for word in message \d+(?=\])/g;
const DATE = /^\[\d+\] /;
const DATED_TOPICS: readonly Topic[] = ["goal", "decisions"];
/** Lines that were quoted, below what they are from. */
const QUOTE = /^\[\d+\] .+:\n/;

/**
 * The entries in a conversation that begins with the handoff: numbers of messages would lead to others there. What was quoted beside
 * the record stays behind: nothing says whether it still holds.
 */
export function withoutNumbers({ sections, ...parsed }: ParsedHandoff): ParsedHandoff {
  const plain = Array.from(sections, ([topic, texts]) => {
    const lasting = topic === "context" ? texts.filter((text) => !QUOTE.test(text)) : texts;
    return [topic, lasting.map((text) => unnumbered(topic, text))] as const;
  });
  return { ...parsed, sections: new Map(plain) };
}

/** What a person said may end as a citation does. */
function unnumbered(topic: Topic, text: string): string {
  const unled = DATED_TOPICS.includes(topic) ? text.replace(DATE, "[earlier] ") : text.replace(SPOKEN, "");
  const unmarked = unled.replace(POINTER, "");
  return unmarked === text ? text.replace(CITES, "") : unmarked;
}

/** `Read: a, b` is two files; each comes back as `Read: a`. */
function withoutFileGroups(sections: Map<Topic, string[]>): ReadonlyMap<Topic, readonly string[]> {
  const files = sections.get("files");
  if (files !== undefined) sections.set("files", files.flatMap(filesIn));
  return sections;
}

/** What a model wrote of files, with the messages that it rests on, is a sentence. */
function filesIn(line: string): readonly string[] {
  if (CITES.test(line)) return [line];
  const colon = line.indexOf(": ");
  return colon < 0
    ? [line]
    : line
        .slice(colon + 2)
        .split(LIST_SEPARATOR)
        .map((path) => `${line.slice(0, colon)}: ${path}`);
}
