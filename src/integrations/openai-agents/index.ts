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
import {
  createConversation,
  answerCall,
  declaredTools,
  type LeftPart,
  type MessageFormat,
} from "../framework/conversation.ts";
import {
  type Content,
  type ContentPart,
  type MediaSource,
  type Message,
  type Part,
  contentText,
} from "../../core/transcript/message.ts";

interface Precis extends Pick<Runtime, "report" | "recall" | "undo" | "on" | "state"> {
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

type Fields = Readonly<Record<string, unknown>>;

const agentItems: MessageFormat<AgentInputItem> = {
  name: "openai-agents",
  read: (item) => [readItem(item as Fields)],
  edit: (item, left) => editItem(item as Fields, left) as AgentInputItem,
  write: (message, toolOf) => writeItem(message, toolOf) as AgentInputItem,
};

function readItem(item: Fields): Content {
  switch (item["type"]) {
    case "function_call": {
      const { callId, name, arguments: given } = item;
      const call: Part = { kind: "tool-call", id: `${callId}`, name: `${name}`, arguments: `${given}`, at: 0 };
      return { role: "assistant", parts: [call] };
    }
    case "function_call_result": {
      const result: Part = {
        kind: "tool-result",
        callId: `${item["callId"]}`,
        content: readOutput(item["output"]),
        at: 0,
      };
      return { role: "tool", parts: [result] };
    }
    case "reasoning":
      return {
        role: "assistant",
        parts: [{ kind: "reasoning", text: contentText(readBlocks(item["content"])), at: 0 }],
      };
    case "message":
    case undefined: {
      const role = item["role"] as "system" | "user" | "assistant";
      return { role, parts: readBlocks(item["content"]).map((part, at) => ({ ...part, at })) };
    }
    default:
      return {
        role: "assistant",
        parts: [{ kind: "opaque", type: `${item["type"]}`, raw: JSON.stringify(item), at: 0 }],
      };
  }
}

/** A result is a text, or one block, or a list of them. */
function readOutput(output: unknown): readonly ContentPart[] {
  return readBlocks(typeof output === "object" && output !== null && !Array.isArray(output) ? [output] : output);
}

function readBlocks(content: unknown): readonly ContentPart[] {
  if (!Array.isArray(content)) return [{ kind: "text", text: typeof content === "string" ? content : "" }];
  return content.map((block: Fields) => readBlock(block));
}

function readBlock(block: Fields): ContentPart {
  if (typeof block["text"] === "string") return { kind: "text", text: block["text"] };
  if (typeof block["refusal"] === "string") return { kind: "text", text: block["refusal"], refusal: true };
  const data = block["image"] ?? block["file"] ?? block["data"];
  const kind = /image/.test(`${block["type"]}`) ? "image" : "file";
  const source = typeof data === "string" ? readSource(data) : undefined;
  return source === undefined
    ? { kind: "opaque", type: `${block["type"]}`, raw: JSON.stringify(block) }
    : { kind, source };
}

function readSource(text: string): MediaSource {
  const [, mediaType = "", data] = /^data:([^;,]*);base64,(.*)$/s.exec(text) ?? [];
  return data === undefined ? { type: "url", url: text } : { type: "data", mediaType, data };
}

function editItem(item: Fields, left: readonly LeftPart[]): Fields {
  const parts = left.map(({ part }) => part);
  const [first] = parts;
  switch (item["type"]) {
    case "function_call":
      return first?.kind === "tool-call" ? { ...item, arguments: first.arguments } : item;
    case "function_call_result":
      return first?.kind === "tool-result"
        ? { ...item, output: { type: "text", text: contentText(first.content) } }
        : item;
    case "message":
    case undefined:
      return { ...item, content: editBlocks(item, left) };
    default:
      return item;
  }
}

function editBlocks({ role, content }: Fields, left: readonly LeftPart[]): unknown {
  if (!Array.isArray(content)) return contentText(left.map(({ part }) => part));
  return left.flatMap(({ part, same }): unknown[] => {
    const original: unknown = part.at === undefined ? undefined : content[part.at];
    if (original !== undefined && same) return [original];
    return part.kind === "text" ? [textBlock(`${role}`, part.text)] : [];
  });
}

function textBlock(role: string, text: string): Fields {
  return { type: role === "assistant" ? "output_text" : "input_text", text };
}

function writeItem({ role, parts }: Message, toolOf: (callId: string) => string): Fields {
  const call = parts.find((part) => part.kind === "tool-call");
  if (call !== undefined)
    return { type: "function_call", callId: call.id, name: call.name, arguments: call.arguments, status: "completed" };
  const result = parts.find((part) => part.kind === "tool-result");
  const text = contentText(parts);
  if (result !== undefined)
    return {
      type: "function_call_result",
      callId: result.callId,
      name: toolOf(result.callId),
      status: "completed",
      output: { type: "text", text },
    };
  if (role === "assistant") return { type: "message", role, status: "completed", content: [textBlock(role, text)] };
  return { type: "message", role: role === "system" ? "system" : "user", content: text };
}
