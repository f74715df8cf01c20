/** Tools of the Gemini API: one element holds all function declarations; others are the provider's own. */
import type { HiddenTools } from "../answers/screen.ts";
import { fieldsOf, isFields, listOf } from "../fields.ts";
import { patchObject } from "../json/edit.ts";
import { elementTexts, memberText } from "../json/scan.ts";
import { declarationsIn, described, type Declaration, type ToolForm } from "../tools.ts";

const LIST = "functionDeclarations";
const LISTS = [LIST, "function_declarations"] as const;

export const geminiTools: ToolForm = {
  isOwn: (tool) => LISTS.some((key) => Array.isArray(tool[key])) || isServerTool(Object.keys(tool)),
  read: (tool) =>
    LISTS.flatMap((key) => listOf(tool[key])).flatMap((one) => declarationsIn(withSchema(fieldsOf(one)), SCHEMA_KEYS)),
  write: (declarations) => [{ [LIST]: declarations.map(declared) }],
  append: (tools, declaration) => {
    const elements = elementTexts(tools);
    const text = JSON.stringify(declared(declaration));
    const at = elements.findIndex((one) => memberText(one, LIST)?.startsWith("[") === true);
    if (at < 0) return `[${[...elements, `{"${LIST}":[${text}]}`].join(",")}]`;
    const list = memberText(elements[at]!, LIST)!;
    const end = list.lastIndexOf("]");
    const longer = `${list.slice(0, end)}${elementTexts(list).length === 0 ? "" : ","}${text}${list.slice(end)}`;
    return `[${elements.with(at, patchObject(elements[at]!, { [LIST]: longer })).join(",")}]`;
  },
};

const SCHEMA_KEYS = ["parametersJsonSchema", "parameters"];

/** A function without parameters is declared without a schema. */
function withSchema(declaration: ReturnType<typeof fieldsOf>) {
  return SCHEMA_KEYS.some((key) => key in declaration)
    ? declaration
    : { ...declaration, parameters: { type: "object", properties: {} } };
}

function declared(declaration: Declaration) {
  return { ...described(declaration), parametersJsonSchema: declaration.schema };
}

const SERVER_TOOLS = new Set([
  "googleSearch",
  "googleSearchRetrieval",
  "codeExecution",
  "urlContext",
  "computerUse",
  "fileSearch",
  "googleMaps",
]);

function isServerTool(keys: readonly string[]): boolean {
  return keys.length > 0 && keys.every((key) => SERVER_TOOLS.has(key));
}

/** Whether a part holds a call of one of these tools. */
export function callsTool(part: unknown, tools: HiddenTools): boolean {
  const call = fieldsOf(part)["functionCall"];
  return isFields(call) && tools.has(call["name"]);
}
