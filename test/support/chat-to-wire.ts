/** Request bodies of each protocol from a real Chat transcript, converted by hand so that no encoder of ours is trusted. */
import { RawJson, type JsonLike } from "./json-text.ts";
import { objectOrEmpty } from "./turns-to-ir.ts";
import type { WireName } from "./turns-to-wire.ts";

/** A message of the corpus. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly Readonly<Record<string, JsonLike>>[] | null;
  readonly name?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

export function requestOf(protocol: WireName, messages: readonly ChatMessage[]): JsonLike {
  const system =
    messages[0]?.role === "system" && typeof messages[0].content === "string" ? messages[0].content : undefined;
  const rest = system === undefined ? messages : messages.slice(1);
  switch (protocol) {
    case "openai-chat":
      return { model: "m", messages: messages as unknown as JsonLike, stream: true };
    case "openai-responses":
      return { model: "m", instructions: system, input: rest.flatMap(responsesItems), store: false };
    case "anthropic-messages":
      return { model: "m", max_tokens: 4096, system, messages: anthropicMessages(rest) };
  }
}

function textOf(content: ChatMessage["content"]): string {
  if (content === null || typeof content === "string") return content ?? "";
  return content.map((block) => String(block["text"] ?? "")).join("\n");
}

function responsesItems(message: ChatMessage): JsonLike[] {
  const text = textOf(message.content);
  if (message.role === "tool") return [{ type: "function_call_output", call_id: message.tool_call_id, output: text }];
  const type = message.role === "assistant" ? "output_text" : "input_text";
  const calls = (message.tool_calls ?? []).map((call) => ({
    type: "function_call",
    call_id: call.id,
    name: call.function.name,
    arguments: call.function.arguments,
  }));
  const said =
    text === "" && calls.length > 0 ? [] : [{ type: "message", role: message.role, content: [{ type, text }] }];
  return [...said, ...calls];
}

function anthropicMessages(messages: readonly ChatMessage[]): JsonLike[] {
  const list: { role: string; content: JsonLike[] }[] = [];
  let answering = false;
  for (const message of messages) {
    const text = textOf(message.content);
    if (message.role === "tool") {
      const result = { type: "tool_result", tool_use_id: message.tool_call_id, content: text };
      if (answering) list.at(-1)!.content.push(result);
      else list.push({ role: "user", content: [result] });
      answering = true;
      continue;
    }
    const calls = (message.tool_calls ?? []).map((call) => ({
      type: "tool_use",
      id: call.id,
      name: call.function.name,
      input: new RawJson(objectOrEmpty(call.function.arguments)),
    }));
    const said = text === "" && calls.length > 0 ? [] : [{ type: "text", text }];
    const follows = message.role === "user" && answering;
    if (follows) list.at(-1)!.content.push(...said);
    else list.push({ role: message.role === "assistant" ? "assistant" : "user", content: [...said, ...calls] });
    answering = false;
  }
  return list;
}
