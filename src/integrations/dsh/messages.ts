/** Messages of the DeepSeek Harness as a conversation of ours: results are messages of their own. */
import type { Content, Part } from "../../core/transcript/message.ts";
import { dshParts, dshResults, isInjected } from "../../logs/dsh/blocks.ts";
import type { ReadFormat } from "../framework/conversation.ts";

/** What is read of one. */
export interface DshMessage {
  readonly id?: string;
  readonly role: string;
  readonly content: readonly unknown[];
  /** Who wrote it: a plugin of the harness speaks in the user's name. */
  readonly source?: unknown;
}

export const dshMessages: ReadFormat<DshMessage> = { name: "dsh", read: readMessage };

function readMessage({ role, content, source }: DshMessage): readonly Content[] {
  const parts = dshParts(content);
  const speaker = role === "assistant" || role === "system" ? role : "user";
  const isReminder = speaker === "user" && isInjected(source);
  return [
    ...(parts.length === 0 ? [] : [{ role: speaker, parts: isReminder ? parts.map(asReminder) : parts } as const]),
    ...dshResults(content).map(({ callId = "", content: printed, isError }): Content => {
      const result: Part = { kind: "tool-result", callId, content: printed, at: 0 };
      return { role: "tool", parts: [isError ? { ...result, isError } : result] };
    }),
  ];
}

function asReminder(part: Part): Part {
  return part.kind === "text" ? { ...part, text: `<system-reminder>\n${part.text}\n</system-reminder>` } : part;
}
