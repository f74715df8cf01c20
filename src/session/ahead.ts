/**
 * A compaction made before it is due, while the agent waits for its model: kept in memory until then, put in place in one
 * step, and forgotten where the conversation went another way.
 */
import { applyCompaction, type Compaction } from "../core/compaction/compaction.ts";
import type { Transcript } from "../core/transcript/message.ts";
import type { WaitingForMain } from "./contract.ts";
import { benchOf, type Desk, type View } from "./desk.ts";
import { explained, look, make, record } from "./turn.ts";

/** Makes it. False where nothing came of it: no need, no way, or another is being made. */
export async function makeAhead(desk: Desk, transcript: Transcript, waiting: WaitingForMain): Promise<boolean> {
  const { live, options } = desk;
  if (live.ahead !== undefined || options.enabled === false) return false;
  const view = await look(desk, transcript, waiting.signal);
  if (view.standing.undone || view.tokens < live.limits.pressureTokens) return false;
  const { engineState } = live;
  const outcome = await make(desk, view, { ...waiting, reason: "threshold" });
  if (outcome.kind !== "compacted") {
    // Nobody asked for it, so it does not count against the session.
    live.engineState = engineState;
    live.futileAheadTokens = view.tokens;
    return false;
  }
  live.ahead = outcome.compaction;
  return true;
}

/** Why it is put in place now, and the call that waits for it. */
interface Taking {
  readonly signal?: AbortSignal | undefined;
  readonly because?: string | undefined;
}

/** Puts it in place where it still fits what is asked for now; it is used up either way, but where the call aborts. */
export async function takeAhead(desk: Desk, view: View, { because, signal }: Taking): Promise<Compaction | undefined> {
  const { live, chain } = desk;
  const { ahead } = live;
  if (ahead === undefined) return undefined;
  live.ahead = undefined;
  const { original, standing } = view;
  const sameSoFar = chain.linksOf(original.messages.slice(0, ahead.covered)).at(-1) === ahead.covers;
  const goesFurther = (standing.compaction?.covered ?? 0) < ahead.covered;
  if (!sameSoFar || !goesFurther) return undefined;
  const after = benchOf(desk).measure.transcript(applyCompaction(original, ahead));
  if (after >= live.limits.thresholdTokens) return undefined;
  try {
    return await record(desk, view, because === undefined ? ahead : explained(ahead, because), signal);
  } catch (error) {
    if (signal?.aborted === true) live.ahead ??= ahead;
    throw error;
  }
}

/** True where a compaction that is due can be left to be made ahead: others write it, and the window is not full yet. */
export function canWait({ options, live }: Desk, { tokens }: View): boolean {
  const { writers, remote, mainAhead } = options;
  const asks = mainAhead === true || (remote ?? writers?.auxiliary ?? writers?.main) !== undefined;
  return options.modelsAhead === true && asks && tokens < live.limits.hygieneTokens;
}
