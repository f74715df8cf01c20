/** Calls and results as an agent's transcript holds them. */
import type { Message, Part } from "../../../../src/core/transcript/message.ts";

export interface ToolRequest {
  readonly id: string;
  readonly name: string;
  readonly target: string;
}

export function callMessage(text: string, { id, name, target }: ToolRequest): Message {
  const args = name === "Bash" ? { command: `cat ${target}` } : { file_path: target };
  const parts: readonly Part[] = [
    { kind: "text", text },
    { kind: "tool-call", id, name, arguments: JSON.stringify(args) },
  ];
  return Object.freeze({ role: "assistant", parts: Object.freeze(parts) });
}

export function resultMessage(callId: string, text: string): Message {
  const part = { kind: "tool-result", callId, content: [{ kind: "text", text } as const] } as const;
  return Object.freeze({ role: "tool", parts: Object.freeze([part]) });
}
