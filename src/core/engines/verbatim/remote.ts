/** The provider's own compaction in place of a handoff: asked once, kept byte for byte, never waited for twice. */
import type { SummaryAccount, SummaryStep } from "../../compaction/compaction.ts";
import type { Message } from "../../transcript/message.ts";
import type { Remote, RemoteItem } from "../contract.ts";
import type { Candidate, CompactionRun, SizeGoal } from "../../compaction/plan.ts";

/** Beside the provider's item: enough to say what it is and where the originals are. */
const RECORD_TOKENS = 300;

export type RemoteAnswer =
  | { readonly kind: "failed"; readonly because: string }
  | {
      readonly kind: "answered";
      readonly item: Message;
      readonly summary: SummaryAccount;
      /** The same goal, with no more of a handoff than the item needs beside it. */
      readonly goal: <Goal extends SizeGoal>(goal: Goal) => Goal;
      /** What is said of an item that makes nothing smaller. */
      readonly tooLarge: string;
    };

/** Rejects only where the host's own signal aborts. What is sent today is what the provider reads: an earlier item too. */
export async function askProvider(remote: Remote, { original, request }: CompactionRun): Promise<RemoteAnswer> {
  const { signal, standing = original } = request;
  try {
    const item = await remote(standing, signal);
    if (!isItem(item)) return failed("its answer is not an item");
    return {
      kind: "answered",
      item: toMessage(item),
      summary: {
        by: "model",
        because: `the provider compacted the conversation (${item.type})`,
        steps: [toStep(item)],
      },
      goal: (goal) => ({ ...goal, handoffTokens: (replaced) => Math.min(RECORD_TOKENS, goal.handoffTokens(replaced)) }),
      tooLarge: "the provider's item was not used because it does not make the conversation smaller",
    };
  } catch (error) {
    signal?.throwIfAborted();
    return failed(error instanceof Error ? error.message : "it failed without a reason");
  }
}

function failed(because: string): RemoteAnswer {
  return {
    kind: "failed",
    because: `the provider's own compaction was not used, so the handoff was written here: ${because}`,
  };
}

function toStep({ model = "the provider", usage }: RemoteItem): SummaryStep {
  const { inputTokens = 0, outputTokens = 0, costUsd } = usage ?? {};
  const tokens = { input: inputTokens, output: outputTokens };
  return {
    model,
    role: "provider",
    outcome: "written",
    calls: 1,
    tokens,
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}

function isItem({ type, raw }: RemoteItem): boolean {
  if (type === "") return false;
  try {
    return typeof JSON.parse(raw) === "object";
  } catch {
    return false;
  }
}

/** Where the provider would put it itself: as something that it said. */
function toMessage({ type, raw }: RemoteItem): Message {
  const part = Object.freeze({ kind: "opaque", type, raw } as const);
  return Object.freeze({ role: "assistant", parts: Object.freeze([part]), origin: "summary" });
}

/** The candidates with the item behind what is kept. */
export function* besideItem(item: Message, candidates: Iterable<Candidate>): Generator<Candidate> {
  for (const { kept, ...candidate } of candidates) {
    const placed = [...(kept?.placed ?? []), { message: item, from: -1 }];
    yield { ...candidate, kept: { placed, evicted: kept?.evicted ?? [] } };
  }
}
