/** Of the shapes that an engine is willing to take, the first that leaves its handoff room; the last where none does. */
import { taskWords } from "../../digest/task-words.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { contentText, type Message } from "../../transcript/message.ts";
import { anchorFor, type Ahead, type Shape } from "./assemble.ts";
import { draftOf, MESSAGE_OVERHEAD_TOKENS, type Draft, type Job, type Memory } from "./draft.ts";

export interface Candidate {
  readonly shape: Shape;
  readonly ahead?: Ahead;
  /** Messages of ours behind the handoff. */
  readonly behind?: readonly Message[];
}

/** What a result may weigh, and the handoff in it; in tokens. */
export interface Aim {
  readonly limitTokens: number;
  /** The handoff's share, given what it stands for. */
  readonly handoffTokens: (replacedTokens: number) => number;
  /** With less, the next shape is tried. */
  readonly handoffTokensMin: number;
}

/** The candidates are made one by one, while they are asked for; there is at least one. */
export function firstThatFits(job: Job, memory: Memory, candidates: Iterable<Candidate>, aim: Aim): Draft {
  const focus = focusOf(job);
  const { measure } = job.request;
  let fitting: Parameters<typeof draftOf>[2] | undefined;
  for (const { shape, ahead, behind = [] } of candidates) {
    const { headEnd, tailStart } = shape;
    const kept = ahead?.placed ?? [];
    const anchor = anchorFor(job.original.messages[job.live], job.live, { headEnd, tailStart, ahead });
    const verbatim = [
      ...shape.messages.slice(0, headEnd),
      ...kept.map(({ message }) => message),
      ...behind,
      ...(anchor === undefined ? [] : [anchor]),
      ...shape.messages.slice(tailStart),
    ];
    const room = aim.limitTokens - job.besideTokens - measure.messages(verbatim) - MESSAGE_OVERHEAD_TOKENS;
    const replaced = measure.messages(job.original.messages.slice(headEnd, tailStart));
    const wanted = aim.handoffTokens(replaced);
    const budget = Math.max(Math.min(wanted, room), HANDOFF_TOKENS_MIN);
    fitting = { shape, ahead, behind, anchor, verbatim, focus, budget };
    if (room >= (headEnd === tailStart ? 0 : Math.min(wanted, aim.handoffTokensMin))) break;
  }
  return draftOf(job, memory, fitting!);
}

/** Words of the task, lower case. */
export function focusOf({ original, request, live }: Job): readonly string[] {
  const asked = original.messages[live];
  return taskWords(request.focus ?? "", asked === undefined ? "" : contentText(asked.parts));
}
