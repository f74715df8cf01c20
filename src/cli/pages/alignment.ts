/** Both sides of a compaction in step: runs of messages that met one fate, each beside what stands in its place. */
import type { MessageAfter, MessageBefore, ShownCompaction } from "./compaction-shown.ts";

export type Fate = "kept" | "shortened" | "replaced";

export interface AlignedRun {
  readonly fate: Fate;
  /** Messages before, in order; none where precis added something. */
  readonly before: readonly MessageBefore[];
  /** What stands in their place. */
  readonly after: readonly MessageAfter[];
}

/** Every message of both sides is in exactly one run, in its own order. */
export function alignedRuns({ before, after }: ShownCompaction): readonly AlignedRun[] {
  const runs: { fate: Fate; before: MessageBefore[]; after: MessageAfter[] }[] = [];
  let placed = 0;
  const runOf = (fate: Fate): (typeof runs)[number] => {
    const last = runs.at(-1);
    if (last?.fate === fate) return last;
    runs.push({ fate, before: [], after: [] });
    return runs.at(-1)!;
  };
  const writtenUpTo = (end: number): void => {
    if (placed < end) for (const each of after.slice(placed, end)) runOf("replaced").after.push(each);
    placed = Math.max(placed, end);
  };
  for (const message of before) {
    const { became } = message;
    if (became.kind === "kept" || became.kind === "edited") {
      writtenUpTo(became.at);
      const run = runOf(became.kind === "kept" ? "kept" : "shortened");
      run.before.push(message);
      if (placed === became.at && placed < after.length) run.after.push(after[placed++]!);
    } else runOf("replaced").before.push(message);
  }
  writtenUpTo(after.length);
  return runs;
}

export function tokensOf(messages: readonly { readonly tokens: number }[]): number {
  return messages.reduce((sum, { tokens }) => sum + tokens, 0);
}
