/** Messages in a line each, and the bench a pass works with. */
import { createHash } from "node:crypto";
import type { PassContext } from "../../../src/core/passes/pass.ts";
import { createMeasure } from "../../../src/core/transcript/measure.ts";
import { contentText, textMessage, type Message, type Part } from "../../../src/core/transcript/message.ts";

export const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
export const measure = createMeasure();

export function contextOf(protect: PassContext["protect"] = () => false, focus: readonly string[] = []): PassContext {
  return { measure, hash, protect, focus };
}

export const user = (text: string): Message => textMessage("user", text);
export const says = (text: string): Message => textMessage("assistant", text);
export const textOf = (message: Message | undefined): string => contentText(message?.parts ?? []);

export function calls(...ids: readonly string[]): Message {
  return {
    role: "assistant",
    parts: ids.map((id): Part => ({ kind: "tool-call", id, name: "read", arguments: "{}" })),
  };
}

export function answers(callId: string, text: string): Message {
  return { role: "tool", parts: [{ kind: "tool-result", callId, content: [{ kind: "text", text }] }] };
}

/** A turn that calls one tool, and its result. */
export function ran(
  name: string,
  args: unknown,
  result: string,
  id = `call ${JSON.stringify(args)}`,
): [Message, Message] {
  return [
    { role: "assistant", parts: [{ kind: "tool-call", id, name, arguments: JSON.stringify(args) }] },
    answers(id, result),
  ];
}
