/**
 * What a person types while Claude Code works is queued. Taken from the queue between turns it becomes an ordinary
 * line; delivered in the middle of a turn it may leave no trace but the queue's own records, though the model read it.
 */
import { fieldsOf, listOf, textOf } from "../fields.ts";
import type { Line } from "../lines.ts";

interface QueuedPrompt {
  readonly text: string;
  readonly at: number;
}

/** By the queue record that delivered it: each text that reached the model and that no other line holds. */
export function deliveredTexts(lines: readonly Line[]): ReadonlyMap<Line, string> {
  const delivered = new Map<Line, string>();
  const recorded = lastRecorded(lines);
  let waiting: QueuedPrompt[] = [];
  for (const line of lines) {
    if (line.record["type"] !== "queue-operation") continue;
    const content = textOf(line.record["content"]);
    const operation = textOf(line.record["operation"]);
    if (operation === "enqueue" && content !== undefined) waiting.push({ text: content, at: line.at });
    // Back into the editor: nothing was sent.
    if (operation === "popAll") waiting = [];
    if (operation !== "remove" && operation !== "dequeue") continue;
    const place = content === undefined ? 0 : waiting.findIndex((one) => one.text === content);
    const taken = place < 0 ? undefined : waiting.splice(place, 1)[0];
    if (taken === undefined || operation === "dequeue") continue;
    if ((recorded.get(taken.text.trim()) ?? 0) < taken.at) delivered.set(line, taken.text);
  }
  return delivered;
}

/** The last line at which a person's text is an ordinary record. */
function lastRecorded(lines: readonly Line[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const { record, at } of lines) {
    const add = (value: unknown): void => void (typeof value === "string" && last.set(value.trim(), at));
    if (record["type"] === "attachment") add(fieldsOf(record["attachment"])?.["prompt"]);
    if (record["type"] !== "user") continue;
    const content = fieldsOf(record["message"])?.["content"];
    add(content);
    for (const block of listOf(content)) add(fieldsOf(block)?.["text"]);
  }
  return last;
}
