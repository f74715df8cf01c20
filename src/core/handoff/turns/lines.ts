/**
 * What there is to tell of a turn, line by line: words, deeds with how they ended, and what was looked at, in their order. Each line
 * says what it is worth; how much of it is told is decided by the room.
 */
import type { CallEvent, HeardEvent, SessionEvent } from "../../events/events.ts";
import { createKnownThings } from "../../events/things.ts";
import { deedLines, isReport } from "./deeds.ts";
import type { Line, LinesOptions, TellerOptions } from "./line.ts";
import { isLook, lookLines, remember } from "./looks.ts";
import { lastingLines } from "./overwritten.ts";
import { repeatedLines } from "./repeated.ts";
import type { Turn } from "./turns.ts";
import { heardLines, saidLines } from "./words.ts";

/** The lines of all turns, turn by turn, the oldest first. */
export function linesOfTurns(turns: readonly Turn[], options: LinesOptions): readonly (readonly Line[])[] {
  const all = turns.flatMap(({ events }) => events);
  const heard = all.filter((event) => event.kind === "heard");
  const lasting = lastingLines(all.filter((event) => event.kind === "call"));
  const things = createKnownThings();
  const isRepeated = repeatedLines(all.filter((event) => event.kind === "said" || isReport(event)));
  const isAskedAgain = repeatedLines(heard.flatMap(({ speaker }) => (speaker.by === "person" ? speaker : [])));
  return turns.map((turn, at) => {
    const before = turns[at - 1]?.events.findLast((event) => event.kind === "said")?.text ?? "";
    return linesOfTurn(turn, { ...options, lasting, things, isRepeated, isAskedAgain, before });
  });
}

function linesOfTurn({ events }: Turn, options: TellerOptions): readonly Line[] {
  const answer = events.findLast((event) => event.kind === "said");
  const undone = new Set(
    events.map((event) => (event.kind === "call" && event.ending.status !== "done" ? event.message : -1)),
  );
  const lines = onceEach(events).flatMap((event) => {
    if (event.kind !== "said") return linesOf(event, options);
    const isAnswer = event === answer;
    return saidLines(event, { isAnswer, isWhole: isAnswer || event.ends || undone.has(event.message) }, options);
  });
  return [...lines, ...lookLines(events, answer, options)].toSorted((a, b) => a.message - b.message);
}

function linesOf(event: HeardEvent | CallEvent, options: TellerOptions): readonly Line[] {
  if (event.kind === "heard") return heardLines(event, options);
  if (!isLook(event)) return options.running.has(event) ? [] : deedLines(event, options);
  remember(event, options);
  return [];
}

/**
 * Of runs and edits that were made again, the last; a try that failed is not told where the same was done after it, nor a check that
 * failed where it was run anew. What a person said to one stays.
 */
function onceEach(events: readonly SessionEvent[]): readonly SessionEvent[] {
  const later = new Set<string>();
  const kept = events.toReversed().filter((event) => {
    if (event.kind !== "call" || isLook(event)) return true;
    const { status, line: how = "", words = "" } = event.ending;
    const deed = `${event.summary.tool} ${event.summary.command ?? event.summary.paths[0] ?? event.call.arguments}`;
    const isEdit = event.summary.action === "edit" && status !== "declined";
    const same = isEdit ? (status === "done" ? "" : deed) : `${deed} ${status} ${how}${words}`;
    const redone = status !== "done" && status !== "declined" && later.has(`${deed} done`);
    const { purpose, family = "" } = event.facts ?? {};
    const isRerun = purpose === "check" && status === "failed" && later.has(`check ${family}`);
    const known = isRerun || redone || (same !== "" && later.has(same));
    later.add(same).add(`${deed} ${status}`);
    if (purpose === "check" && (status === "failed" || status === "done")) later.add(`check ${family}`);
    return !known;
  });
  return kept.toReversed();
}
