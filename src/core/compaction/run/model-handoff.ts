/**
 * Asks the models of a request for the handoff of a draft whose shape is fixed: what they read, what they may spend, and
 * from where on. A span whose beginning a model has recorded already is only read on.
 */
import type { Items } from "../../handoff/model/asked.ts";
import { tell, type ModelHandoff } from "../../handoff/model/model-handoff.ts";
import type { Writers } from "../../handoff/model/writer.ts";
import type { SummaryAccount } from "../compaction.ts";
import { draftOf, type CompactionRun, type CompactionDraft } from "./draft.ts";
import {
  isWorthCarrying,
  itemsToUpdate,
  recordBefore,
  stillTrue,
  type LastModelHandoff,
  type ModelRecord,
} from "./model-record.ts";

/** A smaller handoff has no room for sentences: code puts more names and values into it than a model does. */
const HANDOFF_TOKENS_ASKED_MIN = 500;
/** Of the whole handoff; the rest is for a person's own words and for lines of the original that the model left out. */
const PROSE_SHARE = 0.7;

/** A draft whose handoff is written for good. */
export interface WrittenDraft {
  readonly draft: CompactionDraft;
  /** How the handoff was written; absent where there is none. */
  readonly summary: SummaryAccount | undefined;
  /** Why the result is poorer than it should be. */
  readonly remarks: readonly string[];
  /** Index after the last message that a model's record in it has; absent where no model wrote any of it. */
  readonly readUntil?: number;
}

/** A handoff that a model is asked for. */
export interface HandoffRequest {
  /** The most that it is asked for. */
  readonly tokens: number;
  readonly last: LastModelHandoff | undefined;
}

/** The draft with what a model wrote in place of what code tells, where one is asked and its answer says enough. */
export async function withModelHandoff(
  run: CompactionRun,
  draft: CompactionDraft,
  asking: HandoffRequest,
): Promise<WrittenDraft> {
  const before = recordBefore(run, asking.last, draft.shape.tailStart);
  const answer = await answerFor(run, draft, { ...asking, before });
  if (answer?.prose === undefined) {
    const hasHandoff = draft.assembled.placed.some(({ message }) => message.origin === "summary");
    const summary = answer?.account ?? (hasHandoff ? { by: "ledger" as const, steps: [] } : undefined);
    const remarks = answer?.degraded ?? [];
    if (before === undefined || !hasHandoff || !isWorthCarrying(before, draft.shape))
      return { draft, summary, remarks };
    const prose = stillTrue(before, run);
    const carried = draftOf(run, { ...draft, prose, proseUntil: before.until });
    return { draft: carried, summary, remarks, readUntil: before.until };
  }
  return {
    draft: draftOf(run, { ...draft, prose: answer.prose }),
    summary: answer.account,
    remarks: answer.degraded,
    readUntil: draft.shape.tailStart,
  };
}

/** The draft as code wrote it. */
export function byCode(draft: CompactionDraft): WrittenDraft {
  return { draft, summary: draft.handoff === undefined ? undefined : { by: "ledger", steps: [] }, remarks: [] };
}

/** Nothing where there is no handoff to write, or nobody to ask. */
async function answerFor(
  run: CompactionRun,
  draft: CompactionDraft,
  { before, ...asking }: HandoffRequest & { readonly before: ModelRecord | undefined },
): Promise<ModelHandoff | undefined> {
  const { memory, template } = run;
  const { writers, signal, focus, measure } = run.request;
  const { shape, budget } = draft;
  if (writers === undefined || isIdle(writers) || shape.headEnd === shape.tailStart) return undefined;
  const { messages } = run.original;
  const tokens = Math.min(budget, asking.tokens);
  if (tokens < HANDOFF_TOKENS_ASKED_MIN) return tooSmall(budget);
  return tell({
    writers,
    ...(signal === undefined ? {} : { signal }),
    ...(focus === undefined ? {} : { focus }),
    span: {
      messages,
      from: before?.until ?? shape.headEnd,
      until: shape.tailStart,
      focus: run.focus,
      recall: draft.evicted[0]?.id ?? "",
      measure,
      redact: memory.redact,
    },
    record: before === undefined ? NO_ITEMS : itemsToUpdate(before, template),
    template,
    budget: tokens,
    targetTokens: Math.min(tokens, Math.floor(budget * PROSE_SHARE)),
    conversation: run.request.standing ?? run.original,
    live: messages[run.live],
  });
}

function isIdle({ auxiliary, main, resting, withheld }: Writers): boolean {
  return auxiliary === undefined && main === undefined && resting.length === 0 && withheld === undefined;
}

const NO_ITEMS: Items = new Map();

function tooSmall(budget: number): ModelHandoff {
  const because = `a handoff of ${budget} tokens is too small for a model to write`;
  return { account: { by: "ledger", because, steps: [] }, degraded: [] };
}
