/** How bodies of Anthropic Messages are recognised. */
import type { ProtocolMarks } from "../definition.ts";
import { fieldsOf, isFields, listOf } from "../fields.ts";

export const anthropicMarks: ProtocolMarks = {
  request: (request) =>
    "system" in request ||
    "anthropic_version" in request ||
    listOf(request["tools"]).some((tool) => "input_schema" in fieldsOf(tool)),
  message: () => false,
  blocks: ["tool_use", "tool_result", "thinking", "redacted_thinking", "document", "image", "server_tool_use"],
  block: (block) => isFields(block["source"]) || "cache_control" in block,
  certain: { message: () => false, blocks: ["tool_use", "tool_result", "redacted_thinking"] },
};
