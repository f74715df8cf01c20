/**
 * The session memory: what is worth knowing of the session, kept by code and handed on from summary to summary in
 * the engine's state. It is tried as the summary before any model is asked (IA al Día 2026, layer 3).
 */
import type { Measure } from "../../transcript/measure.ts";
import { parseHandoff, type Handoff, type ParsedHandoff } from "../../handoff/write.ts";
import type { Topic } from "../../handoff/sections/topic.ts";

/** Items by topic, as a summary wrote them. */
export type SessionMemory = Partial<Readonly<Record<Topic, readonly string[]>>>;

/** What stays true as the session goes on; what is under way is read afresh each time. */
const LASTING: readonly Topic[] = ["goal", "constraints", "decisions", "resolved", "actions", "fixed"];
const MEMORY_TOKENS_MAX = 4_000;

/** What a summary leaves in memory: its lasting sections, the newest items of each where that is too much. */
export function memoryOf(text: string, measure: Measure): SessionMemory {
  const sections = parseHandoff(text)?.sections;
  const share = Math.floor(MEMORY_TOKENS_MAX / LASTING.length);
  const kept = LASTING.flatMap((topic): readonly (readonly [Topic, readonly string[]])[] => {
    const items = newest(sections?.get(topic) ?? [], share, measure);
    return items.length === 0 ? [] : [[topic, items]];
  });
  return Object.fromEntries(kept);
}

function newest(items: readonly string[], tokens: number, measure: Measure): readonly string[] {
  let left = tokens;
  const first = items.findLastIndex((item) => (left -= measure.text(item)) < 0);
  return items.slice(first + 1);
}

/** The memory as a handoff that the next one continues. */
export function asEarlier(memory: SessionMemory | undefined): ParsedHandoff | undefined {
  if (memory === undefined || Object.keys(memory).length === 0) return undefined;
  const sections = new Map(Object.entries(memory) as [Topic, readonly string[]][]);
  return { spans: [], sections, lastNumber: 0 };
}

/** What a summary may not leave out of what code knows. */
const NEEDED: readonly Topic[] = [
  "task",
  "goal",
  "constraints",
  "messages",
  "blocked",
  "remaining",
  "pending",
  "decisions",
  "resolved",
  "fixed",
  "actions",
  "files",
];

/** Whether the memory says all that counts, so that no model need be asked: some of everything needed, and nothing left out. */
export function suffices({ sections, tellsAll }: Pick<Handoff, "sections" | "tellsAll">): boolean {
  const needed = sections.filter(({ topic }) => NEEDED.includes(topic));
  const lasting = sections.filter(({ topic, written }) => TELLING.includes(topic) && written > 0);
  return tellsAll && needed.every(({ leftOut }) => leftOut === 0) && lasting.length >= LASTING_MIN;
}

/** What people wrote tells as much as what lasts. */
const TELLING: readonly Topic[] = [...LASTING, "messages"];
/** With fewer of these sections that have something to say, the memory is as good as empty. */
const LASTING_MIN = 2;
