/**
 * The entry `precis/openai-agents`: an input filter that keeps the runs of an agent within its model's window, whatever
 * keeps their history. Only what is sent to the model is compacted.
 */
import "../../platform/refuse-old-node.ts";
import {
  RequestUsage,
  tool,
  type AgentInputItem,
  type CallModelInputFilter,
  type OpenAIResponsesCompactionAwareSession,
  type Session,
  type Tool,
  type Usage,
} from "@openai/agents";
import { createRuntime } from "../../session/checked-runtime.ts";
import type { Runtime, RuntimeOptions } from "../../session/contract.ts";
import { createConversation, answerCall, declaredTools } from "../framework/conversation.ts";
import { agentItems } from "./items.ts";

export interface Precis extends Pick<Runtime, "report" | "recall" | "undo" | "on" | "state"> {
  /** For `run(agent, input, { callModelInputFilter })`, or for a `Runner`. */
  readonly callModelInputFilter: CallModelInputFilter;
  /** The same session, whose history is compacted after a turn: for `run(agent, input, { session })`, in place of the filter. */
  readonly session: (session: Session) => OpenAIResponsesCompactionAwareSession;
  /** Tools with which the model reads what left the conversation; add them to the agent's own. */
  readonly tools: () => Tool[];
  /** The usage of one request, so that estimates follow the model: of `result.rawResponses`, the last one's. */
  readonly observe: (usage: Pick<Usage, "inputTokens" | "outputTokens">) => void;
}

/**
 * Create one for each conversation. The filter cannot repeat a call that is refused, so state the window
 * (`settings.contextLength`).
 *
 * @throws PrecisError `bad_options` for options that are unknown or out of range, `unknown_engine` for an engine's name.
 */
export function createPrecis(options: RuntimeOptions = {}): Precis {
  const runtime = createRuntime(options);
  const { prepare } = createConversation<AgentInputItem>(runtime, agentItems);
  const filter: CallModelInputFilter = async ({ modelData: { input, instructions } }) => {
    const lead: AgentInputItem[] = instructions === undefined ? [] : [{ role: "system", content: instructions }];
    const { messages } = await prepare([...lead, ...input]);
    const [system, ...rest] = messages;
    const isLead = system !== undefined && "role" in system && system.role === "system";
    return isLead ? { input: rest, instructions: system.content } : { input: [...messages] };
  };
  const { report, recall, undo, on, state } = runtime;
  return {
    report,
    recall,
    undo,
    on,
    state,
    session: (inner) => compactedSession(inner, runtime),
    callModelInputFilter: Object.assign(filter, { preserveInputIdentity: true }),
    tools: () => declaredTools(runtime, options).map((declared) => makeTool(runtime, declared)),
    observe: ({ inputTokens, outputTokens }) => runtime.observe({ inputTokens, outputTokens }),
  };
}

function compactedSession(inner: Session, runtime: Runtime): OpenAIResponsesCompactionAwareSession {
  const { prepare, compact } = createConversation<AgentInputItem>(runtime, agentItems);
  return {
    getSessionId: () => inner.getSessionId(),
    getItems: (limit) => inner.getItems(limit),
    addItems: (items) => inner.addItems(items),
    popItem: () => inner.popItem(),
    clearSession: () => inner.clearSession(),
    runCompaction: async ({ force = false } = {}) => {
      const items = await inner.getItems();
      const done = await (force ? compact(items) : prepare(items));
      if (done.compaction === undefined) return null;
      await inner.clearSession();
      await inner.addItems([...done.messages]);
      return { usage: new RequestUsage() };
    },
  };
}

function makeTool(runtime: Runtime, { name, description, parameters }: ReturnType<typeof declaredTools>[number]): Tool {
  const required: string[] = [];
  const schema = { properties: {}, required, ...parameters, type: "object", additionalProperties: true } as const;
  return tool({
    name,
    description,
    parameters: schema,
    strict: false,
    execute: async (input: unknown) => answerCall(runtime, name, input),
  });
}
