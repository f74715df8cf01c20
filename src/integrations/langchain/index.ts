/**
 * The entry `precis/langchain`: a middleware for `createAgent` that keeps every thread of an agent within its model's
 * window. Checkpoints keep the whole history; only what is sent to the model is compacted.
 */
import "../../platform/refuse-old-node.ts";
import {
  createMiddleware,
  tool,
  type AIMessage,
  type AgentMiddleware,
  type BaseMessage,
  SystemMessage,
} from "langchain";
import { createRuntime } from "../../session/checked-runtime.ts";
import type { Runtime, RuntimeOptions } from "../../session/contract.ts";
import { createMemoryStore } from "../../store/memory.ts";
import {
  createConversation,
  type FrameworkConversation,
  type FrameworkPrepared,
  answerCall,
  declaredTools,
  toolsToSend,
  callPrepared,
} from "../framework/conversation.ts";
import { langchainMessages } from "./messages.ts";

export interface LangchainOptions extends Omit<RuntimeOptions, "state"> {
  /** Threads that are remembered; of others the compactions are found in the store. Default 256. */
  readonly threadsMax?: number;
}

export interface Precis {
  readonly middleware: AgentMiddleware;
  /** The session of a thread, by its `thread_id`; undefined if it has made no call yet. */
  readonly session: (threadId?: string) => Pick<Runtime, "report" | "recall" | "undo"> | undefined;
}

/** The thread of an agent that is called without a checkpointer. */
const NO_THREAD = "";
const THREADS_MAX = 256;

interface Thread {
  readonly runtime: Runtime;
  readonly conversation: FrameworkConversation<BaseMessage>;
}

/**
 * Create one for each agent; its threads are distinguished by their `thread_id`.
 *
 * @throws PrecisError `bad_options` for options that are unknown or out of range, `unknown_engine` for an engine's name.
 */
export function createPrecis({ threadsMax = THREADS_MAX, ...options }: LangchainOptions = {}): Precis {
  const store = options.store ?? createMemoryStore();
  const start = (): Thread => {
    const runtime = createRuntime({ ...options, store });
    return { runtime, conversation: createConversation(runtime, langchainMessages) };
  };
  const first = start();
  const threads = new Map<string, Thread>();
  const threadOf = (id: string): Thread => {
    const thread = threads.get(id) ?? start();
    threads.delete(id);
    threads.set(id, thread);
    if (threads.size > threadsMax) threads.delete(threads.keys().next().value!);
    return thread;
  };

  const middleware = createMiddleware({
    name: "precis",
    tools: declaredTools(first.runtime, options).map(({ name, description, parameters }) =>
      tool(
        async (input: unknown, config: Configured) => answerCall(threadOf(findThreadId(config)).runtime, name, input),
        {
          name,
          description,
          schema: parameters,
        },
      ),
    ),
    wrapModelCall: async (request, handler) => {
      const { conversation } = threadOf(findThreadId(request.runtime as Configured));
      const { systemMessage, messages, tools } = request;
      const lead = systemMessage.content.length > 0 ? [systemMessage] : [];
      const around = { tools: tools.map(({ name, description }) => ({ name, description })) };
      const signal = (request.runtime as { readonly signal?: AbortSignal }).signal;
      return callPrepared(conversation, { messages: [...lead, ...messages], around, signal }, async (sent) => {
        const [system, ...rest] = sent.messages;
        const isLead = system !== undefined && SystemMessage.isInstance(system);
        const answer = await handler({
          ...request,
          messages: isLead ? rest : [...sent.messages],
          ...(isLead ? { systemMessage: system } : {}),
          tools: [...toolsToSend(tools, sent.recallable, ({ name }) => name)],
        });
        learn(sent.observe, answer);
        return answer;
      });
    },
  });

  return {
    middleware: middleware as unknown as AgentMiddleware,
    session: (threadId = NO_THREAD) => threads.get(threadId)?.runtime,
  };
}

/** What LangGraph says of a run, as far as it matters here. */
interface Configured {
  readonly configurable?: { readonly thread_id?: unknown };
}

function findThreadId({ configurable }: Configured): string {
  const id = configurable?.thread_id;
  return typeof id === "string" || typeof id === "number" ? String(id) : NO_THREAD;
}

/** The type of an answer depends on the agent's own; its usage has one shape for all. */
interface ReportedUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly input_token_details?: { readonly cache_read?: number; readonly cache_creation?: number };
}

function learn(observe: FrameworkPrepared<BaseMessage>["observe"], answer: AIMessage): void {
  const usage = answer.usage_metadata as ReportedUsage | undefined;
  if (usage === undefined) return;
  const { input_tokens: input, output_tokens: output, input_token_details: details } = usage;
  observe({ input, output, cacheRead: details?.cache_read ?? 0, cacheWrite: details?.cache_creation ?? 0 });
}
