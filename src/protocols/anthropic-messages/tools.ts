/** Tools of Anthropic Messages: declarations with an `input_schema`, and the provider's own, whose types end in a date. */
import { textOf } from "../fields.ts";
import { declarationsIn, described, oneToolEach } from "../tools.ts";

export const anthropicTools = oneToolEach({
  isOwn: (tool) => "input_schema" in tool || /_\d{8}$/.test(textOf(tool["type"]) ?? ""),
  read: (tool) => declarationsIn(tool, ["input_schema"]),
  tool: (declaration) => ({ ...described(declaration), input_schema: declaration.schema }),
});
