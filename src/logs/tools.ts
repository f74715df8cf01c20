/**
 * The tools that most coding agents have under names of their own. A call is given the other agent's name only if each of
 * its arguments has one there; otherwise it keeps its own, which providers take as well.
 */
import { fieldsOf, jsonOf, tryParseJson } from "./fields.ts";

type Tool = "shell" | "read" | "write" | "edit";

export interface ToolName {
  readonly name: string;
  /** The agent's name for each argument, by the name that is used here. */
  readonly arguments: Readonly<Record<string, string>>;
}

/** Undefined where an agent has no such tool, or one with arguments of another kind. */
export type ToolNames = Partial<Readonly<Record<Tool, ToolName>>>;

export interface NamedCall {
  readonly name: string;
  readonly arguments: string;
}

/** The call as the other agent would make it; undefined where there is no exact counterpart. */
export function renamed(call: NamedCall, from: ToolNames, to: ToolNames): NamedCall | undefined {
  const tool = (Object.keys(from) as Tool[]).find((name) => from[name]?.name === call.name);
  const [source, target] = [tool && from[tool], tool && to[tool]];
  const given = fieldsOf(tryParseJson(call.arguments));
  if (source === undefined || target === undefined || given === undefined) return undefined;
  const neutral = new Map(Object.entries(source.arguments).map(([name, own]) => [own, name]));
  const entries: [string, unknown][] = [];
  for (const [own, value] of Object.entries(given)) {
    const name = target.arguments[neutral.get(own) ?? ""];
    if (name === undefined) return undefined;
    entries.push([name, value]);
  }
  return { name: target.name, arguments: jsonOf(Object.fromEntries(entries)) };
}
