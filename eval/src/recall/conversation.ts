/** Chat messages as the core reads them, and back. */
import {
  callsOf as callsIn,
  contentText,
  resultOf,
  type Message,
  type Part,
} from "../../../src/core/transcript/message.ts";
import { callsOf, contentOf, type ChatMessage } from "./future-use.ts";

export function asMessage(chat: ChatMessage): Message {
  const text = contentOf(chat.content);
  const content: Part[] = text === "" ? [] : [{ kind: "text", text }];
  if (chat.role === "tool")
    return {
      role: "tool",
      parts: [
        { kind: "tool-result", callId: chat.tool_call_id ?? "", content: text === "" ? [] : [{ kind: "text", text }] },
      ],
    };
  const calls = callsOf(chat).map((call): Part => ({
    kind: "tool-call",
    id: call.id,
    name: call.function.name,
    arguments: call.function.arguments,
  }));
  const role = chat.role === "assistant" || chat.role === "system" ? chat.role : "user";
  return { role, parts: [...content, ...calls] };
}

/** What a model reads of a message. */
export function chatOf(message: Message): ChatMessage {
  const calls = callsIn(message).map(({ id, name, arguments: given }) => ({
    id,
    function: { name, arguments: given },
  }));
  const result = resultOf(message);
  return {
    role: message.role,
    content: contentText(message.parts),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(result === undefined ? {} : { tool_call_id: result.callId }),
    ...(message.origin === "summary" ? { summary: true } : {}),
  };
}
