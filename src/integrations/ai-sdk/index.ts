/**
 * The entry `precis/ai-sdk`: keeps a conversation of the AI SDK within its model's window, as a middleware of the model or
 * as `prepareStep` of a tool loop, with recall as a tool.
 */
import "../../platform/refuse-old-node.ts";
import {
  jsonSchema,
  tool,
  type LanguageModelMiddleware,
  type LanguageModelUsage,
  type ModelMessage,
  type ToolSet,
} from "ai";
import { createRuntime } from "../../session/checked-runtime.ts";
import type { Outcome } from "../../core/engines/contract.ts";
import type { CompactOptions, Runtime, RuntimeOptions } from "../../session/contract.ts";
import {
  createConversation,
  type FrameworkConversation,
  type FrameworkPrepared,
  answerCall,
  declaredTools,
  toolsToSend,
  callPrepared,
} from "../framework/conversation.ts";
import { aiMessages, type AiMessage } from "./messages.ts";

export interface Precis extends Pick<Runtime, "report" | "recall" | "undo" | "on" | "state"> {
  /** For `wrapLanguageModel`: prepares every call of the model, learns from its usage, and makes refused calls smaller. */
  readonly middleware: LanguageModelMiddleware;
  /** For `generateText`, `streamText` and agents whose model is not wrapped. */
  readonly prepareStep: (step: Step) => Promise<PreparedStep>;
  /**
   * Compacts now, regardless of the threshold: give it what you would send next, a system prompt as its first message or left
   * out. The next call uses it.
   *
   * @throws PrecisError as `compact` of a session does.
   */
  readonly compact: (messages: readonly ModelMessage[], options?: CompactOptions) => Promise<Outcome>;
  /** Tools with which the model reads what left the conversation; add them to your own. */
  readonly tools: () => ToolSet;
}

/** Of what `prepareStep` is called with. */
interface Step {
  readonly messages: readonly ModelMessage[];
  readonly instructions?: unknown;
  readonly steps?: readonly { readonly usage: LanguageModelUsage }[];
}

interface PreparedStep {
  messages: ModelMessage[];
  instructions?: string;
}

/**
 * Create one for each conversation. In another process, continue with the same `store` and the result of `state()`.
 *
 * @throws PrecisError `bad_options` for options that are unknown or out of range, `unknown_engine` for an engine's name.
 */
export function createPrecis(options: RuntimeOptions = {}): Precis {
  const runtime = createRuntime(options);
  const conversation = createConversation<AiMessage>(runtime, aiMessages);
  const call = async <Result>(
    params: CallParams,
    send: (params: CallParams, sent: FrameworkPrepared<AiMessage>) => PromiseLike<Result>,
  ): Promise<Result> => {
    const { tools, maxOutputTokens, abortSignal: signal } = params;
    const asked = { messages: collectMessages(params), around: { tools, maxOutputTokens }, signal };
    return callPrepared(conversation, asked, (sent) => send(withPrepared(params, sent), sent));
  };

  const middleware: LanguageModelMiddleware = {
    wrapGenerate: async ({ params, model }) =>
      call(params, async (smaller, { observe }) => {
        const result = await model.doGenerate(smaller);
        learn(observe, result.usage);
        return result;
      }),
    wrapStream: async ({ params, model }) =>
      call(params, async (smaller, { observe }) => {
        const result = await model.doStream(smaller);
        return { ...result, stream: result.stream.pipeThrough(readUsage((usage) => learn(observe, usage))) };
      }),
  };

  return {
    ...pick(runtime),
    compact: (messages, how) => conversation.compact(messages as readonly AiMessage[], how),
    middleware,
    prepareStep: createPrepareStep(runtime, conversation),
    tools: () => toolSet(runtime, options),
  };
}

/**
 * The next step continues from what a step returns, so the original conversation is kept as well: every step
 * is prepared from the whole.
 */
function createPrepareStep(
  runtime: Runtime,
  { prepare }: FrameworkConversation<AiMessage>,
): (step: Step) => Promise<PreparedStep> {
  let last: { readonly whole: readonly ModelMessage[]; readonly sent: readonly ModelMessage[] } | undefined;
  return async ({ messages, instructions, steps = [] }) => {
    const usage = steps.at(-1)?.usage;
    if (usage?.inputTokens !== undefined) runtime.observe(usage);
    const goesOn = last?.sent.every((message, at) => message === messages[at]) === true;
    const whole = goesOn ? [...last!.whole, ...messages.slice(last!.sent.length)] : messages;
    const lead = typeof instructions === "string" ? [{ role: "system", content: instructions } as const] : [];
    const prepared = await prepare([...lead, ...(whole as readonly AiMessage[])]);
    const [system, ...rest] = prepared.messages;
    const isLead = system?.role === "system" && typeof system.content === "string";
    const sent = (isLead ? rest : prepared.messages) as ModelMessage[];
    last = { whole, sent };
    return { messages: sent, ...(isLead ? { instructions: system.content as string } : {}) };
  };
}

type CallParams = Parameters<NonNullable<LanguageModelMiddleware["wrapGenerate"]>>[0]["params"];
type StreamResult = Awaited<ReturnType<NonNullable<LanguageModelMiddleware["wrapStream"]>>>;
type StreamPart = StreamResult["stream"] extends ReadableStream<infer One> ? One : never;
type ReportedUsage = Extract<StreamPart, { type: "finish" }>["usage"];

function pick({
  report,
  recall,
  undo,
  on,
  state,
}: Runtime): Pick<Runtime, "report" | "recall" | "undo" | "on" | "state"> {
  return { report, recall, undo, on, state };
}

function collectMessages({ prompt }: CallParams): readonly AiMessage[] {
  return prompt as unknown as readonly AiMessage[];
}

function withPrepared(params: CallParams, { messages, recallable }: FrameworkPrepared<AiMessage>): CallParams {
  const prompt = messages as unknown as CallParams["prompt"];
  if (params.tools === undefined) return { ...params, prompt };
  return { ...params, prompt, tools: [...toolsToSend(params.tools, recallable, ({ name }) => name)] };
}

function learn(observe: FrameworkPrepared<AiMessage>["observe"], { inputTokens, outputTokens }: ReportedUsage): void {
  if (inputTokens.total === undefined) return;
  const { total: input, cacheRead = 0, cacheWrite = 0 } = inputTokens;
  observe({ input, output: outputTokens.total ?? 0, cacheRead, cacheWrite });
}

function readUsage(report: (usage: ReportedUsage) => void): TransformStream<StreamPart, StreamPart> {
  return new TransformStream({
    transform: (part, controller) => {
      if (part.type === "finish") report(part.usage);
      controller.enqueue(part);
    },
  });
}

function toolSet(runtime: Runtime, options: RuntimeOptions): ToolSet {
  return Object.fromEntries(
    declaredTools(runtime, options).map(({ name, description, parameters }) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema<Record<string, unknown>>(parameters as Parameters<typeof jsonSchema>[0]),
        execute: async (input: Record<string, unknown>) => answerCall(runtime, name, input),
      }),
    ]),
  );
}
