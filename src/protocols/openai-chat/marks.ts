/** How bodies of Chat Completions are recognised. */
import type { ProtocolMarks } from "../definition.ts";
import { fieldsOf, listOf } from "../fields.ts";

export const chatMarks: ProtocolMarks = {
  request: (request) => !("system" in request) && listOf(request["tools"]).some((tool) => "function" in fieldsOf(tool)),
  message: (message) =>
    message["role"] === "tool" ||
    message["role"] === "function" ||
    "tool_calls" in message ||
    "function_call" in message ||
    "reasoning_content" in message,
  blocks: ["image_url", "input_audio", "file", "refusal"],
  certain: {
    message: ({ role, ...message }) => "tool_calls" in message || role === "tool" || role === "function",
    blocks: ["image_url", "input_audio"],
  },
};
