/** LangChain.js: `trimMessages`, and the middlewares for editing the context and for summaries, as an agent runs them. */
import type { ChatMessage } from "../../../eval/src/recall/future-use.ts";
import { createExtractor } from "../extract.ts";
import { installed, load } from "../load.ts";
import {
  argumentsOf,
  NOBODY_ASKED,
  textOfContent,
  toolNames,
  wireCall,
  type Contestant,
  type Native,
} from "./contestant.ts";

interface BaseMessage {
  readonly type: string;
  readonly text: string;
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly args: unknown }[];
  readonly tool_call_id?: string;
}

type Make = new (fields: Readonly<Record<string, unknown>>) => BaseMessage;
type Count = (messages: Native) => number;

interface Messages {
  readonly HumanMessage: Make;
  readonly SystemMessage: Make;
  readonly AIMessage: Make;
  readonly ToolMessage: Make;
  readonly trimMessages: (messages: Native, options: Readonly<Record<string, unknown>>) => Promise<Native>;
}

interface Agents {
  readonly countTokensApproximately: Count;
  readonly ClearToolUsesEdit: new (options: object) => object;
  readonly contextEditingMiddleware: (options: object) => {
    readonly wrapModelCall: (
      request: { readonly messages: unknown[] },
      handler: (request: { readonly messages: Native }) => Promise<Native>,
    ) => Promise<Native>;
  };
  readonly summarizationMiddleware: (options: object) => {
    readonly beforeModel: (
      state: { readonly messages: Native },
      runtime: { readonly context: object },
    ) => Promise<{ readonly messages: readonly BaseMessage[] } | undefined>;
  };
}

const AS_MEASURED_BEFORE_TOKENS = 20_000;
const TOOL_RESULTS_KEPT = 3;
const MESSAGES_KEPT = 20;
const SUMMARY_TOKENS = 2_000;
/** From the first token on: when it is called is the bench's to say. */
const AT_ONCE = { tokens: 1 };

/** What each of them shares: packages, and messages in LangChain's classes. */
async function ground() {
  const messages = await load<Messages>("@langchain/core/messages");
  const agents = await load<Agents>("langchain");
  return { messages, agents, read: reader(messages), weigh: agents.countTokensApproximately, knob: "tokens" as const };
}

export async function trimContestants(): Promise<readonly Contestant[]> {
  const { messages: core, agents, read, weigh, knob } = await ground();
  const plain = {
    from: installed("@langchain/core"),
    knob,
    asItComes: { keep: AS_MEASURED_BEFORE_TOKENS, summaryTokens: 0 },
    stands: false,
    read,
    weigh,
  };
  const variant = (name: string, how: string, options: object): Contestant => ({
    ...plain,
    name,
    how,
    on: () => ({
      compact: (messages, { keep: maxTokens }) =>
        core.trimMessages(messages, {
          maxTokens,
          strategy: "last",
          tokenCounter: agents.countTokensApproximately,
          includeSystem: true,
          ...options,
        }),
      write,
      told: () => NOBODY_ASKED,
    }),
  });
  return [
    variant("LangChain.js trimMessages", 'maxTokens 20,000, strategy "last"', {}),
    variant("LangChain.js trimMessages, startOn human", 'the same, startOn "human"', { startOn: "human" }),
  ];
}

export async function contextEditingContestant(): Promise<Contestant> {
  const { agents, read, weigh, knob } = await ground();
  return {
    name: "LangChain.js contextEditingMiddleware",
    from: installed("langchain"),
    how: "ClearToolUsesEdit, keep 3 results",
    knob,
    asItComes: { keep: -TOOL_RESULTS_KEPT, summaryTokens: 0 },
    stands: false,
    read,
    weigh,
    on: () => ({
      compact: (messages, { keep }) => {
        // A negative number stands for that many results.
        const kept = keep < 0 ? { messages: -keep } : { tokens: keep };
        const edits = [new agents.ClearToolUsesEdit({ trigger: AT_ONCE, keep: kept })];
        const { wrapModelCall } = agents.contextEditingMiddleware({ edits });
        // It edits the array that it is given, as in an agent, where that is the request's own.
        return wrapModelCall({ messages: [...messages] }, (request) => Promise.resolve(request.messages));
      },
      write,
      told: () => NOBODY_ASKED,
    }),
  };
}

export async function summarizationContestant(): Promise<Contestant> {
  const { agents, read, weigh, knob } = await ground();
  return {
    name: "LangChain.js summarizationMiddleware",
    from: installed("langchain"),
    how: "keep 20 messages",
    knob,
    asItComes: { keep: -MESSAGES_KEPT, summaryTokens: SUMMARY_TOKENS },
    stands: true,
    read,
    weigh,
    on: (conversation) => {
      const extractor = createExtractor(conversation);
      return {
        compact: async (messages, { keep, summaryTokens }) => {
          const kept = keep < 0 ? { messages: -keep } : { tokens: keep };
          const model = {
            invoke: (prompt: string) => Promise.resolve({ content: extractor.answer(prompt, summaryTokens) }),
          };
          const { beforeModel } = agents.summarizationMiddleware({ model, trigger: AT_ONCE, keep: kept });
          const update = await beforeModel({ messages }, { context: {} });
          // Its first message tells the graph to drop all that came before.
          return update === undefined ? messages : update.messages.filter(({ type }) => type !== "remove");
        },
        write,
        told: extractor.told,
      };
    },
  };
}

function reader({ HumanMessage, SystemMessage, AIMessage, ToolMessage }: Messages) {
  return (messages: readonly ChatMessage[]): readonly BaseMessage[] => {
    const nameOf = toolNames(messages);
    return messages.map((message) => {
      const content = textOfContent(message);
      switch (message.role) {
        case "assistant":
          return new AIMessage({
            content,
            tool_calls: (message.tool_calls ?? []).map((call) => ({
              id: call.id,
              name: call.function.name,
              args: argumentsOf(call.function.arguments),
              type: "tool_call",
            })),
          });
        case "tool":
          return new ToolMessage({
            content,
            tool_call_id: message.tool_call_id ?? "",
            name: nameOf(message.tool_call_id),
          });
        case "system":
          return new SystemMessage({ content });
        default:
          return new HumanMessage({ content });
      }
    });
  };
}

const ROLES: Readonly<Record<string, string>> = { human: "user", ai: "assistant", system: "system", tool: "tool" };

function write(messages: Native): readonly ChatMessage[] {
  return (messages as readonly BaseMessage[]).map(({ type, text, tool_calls: calls = [], tool_call_id: id }) => ({
    role: ROLES[type] ?? "user",
    content: text,
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => wireCall(call.id, call.name, call.args)) }),
    ...(id === undefined ? {} : { tool_call_id: id }),
  }));
}
