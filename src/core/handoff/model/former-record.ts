/**
 * A model's record within its room: every section gives up the same part of itself, the oldest of what was done and elsewhere what is
 * last, and none goes whole. What an earlier model wrote is handed on so, and what the newest one wrote stands so in the handoff.
 */
import type { Measure } from "../../transcript/measure.ts";
import { clipped, CUT_MARK } from "../items.ts";
import type { Topic } from "../sections/topic.ts";
import type { Items } from "./asked.ts";
import { headingIn } from "./headings.ts";

/** How closely the part that fits is looked for. */
const HALVINGS = 12;
/** What is the only one of a section is not cut to less. */
const LEAST_CHARS = 40;

export function within(items: Items, tokens: number, measure: Measure): Items {
  if (weighItems(items, measure) <= tokens) return items;
  const cut = (part: number): Items =>
    new Map(Array.from(items, ([topic, texts]) => [topic, keptOf(topic, texts, part)] as const));
  let [kept, low, high] = [cut(0), 0, 1];
  for (let halvings = 0; halvings < HALVINGS; halvings++) {
    const part = (low + high) / 2;
    const tried = cut(part);
    if (weighItems(tried, measure) > tokens) high = part;
    else [low, kept] = [part, tried];
  }
  return kept;
}

/** With their headings, as a handoff has them. */
export function weighItems(items: Items, measure: Measure): number {
  const sections = Array.from(items, ([topic, texts]) => [`## ${topic}`, ...texts].join("\n- "));
  return items.size === 0 ? 0 : measure.text(sections.join("\n"));
}

function keptOf(topic: Topic, texts: readonly string[], part: number): readonly string[] {
  const isDone = topic === "actions";
  const ordered = isDone ? texts.toReversed() : texts;
  let left = part * ordered.reduce((sum, text) => sum + (isSection(text) ? 0 : text.length), 0);
  let isFirst = true;
  const kept = ordered.flatMap((text) => {
    // A section of the model's own keeps its part of its own lines.
    if (isSection(text)) return [shortened(text, text.length * part)];
    const room = left;
    left -= text.length;
    if (left < 0 && !isFirst) return [];
    isFirst = false;
    return [shortened(text, room)];
  });
  return isDone ? kept.toReversed() : kept;
}

function isSection(text: string): boolean {
  return text.includes("\n") && headingIn(text.slice(0, text.indexOf("\n"))) !== undefined;
}

/** In whole lines where it has several. */
function shortened(text: string, room: number): string {
  const chars = Math.max(LEAST_CHARS, room);
  if (text.length <= chars) return text;
  const end = text.lastIndexOf("\n", chars);
  return end < 0 ? clipped(text, chars) : `${text.slice(0, end)}${CUT_MARK}`;
}
