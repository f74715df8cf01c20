/** A compaction as `--diff` shows it: every message of both sides with what became of it, secrets masked before anything is cut, and both sides in step. */
import type { Compaction, CompactionReport, Destination, Evicted } from "../core/compaction/compaction.ts";
import { described, labelOf } from "../core/digest/call.ts";
import type { Redactor } from "../core/redaction/redactor.ts";
import type { Measure } from "../core/transcript/measure.ts";
import { callsOf, contentText, type Message, type Origin } from "../core/transcript/message.ts";
import type { MessageShown } from "../gateway/history/contract.ts";

/** What is shown of one message; its original has the rest. */
const TEXT_CHARS_MAX = 4_000;
/** A handoff is shown whole: the largest ones weigh some 12,000 tokens. */
const HANDOFF_CHARS_MAX = 200_000;

export interface MessageBefore extends MessageShown {
  readonly became: Destination;
  /** The recall id that leads to its original. */
  readonly recall?: string | undefined;
}

export interface MessageAfter extends MessageShown {
  readonly origin?: Origin | undefined;
}

export interface ShownCompaction {
  readonly report: CompactionReport;
  readonly before: readonly MessageBefore[];
  readonly after: readonly MessageAfter[];
}

/** What messages are shown with: a mask for secrets, and what they weigh. */
export interface ShownWith {
  readonly redact: Redactor;
  readonly measure: Measure;
}

/** `messages` is the original conversation; of what came after the covered ones, it has what was there when it was made. */
export function shownCompaction(
  compaction: Compaction,
  messages: readonly Message[],
  shownWith: ShownWith,
): ShownCompaction {
  const { report, after, map, covered, evicted } = compaction;
  const rest = messages.slice(covered, Math.max(covered, report.messages.before));
  const recallable = recallIds(evicted);
  const becameOf = (at: number): Destination =>
    at < covered ? (map[at] ?? { kind: "summarised" }) : { kind: "kept", at: after.length + at - covered };
  return {
    report,
    before: messages.slice(0, covered + rest.length).map((message, at): MessageBefore => {
      return { ...shown(message, at, shownWith), became: becameOf(at), recall: recallable.get(at) };
    }),
    after: [...after, ...rest].map((message, at): MessageAfter => {
      return { ...shown(message, at, shownWith), origin: message.origin };
    }),
  };
}

/** By the index of each message that left. */
function recallIds(evicted: readonly Evicted[]): ReadonlyMap<number, string> {
  const ids = new Map<number, string>();
  for (const { id, message, end = message + 1 } of evicted)
    for (let at = message; at < end; at++) if (!ids.has(at)) ids.set(at, id);
  return ids;
}

function shown(message: Message, at: number, { redact, measure }: ShownWith): MessageShown {
  const most = message.origin === "summary" ? HANDOFF_CHARS_MAX : TEXT_CHARS_MAX;
  const calls = callsOf(message).map((call) => redact(labelOf(described(call))));
  const text = redact(contentText(message.parts)).slice(0, most);
  return { number: at + 1, role: message.role, tokens: measure.message(message), text, calls };
}

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
