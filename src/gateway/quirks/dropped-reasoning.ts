/**
 * A client that leaves out what its model thought before a call: Anthropic wants thinking back with the call that it led to
 * (https://platform.claude.com/docs/en/build-with-claude/extended-thinking), and OpenAI its encrypted reasoning items where it keeps
 * nothing itself (https://developers.openai.com/api/docs/guides/reasoning). Only a notice says so: what the client left out is gone.
 */
import type { Message } from "../../core/transcript/message.ts";
import type { NoticeEvent } from "../contract.ts";

/** What an answer's calls rest on, until the request that brings them back. */
export interface ReasonedCalls {
  /** Ids of calls behind reasoning. */
  readonly calls: readonly string[];
  /** It was reported for this conversation. */
  readonly isReported: boolean;
}

const DROPPED_REASONING =
  "a client sent a call back without the reasoning that its provider had returned before it: the model goes on without what it thought, and more of the prompt may be billed anew. Look in the client's settings, or in a proxy before the gateway, for what removes reasoning";

type DroppedReasoning = Pick<NoticeEvent, "kind" | "message"> & { readonly code: "reasoning_dropped" };

/** The notice of it, once for each conversation. */
export function noticeDroppedReasoning(
  conversation: { reasoned?: ReasonedCalls | undefined },
  messages: readonly Message[],
): DroppedReasoning | undefined {
  const { calls, isReported } = conversation.reasoned ?? { calls: [], isReported: false };
  if (isReported || calls.length === 0 || !dropsReasoning(calls, messages)) return undefined;
  conversation.reasoned = { calls, isReported: true };
  return { kind: "notice", code: "reasoning_dropped", message: DROPPED_REASONING };
}

/** Whether one of these calls came back, and no reasoning in its turn. */
function dropsReasoning(calls: readonly string[], messages: readonly Message[]): boolean {
  const ids = new Set(calls);
  const at = messages.findLastIndex(({ parts }) => parts.some((part) => part.kind === "tool-call" && ids.has(part.id)));
  for (let index = at; index >= 0 && messages[index]!.role === "assistant"; index--)
    if (messages[index]!.parts.some(({ kind }) => kind === "reasoning")) return false;
  return at >= 0;
}
