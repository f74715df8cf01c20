/** Of the candidates that an engine is willing to send, from the mildest to the severest, the first that fits. */
import { anchorFor } from "./assemble.ts";
import { draftOf, sizeOf, type Candidate, type CompactionRun, type Cut, type CompactionDraft } from "./draft.ts";
import { GOAL_DEFAULTS, type SizeGoal } from "./goal.ts";

/** A cut, and whether its handoff has room enough. */
export interface FittedCut extends Cut {
  readonly limitTokens: number;
  readonly roomTokens: number;
  readonly fits: boolean;
}

/** Candidates are made one by one, as they are asked for. */
function* cutsOf(run: CompactionRun, candidates: Iterable<Candidate>, goal: SizeGoal): Generator<FittedCut> {
  const { measure } = run.request;
  const { messages } = run.original;
  const { handoffTokensLeast, overheadTokens } = { ...GOAL_DEFAULTS, ...goal };
  for (const { shape, kept, restored = [], ...own } of candidates) {
    const { headEnd, tailStart } = shape;
    const anchor = anchorFor(messages[run.live], run.live, shape, kept);
    const verbatim = [
      ...shape.messages.slice(0, headEnd),
      ...(kept?.placed ?? []).map(({ message }) => message),
      ...restored,
      ...(anchor === undefined ? [] : [anchor]),
      ...shape.messages.slice(tailStart),
    ];
    const { handoffTokens, handoffTokensMin, limitTokens } = { ...goal, ...own };
    const room = limitTokens - run.besideTokens - measure.messages(verbatim) - overheadTokens;
    const replaced = measure.messages(messages.slice(headEnd, tailStart));
    const wanted = handoffTokens(replaced);
    const budget = Math.max(Math.min(wanted, room), handoffTokensLeast(room, replaced));
    const fits = room >= (headEnd === tailStart ? 0 : Math.min(wanted, handoffTokensMin));
    const cut = { shape, kept, restored, anchor, verbatim, budget };
    yield { ...cut, limitTokens, roomTokens: room, fits };
  }
}

/** The first that leaves its handoff room; the last where none does. */
export function firstCut(run: CompactionRun, candidates: Iterable<Candidate>, goal: SizeGoal): FittedCut {
  let last: FittedCut | undefined;
  for (const cut of cutsOf(run, candidates, goal)) {
    last = cut;
    if (cut.fits) break;
  }
  return last!;
}

export function firstThatFits(run: CompactionRun, candidates: Iterable<Candidate>, goal: SizeGoal): CompactionDraft {
  return draftOf(run, firstCut(run, candidates, goal));
}

/** The first whose whole result is within the limit; the smallest where none is. */
export function firstWithin(
  run: CompactionRun,
  candidates: Iterable<Candidate>,
  goal: SizeGoal,
  draft: (cut: Cut) => CompactionDraft,
): CompactionDraft {
  let smallest: CompactionDraft | undefined;
  for (const cut of cutsOf(run, candidates, goal)) {
    const drafted = draft(cut);
    const tokens = sizeOf(run, drafted);
    if (tokens <= cut.limitTokens) return drafted;
    if (smallest === undefined || tokens < sizeOf(run, smallest)) smallest = drafted;
  }
  return smallest!;
}
