/** A record that is handed on within its room: the oldest of what was done goes first, elsewhere what is last. */
import type { Measure } from "../../transcript/measure.ts";
import type { Topic } from "../sections/topic.ts";
import { recordText, type AskedSection, type Items } from "./asked.ts";

export interface RecordBudget {
  readonly tokens: number;
  readonly measure: Measure;
}

export function within(items: Items, asked: readonly AskedSection[], { tokens, measure }: RecordBudget): Items {
  let current = items;
  while (measure.text(recordText(current, asked)) > tokens) {
    const longest = longestOf(current);
    if (longest === undefined) return current;
    const texts = current.get(longest)!;
    const dropped = Math.ceil(texts.length / 4);
    const kept = longest === "actions" ? texts.slice(dropped) : texts.slice(0, -dropped);
    current = new Map([...current, [longest, kept]]);
  }
  return current;
}

function longestOf(items: Items): Topic | undefined {
  let [longest, most]: [Topic | undefined, number] = [undefined, 0];
  for (const [topic, texts] of items) {
    const chars = texts.reduce((sum, text) => sum + text.length + 1, 0);
    if (chars > most) [longest, most] = [topic, chars];
  }
  return longest;
}
