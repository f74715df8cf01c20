/**
 * Chat's rule of pairs: the calls of a message are answered by tool messages before anybody else speaks
 * (https://developers.openai.com/api/docs/guides/function-calling).
 */
import { fieldsOf, listOf, textOf, type Fields } from "../../../src/protocols/fields.ts";
import { firstRefusal, invalid, type Refusal } from "../../../src/protocols/request-form/openai-refusals.ts";

export function checkPairs(messages: readonly Fields[]): Refusal | undefined {
  let open: readonly string[] = [];
  let called: readonly string[] = [];
  const close = (at: number): Refusal | undefined =>
    open.length === 0
      ? undefined
      : invalid(
          "pairing",
          `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(", ")}`,
          { param: `messages.[${at}].role` },
        );
  const wrong = firstRefusal(messages, (message, at) => {
    if (message["role"] !== "tool") {
      const unanswered = close(at);
      open = called = listOf(message["tool_calls"]).map((call) => textOf(fieldsOf(call)["id"]) ?? "");
      return unanswered;
    }
    const id = textOf(message["tool_call_id"]) ?? "";
    const stray = called.length === 0 ? strayTool(at) : open.includes(id) ? undefined : unknownCall(id, at);
    open = open.filter((one) => one !== id);
    return stray;
  });
  return wrong ?? close(messages.length);
}

function strayTool(at: number): Refusal {
  return invalid(
    "pairing",
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    { param: `messages.[${at}].role` },
  );
}

function unknownCall(id: string, at: number): Refusal {
  return invalid(
    "pairing",
    `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
    { param: `messages.[${at}].tool_call_id` },
  );
}
