/**
 * The entry `precis/langchain`: a middleware for `createAgent` that keeps every thread of an agent within its model's
 * window. Checkpoints keep the whole history; only what is sent to the model is compacted.
 */
import "../../platform/refuse-old-node.ts";
import {
  createMiddleware,
  tool,
  AIMessage,
  type AgentMiddleware,
  type BaseMessage,
  SystemMessage,
  HumanMessage,
  ToolMessage,
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
  type LeftPart,
  type MessageFormat,
} from "../framework/conversation.ts";
import { type Content, type ContentPart, type Message, type Part, contentText } from "../../core/transcript/message.ts";

export interface LangchainOptions extends Omit<RuntimeOptions, "state"> {
  /** Threads that are remembered; of others the compactions are found in the store. Default 256. */
  readonly threadsMax?: number;
}

interface Precis {
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

type Block = Readonly<Record<string, unknown>>;

const langchainMessages: MessageFormat<BaseMessage> = {
  name: "langchain",
  read: (message) => [readMessage(message)],
  edit: editMessage,
  write: ({ role, parts }, toolOf) => {
    const content = contentText(parts);
    if (role === "system") return new SystemMessage(content);
    if (role === "user") return new HumanMessage(content);
    const result = parts.find((part) => part.kind === "tool-result");
    if (result !== undefined)
      return new ToolMessage({ content, tool_call_id: result.callId, name: toolOf(result.callId) });
    return new AIMessage({ content, tool_calls: parts.flatMap(writeCall) });
  },
};

function readMessage(message: BaseMessage): Content {
  const blocks = readBlocks(message);
  if (ToolMessage.isInstance(message)) {
    const content = blocks.map((block) => readBlock(block));
    const result: Part = { kind: "tool-result", callId: message.tool_call_id, content, at: 0 };
    return { role: "tool", parts: [message.status === "error" ? { ...result, isError: true } : result] };
  }
  if (AIMessage.isInstance(message)) return { role: "assistant", parts: readAnswer(message, blocks) };
  const role = SystemMessage.isInstance(message) ? "system" : "user";
  return { role, parts: blocks.map((block, at) => ({ ...readBlock(block), at })) };
}

/** Blocks that repeat the calls are left out; the calls are numbered behind the blocks. */
function readAnswer({ tool_calls: calls = [] }: AIMessage, blocks: readonly Block[]): readonly Part[] {
  const ids = new Set(calls.map(({ id }) => id));
  const said = blocks.flatMap((block, at): Part[] => {
    if (ids.has(findCallId(block))) return [];
    return [isThinking(block) ? { kind: "reasoning", text: readThought(block), at } : { ...readBlock(block), at }];
  });
  const called = calls.map(({ id = "", name, args }, index): Part => ({
    kind: "tool-call",
    id,
    name,
    arguments: JSON.stringify(args),
    at: blocks.length + index,
  }));
  return [...said, ...called];
}

function readBlocks({ content }: BaseMessage): readonly Block[] {
  if (typeof content !== "string") return content as readonly Block[];
  return content === "" ? [] : [{ type: "text", text: content }];
}

/** The name of its id differs by provider. */
function findCallId(block: Block): string | undefined {
  const id = block["id"] ?? block["call_id"];
  return typeof id === "string" && /tool|function/.test(String(block["type"])) ? id : undefined;
}

function isThinking({ type }: Block): boolean {
  return type === "thinking" || type === "reasoning" || type === "redacted_thinking";
}

function readThought(block: Block): string {
  const text = block["thinking"] ?? block["reasoning"];
  return typeof text === "string" ? text : "";
}

function readBlock(block: Block): ContentPart {
  if (typeof block["text"] === "string") return { kind: "text", text: block["text"] };
  const source = readSource(block);
  if (source !== undefined) return { kind: /image/.test(String(block["type"])) ? "image" : "file", source };
  return { kind: "opaque", type: String(block["type"]), raw: JSON.stringify(block) };
}

/** Pictures and files, in LangChain's own form and in OpenAI's. */
function readSource(block: Block): Extract<ContentPart, { kind: "image" }>["source"] | undefined {
  const nested = block["image_url"];
  const url = typeof nested === "string" ? nested : ((nested as Block | undefined)?.["url"] ?? block["url"]);
  if (typeof url === "string") {
    const [, mediaType = "", data] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? [];
    return data === undefined ? { type: "url", url } : { type: "data", mediaType, data };
  }
  const { data, mimeType } = block;
  if (typeof data === "string") return { type: "data", mediaType: typeof mimeType === "string" ? mimeType : "", data };
  return undefined;
}

function editMessage(message: BaseMessage, left: readonly LeftPart[]): BaseMessage {
  const parts = left.map(({ part }) => part);
  if (ToolMessage.isInstance(message)) {
    const { tool_call_id, name, status, id } = message;
    return new ToolMessage({ content: contentText(parts), tool_call_id, ...defined({ name, status, id }) });
  }
  const content = editBlocks(readBlocks(message), left);
  const { id, name } = message;
  if (AIMessage.isInstance(message)) {
    const { response_metadata, usage_metadata } = message;
    const kept = defined({ id, name, usage_metadata });
    return new AIMessage({
      content: content as string,
      tool_calls: parts.flatMap(writeCall),
      response_metadata,
      ...kept,
    });
  }
  const fields = { content: content as string, ...defined({ id, name }) };
  return SystemMessage.isInstance(message) ? new SystemMessage(fields) : new HumanMessage(fields);
}

/** Text alone is a string, as most providers send it back. */
function editBlocks(blocks: readonly Block[], left: readonly LeftPart[]): string | readonly Block[] {
  const calls = new Map(left.flatMap(({ part }) => (part.kind === "tool-call" ? [[part.id, part] as const] : [])));
  const byPlace = new Map(left.map((one) => [one.part.at, one]));
  const edited = blocks.flatMap((block, at): Block[] => {
    const call = calls.get(findCallId(block) ?? "");
    if (call !== undefined) return "input" in block ? [{ ...block, input: parsed(call.arguments) }] : [block];
    const one = byPlace.get(at);
    if (one === undefined) return [];
    return one.same || one.part.kind !== "text" ? [block] : [{ ...block, text: one.part.text }];
  });
  const added = left.flatMap(({ part }): Block[] =>
    part.at === undefined && part.kind === "text" ? [{ type: "text", text: part.text }] : [],
  );
  const all = [...edited, ...added];
  return all.every(({ type }) => type === "text") ? all.map(({ text }) => String(text)).join("\n") : all;
}

function writeCall(part: Message["parts"][number]): { id: string; name: string; args: Record<string, unknown> }[] {
  return part.kind === "tool-call" ? [{ id: part.id, name: part.name, args: parsed(part.arguments) }] : [];
}

/** Arguments that a compaction shortened may be no object any more. */
function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {}
  return { text };
}

function defined<Fields extends object>(fields: Fields): { [Key in keyof Fields]: NonNullable<Fields[Key]> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(kept) as { [Key in keyof Fields]: NonNullable<Fields[Key]> };
}
