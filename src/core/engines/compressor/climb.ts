/** The first shape of the ladder that leaves the handoff its room, drafted. */
import { taskWords } from "../../digest/task-words.ts";
import { HANDOFF_TOKENS_MIN } from "../../summary/handoff.ts";
import { contentText } from "../../transcript/message.ts";
import { anchorFor } from "../result/assemble.ts";
import { draftOf, MESSAGE_OVERHEAD_TOKENS, type Draft, type Memory } from "../result/draft.ts";
import type { TellingJob } from "../result/told.ts";
import { RUNG_LAST, rungsOf } from "./ladder.ts";
import type { Plan } from "./plan.ts";

/** What the default engine works on, and what it aims for. */
export interface PlannedJob extends TellingJob {
  readonly plan: Plan;
}

/** Climbs the ladder until head, anchor and tail leave the handoff its room; the last rung is taken as it is. */
export function firstThatFits(job: PlannedJob, memory: Memory): Draft {
  const { messages } = job.original;
  const { measure, chain } = job.request;
  const live = messages[job.live];
  const focus = taskWords(job.request.focus ?? "", live === undefined ? "" : contentText(live.parts));
  let draft: Draft | undefined;
  for (const shape of rungsOf({ messages, plan: job.plan, focus, live: job.live, measure, chain })) {
    const anchor = anchorFor(live, job.live, shape);
    const head = shape.messages.slice(0, shape.headEnd);
    const verbatim = [...head, ...(anchor === undefined ? [] : [anchor]), ...shape.messages.slice(shape.tailStart)];
    const room = job.plan.limitTokens - job.besideTokens - measure.messages(verbatim) - MESSAGE_OVERHEAD_TOKENS;
    const wanted = job.plan.handoffTokens(measure.messages(messages.slice(shape.headEnd, shape.tailStart)));
    const replacesNothing = shape.headEnd === shape.tailStart;
    if (replacesNothing && job.plan.wantsHandoff && shape.rung > 0 && shape.rung < RUNG_LAST) continue;
    const needed = replacesNothing ? 0 : Math.min(wanted, shape.handoffTokensMin);
    if (room < needed && shape.rung < RUNG_LAST) continue;
    const budget = Math.max(Math.min(wanted, room), Math.min(HANDOFF_TOKENS_MIN, wanted));
    draft = draftOf(job, memory, { shape, anchor, verbatim, focus, budget });
    break;
  }
  return draft!;
}
