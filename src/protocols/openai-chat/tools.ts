/** Tools of Chat Completions: the declaration is under `function`, in older requests by itself. */
import { fieldsOf, isFields } from "../fields.ts";
import { declarationsIn, described, oneToolEach, strictness } from "../tools.ts";

export const chatTools = oneToolEach({
  // A legacy function has neither a type nor a wrapper.
  isOwn: (tool) =>
    isFields(tool["function"]) || isFields(tool["custom"]) || (tool["type"] === undefined && "parameters" in tool),
  read: (tool) =>
    declarationsIn(isFields(tool["function"]) ? fieldsOf(tool["function"]) : tool, ["input_schema", "parameters"]),
  tool: (declaration) => ({
    type: "function",
    function: { ...described(declaration), parameters: declaration.schema, ...strictness(declaration) },
  }),
});
