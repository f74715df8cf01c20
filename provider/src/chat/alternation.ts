/**
 * The rule of servers that render messages with a chat template of Mistral or Gemma: user and assistant take turns
 * (https://github.com/vllm-project/vllm/issues/6862).
 */
import { firstRefusal, invalid, type Refusal } from "../../../src/protocols/request-form/openai-refusals.ts";
import { type Fields } from "../../../src/protocols/fields.ts";

/** A system message may come first; results, and messages that only call tools, do not count. */
export function checkAlternation(messages: readonly Fields[]): Refusal | undefined {
  let next = "user";
  return firstRefusal(messages, ({ role, tool_calls: calls }, at) => {
    if ((at === 0 && role === "system") || role === "tool" || calls !== undefined) return undefined;
    if (role !== next) return invalid("roles", "Conversation roles must alternate user/assistant/user/assistant/...");
    next = next === "user" ? "assistant" : "user";
    return undefined;
  });
}
