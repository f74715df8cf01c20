/**
 * A model's record within its room: every section gives up the same part of itself, the oldest of what was done and elsewhere what is
 * last, and none goes whole. What an earlier model wrote is handed on so, and what the newest one wrote stands so in the handoff.
 */
import type { Measure } from "../../transcript/measure.ts";
import { clipped, CUT_MARK } from "../items.ts";
import type { Topic } from "../sections/topic.ts";
import type { Items } from "./asked.ts";
import { headingIn } from "./headings.ts";

export interface RecordBudget {
  readonly tokens: number;
  readonly measure: Measure;
}

/** How closely the part that fits is looked for. */
const HALVINGS = 12;
/** A section of one long item is not cut to less. */
const LEAST_CHARS = 40;

export function within(items: Items, { tokens, measure }: RecordBudget): Items {
  const costs = new Map<string, number>();
  const costOf = (text: string): number => {
    const cost = costs.get(text) ?? measure.text(`- ${text}\n`);
    costs.set(text, cost);
    return cost;
  };
  if (weighItems(items, measure) <= tokens) return items;
  let [kept, low, high] = [cut(items, 0, costOf), 0, 1];
  for (let halvings = 0; halvings < HALVINGS; halvings++) {
    const part = (low + high) / 2;
    const tried = cut(items, part, costOf);
    if (weighItems(tried, measure) > tokens) high = part;
    else [low, kept] = [part, tried];
  }
  return kept;
}

/** With their headings, as a handoff has them. */
export function weighItems(items: Items, measure: Measure): number {
  const sections = [...items].filter(([, texts]) => texts.length > 0);
  return measure.text(
    sections.map(([topic, texts]) => [`## ${topic} ${topic}`, ...texts.map((text) => `- ${text}`)].join("\n")).join("\n"),
  );
}

function cut(items: Items, part: number, costOf: (text: string) => number): Items {
  return new Map(Array.from(items, ([topic, texts]) => [topic, keptOf(topic, texts, { part, costOf })] as const));
}

interface Cutting {
  readonly part: number;
  readonly costOf: (text: string) => number;
}

function keptOf(topic: Topic, texts: readonly string[], { part, costOf }: Cutting): readonly string[] {
  const newestFirst = topic === "actions";
  const ordered = newestFirst ? texts.toReversed() : texts;
  const total = ordered.reduce((sum, text) => sum + (isSection(text) ? 0 : costOf(text)), 0);
  let [left, count] = [total * part, 0];
  const kept = ordered.flatMap((text) => {
    // A section of the model's own keeps its part of its own lines.
    if (isSection(text)) return [shortened(text, part)];
    const room = left;
    left -= costOf(text);
    if (left >= 0 || count === 0) return [(count++, left >= 0 ? text : shortened(text, room / costOf(text)))];
    return [];
  });
  return newestFirst ? kept.toReversed() : kept;
}

function isSection(text: string): boolean {
  const end = text.indexOf("\n");
  return end >= 0 && headingIn(text.slice(0, end)) !== undefined;
}

/** That part of a text, in whole lines where it has several. */
function shortened(text: string, part: number): string {
  const chars = Math.max(LEAST_CHARS, text.length * part);
  if (text.length <= chars) return text;
  const end = text.lastIndexOf("\n", chars);
  return end < 0 ? clipped(text, chars) : `${text.slice(0, end)}${CUT_MARK}`;
}
