/** What the writing process writes, so that the one that reads knows it too. */
import type { Original } from "../../../src/store/store.ts";
import { compaction as compactionOf, talk } from "../contract/things.ts";

export const LANES = 8;
const PADDING = "words to fill a message with, as a tool would ".repeat(20);

export function tenantOf(round: number, lane: number): string {
  return `round ${round} lane ${lane}`;
}

const LARGE_LINES = 3_000;

/** What was removed of a conversation of thousands of messages, some megabytes in all. */
export function largeSpan(id: string): Original {
  const line = (at: number): string =>
    JSON.stringify({ role: "user", content: `${id} ${at} ${`item${at} of ${id} `.repeat(60)}` });
  const text = Array.from({ length: LARGE_LINES }, (_, at) => line(at)).join("\n");
  return { id, kind: "span", label: id, text };
}

/** The conversation of a lane after that many steps, and what else the last of them wrote. */
export function stepOf(lane: number, step: number) {
  const words = Array.from({ length: step * 2 }, (_, at) => `lane ${lane} message ${at} ${PADDING}`);
  const { links, messages } = talk(...words);
  const id = `r${step}`;
  const text = [`original ${step} of lane ${lane}`, ...words.slice(-2)].join("\n");
  return {
    links,
    messages,
    original: { id, kind: "span" as const, label: id, text },
    compaction: { ...compactionOf(links.at(-1)!, links.length, [id]), state: step },
  };
}
