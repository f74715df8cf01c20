/**
 * The entry `precis/mastra`: a processor that keeps an agent of Mastra within its model's window. What its memory keeps stays
 * whole; only the prompt of each call is compacted.
 */
import "../../platform/refuse-old-node.ts";
import { z } from "zod";
import { createRuntime } from "../../session/checked-runtime.ts";
import type { Runtime, RuntimeOptions } from "../../session/contract.ts";
import type { AiMessage } from "../ai-sdk/messages.ts";
import { aiMessages } from "../ai-sdk/messages.ts";
import { createConversation, type FrameworkPrepared, answerCall, declaredTools } from "../framework/conversation.ts";

export interface Precis extends Pick<Runtime, "report" | "recall" | "undo" | "on" | "state"> {
  /** For `new Agent({ inputProcessors: [precis.processor], errorProcessors: [precis.processor] })`. */
  readonly processor: Processor;
  /** Tools with which the model reads what left the conversation; add them to your own. */
  readonly tools: () => Record<string, MastraTool>;
}

/** Of Mastra's `Processor`, what is implemented here. */
interface Processor {
  readonly id: string;
  readonly processLLMRequest: (request: { readonly prompt: Prompt }) => Promise<{ readonly prompt: Prompt }>;
  readonly processLLMResponse: (response: { readonly chunks: readonly Chunk[] }) => Promise<undefined>;
  readonly processAPIError: (failed: {
    readonly error: unknown;
    readonly retryCount: number;
  }) => Promise<{ readonly retry: boolean } | undefined>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- Mastra's type of a prompt is that of a package which users need not have
type Prompt = any;

interface Chunk {
  readonly type: string;
  readonly payload: unknown;
}

/** A schema as https://standardschema.dev has it, which Mastra takes. */
export interface StandardSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
  };
}

interface MastraTool {
  readonly id: string;
  readonly description: string;
  readonly inputSchema: StandardSchema;
  readonly execute: (input: unknown) => Promise<string>;
}

/** How often one call is made smaller and sent again. */
const RECOVERIES_MAX = 4;

/**
 * Create one for each conversation (thread). The window is that of the model's name, unless `settings.contextLength` states it
 * or a provider's overflow error does.
 *
 * @throws PrecisError `bad_options` for options that are unknown or out of range, `unknown_engine` for an engine's name.
 */
export function createPrecis(options: RuntimeOptions = {}): Precis {
  const runtime = createRuntime(options);
  const { prepare, recover } = createConversation<AiMessage>(runtime, aiMessages);
  let asked: readonly AiMessage[] = [];
  let sent: FrameworkPrepared<AiMessage> | undefined;
  /** What a refused call is repeated with. */
  let smaller: FrameworkPrepared<AiMessage> | undefined;
  const processor: Processor = {
    id: "precis",
    processLLMRequest: async ({ prompt }: { readonly prompt: Prompt }) => {
      asked = prompt as readonly AiMessage[];
      sent = smaller ?? (await prepare(asked));
      smaller = undefined;
      return { prompt: [...sent.messages] };
    },
    processLLMResponse: async ({ chunks }) => {
      const usage = chunks.map(readUsage).findLast((one) => one !== undefined);
      if (usage !== undefined) sent?.observe(usage);
      return undefined;
    },
    processAPIError: async ({ error, retryCount }) => {
      if (retryCount >= RECOVERIES_MAX) return undefined;
      smaller = await recover(error, asked);
      return smaller === undefined ? undefined : { retry: true };
    },
  };
  const { report, recall, undo, on, state } = runtime;
  return { report, recall, undo, on, state, processor, tools: () => listTools(runtime, options) };
}

function readUsage({ payload }: Chunk): { readonly inputTokens: number } | undefined {
  const { output, usage = (output as { readonly usage?: unknown } | undefined)?.usage } = (payload ?? {}) as {
    readonly output?: unknown;
    readonly usage?: unknown;
  };
  const { inputTokens } = (usage ?? {}) as { readonly inputTokens?: unknown };
  return typeof inputTokens === "number" ? (usage as { readonly inputTokens: number }) : undefined;
}

function listTools(runtime: Runtime, options: RuntimeOptions): Record<string, MastraTool> {
  return Object.fromEntries(
    declaredTools(runtime, options).map(({ name, description, parameters }) => [
      name,
      {
        id: name,
        description,
        inputSchema: z.fromJSONSchema(parameters as Parameters<typeof z.fromJSONSchema>[0]),
        execute: (input: unknown) => answerCall(runtime, name, input),
      },
    ]),
  );
}
