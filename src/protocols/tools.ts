/** Tool declarations carried from one protocol to another: the name, what it is for, and the schema of its arguments. */
import type { ProtocolName } from "../core/protocols.ts";
import type { Fields } from "./dialect.ts";
import { fieldsOf, textOf } from "./fields.ts";
import { elementTexts } from "./json/scan.ts";

export interface Declaration {
  readonly name: string;
  readonly description: string | undefined;
  readonly schema: unknown;
  readonly strict: unknown;
}

/** How a protocol declares tools. */
export interface ToolForm {
  /** Whether a tool is declared in this protocol's form. */
  readonly isOwn: (tool: Fields) => boolean;
  /** The declarations that one element of `tools` holds. */
  readonly read: (tool: Fields) => readonly Declaration[];
  /** Elements of `tools` that hold these declarations. */
  readonly write: (declarations: readonly Declaration[]) => readonly unknown[];
  /** The JSON text of `tools` with one more declaration at its end; everything else keeps its bytes. */
  readonly append: (tools: string, declaration: Declaration) => string;
}

interface NamedForm {
  readonly name: ProtocolName;
  readonly tools: ToolForm;
}

/** The JSON text of `tools` in the target protocol. */
export function toolTranslator(forms: readonly NamedForm[]): (tools: string, target: ProtocolName) => string {
  return (tools, target) => {
    const elements = elementTexts(tools).map((text) => ({ text, tool: fieldsOf(JSON.parse(text)) }));
    const homes = elements.map(({ tool }) => forms.find((form) => form.tools.isOwn(tool)) ?? forms[0]!);
    const own = elements.filter((_, at) => homes[at]!.name === target).map(({ text }) => text);
    const foreign = elements.flatMap(({ tool }, at) => (homes[at]!.name === target ? [] : homes[at]!.tools.read(tool)));
    const { write } = forms.find(({ name }) => name === target)!.tools;
    const written = foreign.length === 0 ? [] : write(foreign).map((tool) => JSON.stringify(tool));
    return `[${[...own, ...written].join(",")}]`;
  };
}

/** A declaration whose members are together; none where it says no schema. */
export function declarationsIn(tool: Fields, schemaKeys: readonly string[]): readonly Declaration[] {
  const name = textOf(tool["name"]);
  const schema = schemaKeys.map((key) => tool[key]).find((one) => one !== undefined);
  if (name === undefined || schema === undefined) return [];
  return [{ name, description: textOf(tool["description"]), schema, strict: tool["strict"] }];
}

/** What most protocols share: each element of `tools` is one tool, and another one goes behind the last. */
export function oneToolEach(
  form: Pick<ToolForm, "isOwn" | "read"> & { readonly tool: (declaration: Declaration) => unknown },
): ToolForm {
  return {
    isOwn: form.isOwn,
    read: form.read,
    write: (declarations) => declarations.map(form.tool),
    append: (tools, declaration) => {
      const end = tools.lastIndexOf("]");
      const separator = elementTexts(tools).length === 0 ? "" : ",";
      return `${tools.slice(0, end)}${separator}${JSON.stringify(form.tool(declaration))}${tools.slice(end)}`;
    },
  };
}

/** Name and description, where there is one. */
export function described({ name, description }: Declaration): Fields {
  return description === undefined ? { name } : { name, description };
}

export function strictness({ strict }: Declaration): Fields {
  return strict === undefined ? {} : { strict };
}
