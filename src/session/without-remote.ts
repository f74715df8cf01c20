/** A compaction of ours in place of one that the provider made, for a conversation whose provider no longer takes the item. */
import type { Compaction } from "../core/compaction/compaction.ts";
import type { Transcript } from "../core/transcript/message.ts";
import type { SessionContext } from "./context.ts";
import type { CompactOptions, Prepared } from "./contract.ts";
import { compactView } from "./make-compaction.ts";
import { settleRequest, viewConversation } from "./turn.ts";

export async function compactWithoutRemote(
  context: SessionContext,
  transcript: Transcript,
  asked: CompactOptions,
): Promise<Prepared | undefined> {
  const view = await viewConversation(context, transcript, asked.signal);
  const { compaction } = view.standing;
  if (compaction === undefined || !holdsItem(compaction)) return undefined;
  // What stands is smaller than any handoff, and of no use: savings are counted from the conversation itself.
  const afresh = { ...view, current: view.original };
  const { reason } = compaction.report;
  const outcome = await compactView(context, afresh, { models: asked.reason === "explicit", reason, ...asked });
  return outcome.kind === "compacted" ? settleRequest(context, view, outcome) : undefined;
}

function holdsItem({ after }: Compaction): boolean {
  return after.some(({ origin, parts }) => origin === "summary" && parts.some(({ kind }) => kind === "opaque"));
}
