/**
 * The model behind the provider: what to answer follows from the request alone and from the stage. The ids of its calls say
 * which step they belong to, so that a request that was compacted, or is sent twice, is answered all the same.
 */
import type { Answer, AnswerCall, ScriptedRequest } from "../provider/src/index.ts";
import { TASK_MARK, type Action, type Stage } from "./task.ts";

/** How a client's own tools are called for an action. */
export type CallFor = (action: Action, asked: ScriptedRequest) => Omit<AnswerCall, "id">;

export interface Scripted {
  readonly callFor: CallFor;
  readonly stages: readonly Stage[];
  /** Which stage is under way, counted from 0. */
  readonly stage: () => number;
  /** Whether a request is one of the task, and not one that the client makes for itself. */
  readonly isTask: (asked: ScriptedRequest) => boolean;
  /** Answers what is not of the task: titles, summaries. */
  readonly aside: (asked: ScriptedRequest) => Answer;
}

export function scriptOf({ callFor, stages, stage, isTask, aside }: Scripted): (asked: ScriptedRequest) => Answer {
  return (asked) => {
    const text = JSON.stringify(asked.body);
    const at = stage();
    if (asksSummary(text)) return { text: summaryOf(text, at) };
    if (!isTask(asked)) return aside(asked);
    const { steps, closing } = stages[at]!;
    const number = nextStep(text, at);
    const step = steps[number];
    if (step === undefined) return { text: closing };
    return {
      ...(step.thinks === undefined ? {} : { thinking: step.thinks }),
      ...(step.says === undefined ? {} : { text: step.says }),
      calls: step.does.map((action, place) => ({ ...callFor(action, asked), id: callId(at, number, place) })),
    };
  };
}

const callId = (stage: number, step: number, place: number): string => `step_${stage}_${step}_${place}`;

/** A client's own compaction: what each says when it asks for a summary. */
const SUMMARY_ASKED =
  /CONTEXT CHECKPOINT COMPACTION|detailed summary of the conversation so far|You are a context summarization|compaction engine for this AI coding assistant|You are a summarization agent/;

export function asksSummary(body: string): boolean {
  return SUMMARY_ASKED.test(body);
}

/** Short, and with what the script has to know of the way so far. */
function summaryOf(text: string, stage: number): string {
  const last = nextStep(text, stage) - 1;
  const done = last < 0 ? "" : ` Done until ${callId(stage, last, 0)}.`;
  return `<summary>A ${TASK_MARK} is under review.${done}</summary>`;
}

/** The step after the last one that the request tells of; the first of the stage where it tells of none. */
function nextStep(text: string, stage: number): number {
  let last = -1;
  for (const [, number] of text.matchAll(new RegExp(`step_${stage}_(\\d+)_`, "g")))
    last = Math.max(last, Number(number));
  return last + 1;
}
