/** Tools of Responses: a declaration beside its type; whatever else is typed is the provider's own. */
import { textOf } from "../fields.ts";
import { declarationsIn, described, oneToolEach, strictness } from "../tools.ts";

export const responsesTools = oneToolEach({
  isOwn: (tool) =>
    typeof (tool["type"] ?? tool["name"]) === "string" &&
    !("input_schema" in tool) &&
    // Anthropic's own tools are dated.
    !/_\d{8}$/.test(textOf(tool["type"]) ?? ""),
  read: (tool) => declarationsIn(tool, ["parameters"]),
  tool: (declaration) => ({
    type: "function",
    ...described(declaration),
    parameters: declaration.schema,
    ...strictness(declaration),
  }),
});
