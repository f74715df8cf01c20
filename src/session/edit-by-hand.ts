/** One result or a range that a person compacts or drops: recorded at once, as a compaction of its own that `undo` takes back. */
import type { HandEdit } from "../core/compaction/compaction.ts";
import { recordEdit } from "../core/compaction/by-hand.ts";
import { reachTo } from "../core/compaction/revise.ts";
import { PrecisError } from "../core/errors.ts";
import type { Outcome } from "../core/engines/contract.ts";
import { liveRequestOf } from "../core/events/live-request.ts";
import { exchangesOf } from "../core/transcript/exchanges.ts";
import type { Message, Transcript } from "../core/transcript/message.ts";
import type { Waiting } from "./contract.ts";
import { estimatorOf, type SessionContext } from "./context.ts";
import { rangeOfMessages, pinsOf } from "./pins.ts";
import { withReceipt } from "./receipt.ts";
import { recordCompaction } from "./make-compaction.ts";
import { settleRequest, viewConversation } from "./turn.ts";

export interface EditRequest extends Waiting {
  /** Numbers of messages, from 1: `12`, `12-30`. */
  readonly messages: string;
  readonly how: HandEdit["how"];
}

/** @throws PrecisError `bad_range`, `pinned`, and of the store; the signal's reason where it aborts. */
export async function editConversation(
  context: SessionContext,
  transcript: Transcript,
  { messages: wanted, how, signal }: EditRequest,
): Promise<Outcome & { readonly transcript: Transcript }> {
  const view = await viewConversation(context, transcript, signal);
  const { original, standing } = view;
  const { from, to } = rangeOfMessages(wanted, original.messages.length);
  const edit: HandEdit = { from: from - 1, end: to, how };
  const pins = await pinsOf(context, original);
  const pinned = pins.messages.find((at) => at >= edit.from && at < edit.end);
  if (pinned !== undefined) throw isPinned(pinned + 1);
  if (how === "drop") refuseNewest(original.messages, edit);
  const { state, options, chain } = context;
  const editing = {
    original,
    standing: standing.compaction,
    edit,
    engine: state.engine.name,
    state: state.engineState,
  };
  const estimator = estimatorOf(context);
  const made = recordEdit(editing, estimator);
  if (made === undefined) return { kind: "unchanged", because: futileBecause(edit), transcript: view.current };
  const amended = options.amend?.(made, original, estimator) ?? made;
  const least = (standing.compaction?.covered ?? 0) + 1;
  state.ahead = undefined;
  const reaching = reachTo(amended, least, original, chain);
  const withAccount = withReceipt(reaching, original.messages, { pins, secrets: options.secrets, hash: chain.hash });
  const compaction = await recordCompaction(context, view, withAccount, signal);
  return { kind: "compacted", compaction, transcript: settleRequest(context, view, { compaction }).transcript };
}

function futileBecause({ from, end, how }: HandEdit): string {
  const range = `messages ${from + 1} to ${end}`;
  return how === "drop"
    ? `nothing of ${range} is sent any more that could be dropped`
    : `nothing of ${range} is sent any more that could be made smaller`;
}

/** A conversation without its newest request, or its newest exchange, is another one. */
function refuseNewest(messages: readonly Message[], { from, end }: HandEdit): void {
  const live = liveRequestOf(messages);
  const newest = exchangesOf(messages).at(-1);
  const holds = (at: number): boolean => at >= from && at < end;
  const takesLast = newest !== undefined && holds(newest.start) && holds(newest.end - 1);
  if (!holds(live) && !takesLast) return;
  throw new PrecisError(`message ${(holds(live) ? live : newest!.start) + 1} cannot be dropped`, {
    code: "bad_range",
    hint: "The newest request and the newest exchange stay. Drop messages before them, or single results.",
  });
}

function isPinned(number: number): PrecisError {
  return new PrecisError(`message ${number} is pinned`, {
    code: "pinned",
    hint: "Unpin it first, or leave it out of the range.",
  });
}
