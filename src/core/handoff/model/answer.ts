/** Reads what a model answered: the sections it was asked for, whatever it wrapped them in. */
import { clipped } from "../items.ts";
import type { Topic } from "../topics/topic.ts";
import type { AskedSection, Items } from "./asked.ts";

export interface Answer {
  readonly items: Items;
  /** How many of the headings asked for are in it. */
  readonly headings: number;
  /** Without thinking and fence. */
  readonly body: string;
}

const HEADING_CHARS_MAX = 80;
/** A longer item is a document. */
const ITEM_CHARS_MAX = 2_400;
const ITEM = /^ {0,3}(?:[-*•+]|\d{1,4}[.)]) +/;
const EMPTY = /^(?:none|nothing|n\/a|-|无|無|没有|なし|없음|ninguno|aucun|keine?)[.。]?$/i;
const THINKING_OPEN = /^\s*<(think|thinking|reasoning)>/i;
const FENCE = /^\s*```[a-z]*\n/i;

export function readAnswer(text: string, asked: readonly AskedSection[]): Answer {
  const body = withoutFence(withoutThinking(text)).trim();
  const topics = new Map(asked.map(({ heading, topic }) => [keyOf(heading), topic]));
  const items = new Map<Topic, string[]>();
  let topic: Topic | undefined;
  for (const line of body.split("\n")) {
    const heading = headingIn(line);
    if (heading !== undefined) {
      topic = topics.get(keyOf(heading));
      if (topic !== undefined && !items.has(topic)) items.set(topic, []);
    } else if (topic !== undefined) addLine(items.get(topic)!, line);
  }
  return { items: cleaned(items), headings: items.size, body };
}

/** Some models think aloud before they answer. */
function withoutThinking(text: string): string {
  const open = THINKING_OPEN.exec(text);
  if (open === null) return text;
  const close = text.toLowerCase().indexOf(`</${open[1]!.toLowerCase()}>`);
  return close < 0 ? text : text.slice(close + open[1]!.length + 3);
}

function withoutFence(text: string): string {
  const open = FENCE.exec(text);
  if (open === null) return text;
  const close = text.lastIndexOf("```");
  return text.slice(open[0].length, close > open[0].length ? close : text.length);
}

/** `## Heading`, `**Heading**`, with a number or a colon perhaps. */
function headingIn(line: string): string | undefined {
  const text = line.trim();
  if (text.length > HEADING_CHARS_MAX) return undefined;
  if (text.startsWith("#")) return text;
  return text.startsWith("**") && (text.endsWith("**") || text.endsWith("**:")) ? text : undefined;
}

function keyOf(heading: string): string {
  return heading.toLowerCase().replace(/^[#*\s]*(?:\d{1,2}[.)])?|[^\p{L}]+/gu, "");
}

function addLine(items: string[], line: string): void {
  const text = line.trim();
  const mark = ITEM.exec(line);
  if (mark !== null) items.push(line.slice(mark[0].length).trim());
  else if (text === "" || items.length === 0) items.push(text);
  else if (items.at(-1) === "") items[items.length - 1] = text;
  else items[items.length - 1] += `\n${line.trimEnd()}`;
}

function cleaned(items: ReadonlyMap<Topic, readonly string[]>): Items {
  return new Map(
    Array.from(items, ([topic, texts]) => [
      topic,
      texts.filter((text) => text !== "" && !EMPTY.test(text)).map((text) => clipped(text, ITEM_CHARS_MAX)),
    ]),
  );
}
