/** A turn: what was asked, what happened for it, and what the agent answered last, up to the next request. */
import type { SessionEvent } from "../../events/events.ts";

export interface Turn {
  /** Index of its first message. */
  readonly start: number;
  readonly events: readonly SessionEvent[];
}

/** The turns of a stretch of messages, oldest first. */
export function turnsOf(
  events: readonly SessionEvent[],
  { from, until }: { readonly from: number; readonly until: number },
): readonly Turn[] {
  const turns: { start: number; events: SessionEvent[]; acted: boolean }[] = [];
  for (const event of events) {
    if (event.message < from || event.message >= until) continue;
    const last = turns.at(-1);
    if (last === undefined && event.kind === "heard" && event.speaker.by === "harness") continue;
    const opens = event.kind === "heard" && opensTurn(event.speaker.by);
    if (last === undefined || (opens && last.acted))
      turns.push({ start: event.message, events: [event], acted: !opens });
    else {
      last.events.push(event);
      last.acted ||= event.kind !== "heard";
    }
  }
  return turns;
}

/** Whether it goes on with what was asked before its first message. */
export function isContinued({ events }: Turn): boolean {
  const [first] = events;
  return first?.kind !== "heard" || !opensTurn(first.speaker.by);
}

function opensTurn(by: string): boolean {
  return by === "person" || by === "command" || by === "summary";
}
