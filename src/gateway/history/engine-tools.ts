/** The tools of a kept conversation's engine, over what its newest compaction in effect left behind. */
import type { Runtime } from "../../session/contract.ts";
import { createRuntime } from "../../session/runtime.ts";
import type { EngineToolsScope, SessionTools, Which } from "../../session/history.ts";
import type { HistoryDependencies } from "./sizes.ts";
import { findSession } from "./find.ts";

export async function engineTools(
  dependencies: HistoryDependencies,
  which: Which,
  scope: EngineToolsScope,
): Promise<SessionTools> {
  const { store } = dependencies;
  const { tenant, entry } = await findSession(store, which);
  const { compaction } = await store.findCompaction(tenant, await store.readLinks(tenant, entry.head));
  const runtime = runtimeFor(dependencies, tenant, scope);
  if (compaction !== undefined) runtime.restore({ ...runtime.state(), engine: compaction.state });
  return { tools: runtime.tools, callTool: runtime.callTool };
}

/** Those of a conversation that has not begun. */
export function toolsAtStart(dependencies: HistoryDependencies): SessionTools {
  const { tools, callTool } = runtimeFor(dependencies, "", {});
  return { tools, callTool };
}

function runtimeFor({ store, runtime }: HistoryDependencies, tenant: string, { reads }: EngineToolsScope): Runtime {
  const getOriginal: typeof store.getOriginal = async (of, id) =>
    reads === undefined || (await reads(id)) ? store.getOriginal(of, id) : undefined;
  return createRuntime({ ...runtime, tenant, recall: { tool: "off" }, store: { ...store, getOriginal } });
}
