/**
 * Thinking that a server wants back with the call it led to: DeepSeek ("For turns that do perform tool calls, the
 * reasoning_content must be fully passed back to the API in all subsequent requests",
 * https://api-docs.deepseek.com/guides/thinking_mode), MiMo
 * (https://platform.xiaomimimo.com/docs/zh-CN/usage-guide/passing-back-reasoning_content) and Kimi
 * (https://platform.kimi.ai/docs/guide/kimi-k2-6-quickstart). An empty thought counts.
 */
import { fieldsOf, listOf, textOf } from "../fields.ts";
import { firstRefusal, invalid, type Refusal } from "./refusal.ts";
import { type Fields } from "../dialect.ts";

function refused(field: string): Refusal {
  return invalid("reasoning", `The \`${field}\` in the thinking mode must be passed back to the API.`, {
    code: "invalid_request_error",
  });
}

/** They think unless they are told not to. */
function thinks(body: Fields): boolean {
  return fieldsOf(body["thinking"])["type"] !== "disabled" && body["reasoning_effort"] !== "none";
}

/** Of a request of Chat Completions to such a model. */
export function checkReturnedReasoning(body: Fields): Refusal | undefined {
  if (!thinks(body)) return undefined;
  return firstRefusal(listOf(body["messages"]).map(fieldsOf), ({ tool_calls: calls, reasoning_content: thought }) =>
    listOf(calls).length > 0 && typeof thought !== "string" ? refused("reasoning_content") : undefined,
  );
}

/** Of a request of Anthropic Messages to such a model. */
export function checkReturnedThinking(body: Fields): Refusal | undefined {
  if (!thinks(body)) return undefined;
  return firstRefusal(listOf(body["messages"]).map(fieldsOf), ({ content }) => {
    const types = listOf(content).map((block) => textOf(fieldsOf(block)["type"]) ?? "");
    return types.includes("tool_use") && !types.some((type) => type.endsWith("thinking"))
      ? refused("content[].thinking")
      : undefined;
  });
}
