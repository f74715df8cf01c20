/** Handoff requests for tests: what a compaction would ask for, with everything defaulted. */
import { liveRequestOf } from "../../../src/core/events/live-request.ts";
import { latestHandoff, type HandoffRequest } from "../../../src/core/handoff/write.ts";
import { createMeasure } from "../../../src/core/transcript/measure.ts";
import { contentText, type Message } from "../../../src/core/transcript/message.ts";

export const measure = createMeasure();
export const SPAN = "r0123abcde";

/** Replaces all but the first `from` and the last `tail` messages. */
export interface Shape extends Partial<HandoffRequest> {
  readonly tail?: number;
}

export function requestFor(messages: readonly Message[], { tail = 0, ...given }: Shape = {}): HandoffRequest {
  const from = given.from ?? 0;
  const until = given.until ?? Math.max(from, messages.length - tail);
  const live = liveRequestOf(messages);
  const standing = [...messages.slice(0, from), ...messages.slice(until), ...messages.slice(live, live + 1)];
  return {
    messages,
    budget: 2_000,
    measure,
    spanRecall: SPAN,
    previous: latestHandoff(messages),
    liveRequest: live,
    beside: standing.map(({ parts }) => contentText(parts)).join("\n"),
    redact: (text) => text,
    ...given,
    from,
    until,
  };
}
