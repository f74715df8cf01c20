/**
 * The tools of the configured engine, for an agent: those that the gateway offers to its model, with one argument more, the
 * session that they look into.
 */
import type { EngineTool, ToolAnswer } from "../../core/engines/contract.ts";
import { PrecisError } from "../../core/errors.ts";
import { fieldsOf } from "../../protocols/fields.ts";
import type { ToolContext } from "./contract.ts";
import { findPlace, findSession } from "./scope.ts";

const SESSION = {
  type: "string",
  description: "The session to look into, by its id or the beginning of it; the most recently used one by default.",
};
/** Of a call's time, what a model may take to answer a question. */
const MODEL_SHARE = 0.6;

export interface EngineToolCalls {
  readonly tools: readonly EngineTool[];
  /** @throws PrecisError. */
  readonly call: (name: string, given: unknown) => Promise<string>;
}

export async function createEngineTools(context: ToolContext, taken: ReadonlySet<string>): Promise<EngineToolCalls> {
  const tools = (await declared(context)).filter(({ name }) => !taken.has(name));
  return { tools: tools.map(withSession), call: (name, given) => call(context, name, given) };
}

/** A plugin says what it has with its first decision, and the newest session's compaction remembers it. */
async function declared(context: ToolContext): Promise<readonly EngineTool[]> {
  const { archive, store, tenant, session } = context;
  const atStart = (await archive.engineTools(undefined)).tools();
  if (atStart.length > 0) return atStart;
  const id = session ?? (await store.listSessions(tenant, { limit: 1 }))[0]?.id;
  return id === undefined ? [] : (await archive.engineTools({ tenant, id })).tools();
}

function withSession({ parameters, ...tool }: EngineTool): EngineTool {
  const properties = { ...fieldsOf(parameters["properties"]), session: SESSION };
  return { ...tool, parameters: { ...parameters, properties } };
}

async function call(context: ToolContext, name: string, given: unknown): Promise<string> {
  const { archive, tenant, limits, session: only } = context;
  const { session, ...own } = fieldsOf(given);
  const { id } = await findSession(context, typeof session === "string" && session !== "" ? session : undefined);
  const reads = async (original: string): Promise<boolean> => (await findPlace(context, original)) !== undefined;
  const { callTool } = await archive.engineTools({ tenant, id }, only === undefined ? {} : { reads });
  const bounds = {
    tokensMax: limits.answerTokensMax,
    waitMs: limits.callMs / 2,
    modelWaitMs: limits.callMs * MODEL_SHARE,
  };
  return requireAnswer(await callTool({ name, arguments: JSON.stringify(own) }, bounds));
}

function requireAnswer({ text, isError }: ToolAnswer): string {
  if (isError !== true) return text;
  throw new PrecisError(text.replace(/\.$/, ""), {
    code: "not_answered",
    hint: "`search` and `expand` reach every session.",
  });
}
