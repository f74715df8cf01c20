/** The first shape of the ladder that leaves the handoff its room, drafted. */
import { taskWords } from "../../digest/task-words.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { contentText } from "../../transcript/message.ts";
import { anchorFor } from "../result/assemble.ts";
import { draftOf, MESSAGE_OVERHEAD_TOKENS, type Draft, type Memory } from "../result/draft.ts";
import type { ModelHandoffJob } from "../result/model-handoff.ts";
import { RUNG_LAST, rungsOf } from "./ladder.ts";
import type { Plan } from "./plan.ts";

/** What the default engine works on, and what it aims for. */
export interface PlannedJob extends ModelHandoffJob {
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
    const replaced = measure.messages(messages.slice(shape.headEnd, shape.tailStart));
    const wanted = job.plan.handoffTokens(replaced);
    const replacesNothing = shape.headEnd === shape.tailStart;
    if (replacesNothing && job.plan.wantsHandoff && shape.rung > 0 && shape.rung < RUNG_LAST) continue;
    const needed = replacesNothing ? 0 : Math.min(wanted, shape.handoffTokensMin);
    if (room < needed && shape.rung < RUNG_LAST) continue;
    const budget = Math.max(Math.min(wanted, room), replacesNothing ? 0 : leastHandoff(room, replaced));
    draft = draftOf(job, memory, { shape, anchor, verbatim, focus, budget });
    break;
  }
  return draft!;
}

/** What cannot be made small enough should at least be of use: a tenth of what it replaces, within bounds. */
const BEYOND_LIMIT_SHARE = 0.1;
const BEYOND_LIMIT_TOKENS_MAX = 600;

/** The handoff is given at least so much, whether the limit can be kept or not. */
function leastHandoff(roomTokens: number, replacedTokens: number): number {
  if (roomTokens >= HANDOFF_TOKENS_MIN) return HANDOFF_TOKENS_MIN;
  return Math.max(
    HANDOFF_TOKENS_MIN,
    Math.min(BEYOND_LIMIT_TOKENS_MAX, Math.floor(replacedTokens * BEYOND_LIMIT_SHARE)),
  );
}
