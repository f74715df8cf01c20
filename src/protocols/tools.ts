/** Tool declarations carried from one protocol to another: the name, what it is for, and the schema of its arguments. */
import type { Fields } from "./dialect.ts";
import { fieldsOf, isFields, textOf } from "./fields.ts";
import { elementTexts } from "./json/scan.ts";
import type { ProtocolName } from "./protocol.ts";

interface Declaration {
  readonly name: string;
  readonly description: string | undefined;
  readonly schema: unknown;
  readonly strict: unknown;
}

/** The JSON text of `tools` in the target protocol. Tools that only their own provider runs are left out, except at home. */
export function encodeTools(tools: string, target: ProtocolName): string {
  const encoded = elementTexts(tools).flatMap((text) => {
    const tool = fieldsOf(JSON.parse(text));
    if (homeOf(tool) === target) return [text];
    const declaration = readDeclaration(tool);
    return declaration === undefined ? [] : [JSON.stringify(writeDeclaration(declaration, target))];
  });
  return `[${encoded.join(",")}]`;
}

/** The protocol in whose form a tool is declared. */
function homeOf(tool: Fields): ProtocolName {
  if (isFields(tool["function"]) || isFields(tool["custom"])) return "openai-chat";
  if ("input_schema" in tool || /_\d{8}$/.test(textOf(tool["type"]) ?? "")) return "anthropic-messages";
  // A legacy Chat function has neither a type nor a wrapper.
  return tool["type"] === undefined && "parameters" in tool ? "openai-chat" : "openai-responses";
}

function readDeclaration(tool: Fields): Declaration | undefined {
  const inner = isFields(tool["function"]) ? tool["function"] : tool;
  const name = textOf(inner["name"]);
  const schema = inner["input_schema"] ?? inner["parameters"];
  if (name === undefined || schema === undefined) return undefined;
  return { name, description: textOf(inner["description"]), schema, strict: inner["strict"] };
}

function writeDeclaration({ name, description, schema, strict }: Declaration, target: ProtocolName): unknown {
  const described = description === undefined ? { name } : { name, description };
  const exact = strict === undefined ? {} : { strict };
  switch (target) {
    case "openai-chat":
      return { type: "function", function: { ...described, parameters: schema, ...exact } };
    case "openai-responses":
      return { type: "function", ...described, parameters: schema, ...exact };
    case "anthropic-messages":
      return { ...described, input_schema: schema };
  }
}
