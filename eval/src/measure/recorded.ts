/**
 * Compactions that other agents made, found in session files: what their model had before, what it had afterwards, and
 * how the work went on. So their handoffs can be marked by the same measure as ours.
 */
import { readLog, type LogFormat } from "../../../src/logs/index.ts";
import { fieldsOf } from "../../../src/protocols/fields.ts";
import { chatOf } from "../recall/conversation.ts";
import { contentOf, type ChatMessage } from "../recall/future-use.ts";
import { isRecordedSummary } from "../recall/cuts.ts";

export interface Recorded {
  readonly agent: string;
  readonly prefix: readonly ChatMessage[];
  /** What stood in the place of the prefix. */
  readonly kept: readonly ChatMessage[];
  readonly rest: readonly ChatMessage[];
}

/** Half-open range of the lines that a compaction wrote. */
interface Boundary {
  readonly start: number;
  readonly end: number;
}

const RECORDED_MAX = 50;
/** Between a boundary and the summary that belongs to it. */
const BOUNDARY_LINES_MAX = 3;

type Marking = (record: Readonly<Record<string, unknown>>) => boolean;
const MARKS: Partial<Record<LogFormat, { readonly word: string; readonly is: Marking }>> = {
  "claude-code": { word: '"isCompactSummary"', is: (record) => record["isCompactSummary"] === true },
  codex: { word: '"compacted"', is: (record) => record["type"] === "compacted" },
  pi: { word: '"compaction"', is: (record) => record["type"] === "compaction" },
};

/** The live history just before, just after, and before the next one, by the agent's own rules. */
export function recordedInLog(text: string, format: LogFormat): readonly Recorded[] {
  const lines = text.split("\n");
  const boundaries = boundariesIn(lines, format);
  const live = (end: number): LiveHistory => liveHistory(lines.slice(0, end).join("\n"), format);
  return boundaries.slice(0, RECORDED_MAX).flatMap(({ start, end }, at): readonly Recorded[] => {
    const [before, after] = [live(start), live(end)];
    const later = live(boundaries[at + 1]?.start ?? lines.length);
    if (before.messages.length === 0 || !startsWith(later.messages, after.messages)) return [];
    // Files and reminders that the agent puts behind its summary are part of what it kept.
    let from = after.messages.length;
    while (later.injected.has(from)) from++;
    const [kept, rest] = [later.messages.slice(0, from), later.messages.slice(from)];
    return [{ agent: format, prefix: before.messages, kept, rest }];
  });
}

function boundariesIn(lines: readonly string[], format: LogFormat): readonly Boundary[] {
  const mark = MARKS[format];
  if (mark === undefined) return [];
  return lines.flatMap((line, at): readonly Boundary[] => {
    if (!line.includes(mark.word) || !mark.is(recordOf(line))) return [];
    const near = lines.slice(Math.max(0, at - BOUNDARY_LINES_MAX), at);
    const opened = near.findIndex((one) => one.includes('"compact_boundary"'));
    return [{ start: opened < 0 ? at : at - near.length + opened, end: at + 1 }];
  });
}

function recordOf(line: string): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(JSON.parse(line)) ?? {};
  } catch {
    return {};
  }
}

interface LiveHistory {
  readonly messages: readonly ChatMessage[];
  readonly injected: ReadonlySet<number>;
}

function liveHistory(text: string, format: LogFormat): LiveHistory {
  try {
    const { transcript, injected } = readLog(text, format);
    return { messages: transcript.messages.map(chatOf), injected: new Set(injected) };
  } catch {
    return { messages: [], injected: new Set() };
  }
}

/** Whether a history goes on from another; one that does not was taken back. */
function startsWith(whole: readonly ChatMessage[], start: readonly ChatMessage[]): boolean {
  return start.every((message, at) => JSON.stringify(message) === JSON.stringify(whole[at]));
}

/** In chat form only Claude Code's are whole: it goes on with its summary alone. What pi kept beside its own is not told. */
const WHOLE_SUMMARY = "This session is being continued from a previous conversation";

export function recordedInChat(messages: readonly ChatMessage[]): readonly Recorded[] {
  const places = [...messages.keys()].filter((at) => isRecordedSummary(messages[at]!));
  return places.flatMap((at, number): readonly Recorded[] => {
    if (!contentOf(messages[at]!.content).startsWith(WHOLE_SUMMARY) || at === 0) return [];
    const prefix = messages.slice(places[number - 1] ?? 0, at);
    const rest = messages.slice(at + 1, places[number + 1]);
    return [{ agent: "claude-code", prefix, kept: [messages[at]!], rest }];
  });
}
