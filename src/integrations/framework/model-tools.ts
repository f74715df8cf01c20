/** The tools of a conversation that a framework's own tool loop runs. */
import type { EngineTool } from "../../core/engines/contract.ts";
import { isHostTool } from "../../session/model-tools.ts";
import type { Runtime, RuntimeOptions } from "../../session/contract.ts";
import { RECALL_TOOL, RECALL_TOOL_DECLARATION } from "../../session/recall/answer.ts";

/** An engine's own tools take the place of the recall tool, which a loop is given before there is anything to recall. */
export function declaredTools(runtime: Runtime, { recall }: RuntimeOptions): readonly EngineTool[] {
  const compacts = runtime.tools().filter(({ name }) => isHostTool(name));
  const own = runtime.tools().filter(({ name }) => name !== RECALL_TOOL && !isHostTool(name));
  return [...compacts, ...(own.length > 0 || recall?.tool === "off" ? own : [RECALL_TOOL_DECLARATION])];
}

/** Tools for one request: without the recall tool where there is nothing to recall, so that it costs nothing until then. */
export function toolsToSend<Tool>(
  tools: readonly Tool[],
  recallable: boolean,
  nameOf: (tool: Tool) => unknown,
): readonly Tool[] {
  return recallable ? tools : tools.filter((tool) => nameOf(tool) !== RECALL_TOOL);
}

/** What the model is told when it calls one of them. Never rejects. */
export async function answerOf(runtime: Runtime, name: string, input: unknown): Promise<string> {
  return (await runtime.callTool({ name, arguments: JSON.stringify(input) })).text;
}
