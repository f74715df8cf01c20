/**
 * How precis goes into an agent's loop, in one file: the whole conversation is kept and passed to every call, and the
 * middleware of `precis/ai-sdk` makes it fit. What was said is in the journal before anything acts on it, so that a turn
 * that was cut off anywhere goes on from its last message.
 */
import { jsonSchema, streamText, wrapLanguageModel, type ModelMessage, type ToolSet } from "ai";
import type { Precis } from "../../src/integrations/ai-sdk/index.ts";
import { resultMessage, unanswered, type Call } from "./calls.ts";
import type { AgentTool } from "./tools.ts";

/** Calls of the model in one turn. */
const STEPS_MAX = 100;

type Model = Parameters<typeof wrapLanguageModel>[0]["model"];

export interface Journal {
  /** The whole conversation, as it was said; only `append` changes it. */
  readonly messages: readonly ModelMessage[];
  /** Kept when it returns. */
  readonly append: (...messages: readonly ModelMessage[]) => void;
}

/** The person, as far as a turn needs them. */
export interface TurnScreen {
  readonly text: (piece: string) => void;
  readonly call: (call: Call) => void;
  readonly result: (text: string) => void;
  readonly usage: (usage: { readonly input: number; readonly output: number; readonly cacheRead: number }) => void;
  /** Whether the person lets the agent do it. */
  readonly approves: (call: Call) => Promise<boolean>;
}

export interface Agent {
  readonly model: Model;
  readonly precis: Precis;
  readonly instructions: string;
  readonly tools: Readonly<Record<string, AgentTool>>;
  readonly journal: Journal;
  readonly screen: TurnScreen;
}

/** Goes on until the model has nothing more to do: from a new request, or from wherever an earlier process was ended. */
export async function runTurn(agent: Agent, signal: AbortSignal): Promise<void> {
  const { journal } = agent;
  for (let step = 0; step < STEPS_MAX && !signal.aborted; step++) {
    for (const call of unanswered(journal.messages)) journal.append(await answer(agent, call, signal));
    if (journal.messages.at(-1)?.role === "assistant") return;
    journal.append(...(await askModel(agent, signal)));
  }
}

async function askModel(
  { model, precis, instructions, tools, journal, screen }: Agent,
  signal: AbortSignal,
): Promise<readonly ModelMessage[]> {
  const failures: unknown[] = [];
  const stream = streamText({
    model: wrapLanguageModel({ model, middleware: precis.middleware }),
    instructions,
    messages: [...journal.messages],
    tools: declared(tools, precis.tools()),
    abortSignal: signal,
    providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
    onError: ({ error }) => void failures.push(error),
  });
  for await (const piece of stream.textStream) screen.text(piece);
  if (failures.length > 0) throw failures[0];
  const { inputTokens = 0, outputTokens = 0, inputTokenDetails } = await stream.usage;
  screen.usage({ input: inputTokens, output: outputTokens, cacheRead: inputTokenDetails.cacheReadTokens ?? 0 });
  return (await stream.response).messages;
}

/** Declared without `execute`: each call is answered here, so that its result is kept before the next one begins. */
function declared(tools: Agent["tools"], own: ToolSet): ToolSet {
  const agents = Object.entries(tools).map(([name, { description, parameters }]) => {
    return [name, { description, inputSchema: jsonSchema(parameters) }] as const;
  });
  const ours = Object.entries(own).map(([name, { execute: _, ...declaration }]) => [name, declaration] as const);
  return Object.fromEntries([...agents, ...ours]) as ToolSet;
}

async function answer({ tools, precis, screen }: Agent, call: Call, signal: AbortSignal): Promise<ModelMessage> {
  const own = Object.hasOwn(tools, call.tool) ? tools[call.tool] : undefined;
  screen.call(call);
  if (own?.asks === true && !(await screen.approves(call)))
    return resultMessage(call, "The user did not allow this call.", true);
  try {
    const text = own === undefined ? await recalled(precis, call) : await own.run(call.input, signal);
    screen.result(text);
    return resultMessage(call, text, false);
  } catch (error) {
    screen.result((error as Error).message);
    return resultMessage(call, (error as Error).message, true);
  }
}

/** The tools of precis itself run as it made them. */
async function recalled(precis: Precis, { id, tool: name, input }: Call): Promise<string> {
  const { execute } = precis.tools()[name] ?? {};
  if (execute === undefined) throw new Error(`There is no tool "${name}".`);
  return String(await execute(input, { toolCallId: id, messages: [], context: undefined }));
}
