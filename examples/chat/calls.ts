/** The calls of an agent's conversation: which of them nobody has answered yet, and what an answer looks like. */
import type { ModelMessage } from "ai";

export interface Call {
  readonly id: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What is left to do of a conversation whose last process was ended in mid-turn. */
export function isUnfinished(messages: readonly ModelMessage[]): boolean {
  const last = messages.at(-1);
  return last !== undefined && (last.role !== "assistant" || unanswered(messages).length > 0);
}

/** A call that a process began and did not live to answer: it may have had its effect, and is not repeated unasked. */
export function interruptedAnswer(call: Call): ModelMessage {
  return resultMessage(
    call,
    "Interrupted: the agent was ended during this call. It may have had an effect; check before you repeat it.",
    true,
  );
}

export function unanswered(messages: readonly ModelMessage[]): readonly Call[] {
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  const { content = [] } = messages[at] ?? {};
  const answered = new Set(messages.slice(at + 1).flatMap(answeredIn));
  return typeof content === "string"
    ? []
    : content.flatMap((part): readonly Call[] =>
        part.type === "tool-call" && !answered.has(part.toolCallId)
          ? [{ id: part.toolCallId, tool: part.toolName, input: part.input as Call["input"] }]
          : [],
      );
}

function answeredIn(message: ModelMessage): readonly string[] {
  return message.role === "tool"
    ? message.content.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : []))
    : [];
}

export function resultMessage({ id, tool: toolName }: Call, value: string, failed: boolean): ModelMessage {
  const output = { type: failed ? ("error-text" as const) : ("text" as const), value };
  return { role: "tool", content: [{ type: "tool-result", toolCallId: id, toolName, output }] };
}
