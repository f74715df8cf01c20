/** AI SDK: `pruneMessages`, which deletes tool calls with their results and keeps what was said. */
import type { ChatMessage } from "../../../eval/src/recall/future-use.ts";
import { installed, load } from "../load.ts";
import {
  argumentsOf,
  NOBODY_ASKED,
  textOfContent,
  toolNames,
  wireCall,
  type Contestant,
  type Native,
} from "./contestant.ts";

interface AiSdk {
  readonly pruneMessages: (options: { messages: Native; toolCalls: string; emptyMessages: "remove" }) => Native;
}

type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool-call"; readonly toolCallId: string; readonly toolName: string; readonly input: unknown }
  | { readonly type: "tool-result"; readonly toolCallId: string; readonly output: { readonly value: string } };

interface ModelMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly Part[];
}

const AS_MEASURED_BEFORE_MESSAGES = 20;

export async function pruneMessagesContestant(): Promise<Contestant> {
  const { pruneMessages } = await load<AiSdk>("ai");
  return {
    name: "AI SDK pruneMessages",
    from: installed("ai"),
    how: "toolCalls: before-last-20-messages",
    knob: "messages",
    asItComes: { keep: AS_MEASURED_BEFORE_MESSAGES, summaryTokens: 0 },
    stands: false,
    read: asModelMessages,
    on: () => ({
      compact: (messages, { keep }) =>
        Promise.resolve(
          pruneMessages({ messages, toolCalls: `before-last-${keep}-messages`, emptyMessages: "remove" }),
        ),
      write: (messages) => (messages as readonly ModelMessage[]).map(asChat),
      told: () => NOBODY_ASKED,
    }),
  };
}

function asModelMessages(messages: readonly ChatMessage[]): readonly ModelMessage[] {
  const nameOf = toolNames(messages);
  return messages.map((message): ModelMessage => {
    const text = textOfContent(message);
    switch (message.role) {
      case "assistant": {
        const calls = (message.tool_calls ?? []).map((call): Part => {
          const { name, arguments: input } = call.function;
          return { type: "tool-call", toolCallId: call.id, toolName: name, input: argumentsOf(input) };
        });
        return { role: "assistant", content: [...(text === "" ? [] : [{ type: "text", text } as const]), ...calls] };
      }
      case "tool": {
        const id = message.tool_call_id ?? "";
        const output = { type: "text", value: text };
        return {
          role: "tool",
          content: [{ type: "tool-result", toolCallId: id, toolName: nameOf(id), output } as Part],
        };
      }
      case "system":
        return { role: "system", content: text };
      default:
        return { role: "user", content: text };
    }
  });
}

function asChat({ role, content }: ModelMessage): ChatMessage {
  if (typeof content === "string") return { role, content };
  const [first] = content;
  if (first?.type === "tool-result") return { role, tool_call_id: first.toolCallId, content: first.output.value };
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const calls = content.flatMap((part) =>
    part.type === "tool-call" ? [wireCall(part.toolCallId, part.toolName, part.input)] : [],
  );
  return { role, content: text, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}
