/**
 * The entry `precis/dsh`: a compaction engine of the DeepSeek Harness that writes its checkpoints, with no model, and a tool that reads
 * what they took the place of. When to compact, what stays and how it is recorded is the harness's own basic engine's.
 */
import "../../platform/refuse-old-node.ts";
import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { defined } from "../../core/defined.ts";
import { createMeasure } from "../../core/transcript/measure.ts";
import { createRuntime } from "../../session/checked-runtime.ts";
import type { Runtime, RuntimeOptions } from "../../session/contract.ts";
import { answerCall, declaredTools, readMessages, type ReadFormat } from "../framework/conversation.ts";
import { handoffFor } from "../hosts/handoff.ts";
import type { HandoffTextRequest } from "../../session/handoff-text.ts";
import type { Content, Part } from "../../core/transcript/message.ts";
import { dshParts, dshResults, isInjected } from "../../logs/dsh/blocks.ts";

/** Of the harness, what is used here. */
interface Context {
  readonly tools: { register(tool: DshTool): unknown };
  plugin(engine: unknown, config?: object): unknown;
}

interface DshTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
  readonly output: {
    readonly schema: object;
    readonly render: (input: unknown, answer: string) => readonly TextBlock[];
  };
  readonly execute: (input: unknown, call: { readonly agent?: Agent }) => Promise<string>;
}

interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

interface SummarizationInput {
  readonly messages: readonly DshMessage[];
}

/** Its log has everything that was said, including what was replaced later. */
interface DshSession {
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

interface Agent {
  readonly session: DshSession;
  readonly options: { readonly provider?: string; readonly model?: string };
}

interface SummaryResult {
  readonly summary: readonly TextBlock[];
  readonly provider: string;
  readonly model: string;
}

interface BasicEngine {
  summarize(input: SummarizationInput, agent: Agent, signal?: AbortSignal): Promise<SummaryResult>;
}

type Options = Omit<RuntimeOptions, "state">;

/** The harness has services by name; these it waits for. */
export const name = "precis";
export const inject: readonly string[] = ["llm", "tokenMeter", "sessions", "tools"];

/** What the harness loads. `config` is that of its basic engine. */
export async function apply(context: Context, config: object = {}): Promise<void> {
  context.plugin(createEngine(await loadBasicEngine()), config);
  registerTools(context);
}

type EngineClass = new (...given: never[]) => BasicEngine;

/** With options of one's own, for a plugin file of one's own. */
export function createEngine(basic: EngineClass, options: Options = {}): EngineClass {
  return class PrecisEngine extends basic {
    override async summarize(input: SummarizationInput, agent: Agent, signal?: AbortSignal): Promise<SummaryResult> {
      const messages = findOriginals(input.messages, agent.session);
      const done = await checkpoint(
        messages,
        openRuntime(agent.session, options),
        defined({ signal, secrets: options.secrets }),
      );
      // If nothing smaller is possible, the harness asks its model.
      if (done === undefined) return super.summarize(input, agent, signal);
      const { provider = "precis", model = "precis" } = agent.options;
      return { summary: [{ type: "text", text: done }], provider, model };
    }
  };
}

/** The tools with which its model reads what checkpoints replaced; for use with an engine of `createEngine`. */
export function registerTools({ tools }: Pick<Context, "tools">, options: Options = {}): void {
  for (const { name: tool, description, parameters } of declaredTools(createRuntime(options), options))
    tools.register({
      name: tool,
      description,
      parameters: { type: "object", properties: {}, ...parameters },
      output: { schema: { type: "string" }, render: (_, text) => [{ type: "text", text }] },
      execute: async (input, { agent }) => {
        if (agent === undefined) return "There is no conversation to recall from.";
        return answerCall(await restored(agent.session, options), tool, input);
      },
    });
}

/** What checkpoints of each session removed can be recalled as long as the process lives. */
const runtimes = new WeakMap<DshSession, { readonly runtime: Runtime; checkpoints: number }>();

function openRuntime(session: DshSession, options: Options): Runtime {
  const settings = { note: "handoff", protectFirstN: 0, ...options.settings } as const;
  const known = runtimes.get(session) ?? { runtime: createRuntime({ ...options, settings }), checkpoints: 0 };
  runtimes.set(session, known);
  known.checkpoints = findCheckpoints(session).length + 1;
  return known.runtime;
}

/** With the newest checkpoint of an earlier process made again. */
async function restored(session: DshSession, options: Options): Promise<Runtime> {
  const checkpoints = findCheckpoints(session);
  const made = runtimes.get(session)?.checkpoints ?? 0;
  const runtime = openRuntime(session, options);
  if (made < checkpoints.length) {
    const said = listAppended(session.events.slice(0, checkpoints.at(-1)));
    await checkpoint(said, runtime, { secrets: options.secrets });
  }
  return runtime;
}

async function checkpoint(
  messages: readonly DshMessage[],
  runtime: Runtime,
  how: Pick<HandoffTextRequest, "secrets" | "signal">,
): Promise<string | undefined> {
  const tokens = createMeasure().messages(readMessages(dshMessages, messages).flat());
  const budget = Math.max(1, Math.floor(Math.min(tokens * CHECKPOINT_SHARE, CHECKPOINT_TOKENS_MAX)));
  return (await handoffFor(runtime, dshMessages, messages, { budget, keepNothing: true, ...how }))?.summary;
}

/** A share of what it replaces; the harness refuses a checkpoint that is no smaller. */
const CHECKPOINT_SHARE = 0.2;
const CHECKPOINT_TOKENS_MAX = 8_000;

/** Everything that was said up to the newest of these messages: an earlier checkpoint is replaced by its originals. */
function findOriginals(messages: readonly DshMessage[], { events }: DshSession): readonly DshMessage[] {
  const ids = new Set(messages.map(({ id }) => id));
  const said = listAppended(events);
  const newest = said.findLastIndex(({ id }) => id !== undefined && ids.has(id));
  return newest < 0 ? messages : said.slice(0, newest + 1);
}

function listAppended(events: DshSession["events"]): readonly DshMessage[] {
  return events.flatMap(({ surfaceOp, data }) => {
    if (surfaceOp !== "append") return [];
    const { message = data } = data as { readonly message?: unknown };
    return [message as DshMessage];
  });
}

/** The places of checkpoints in its log. */
function findCheckpoints({ events }: DshSession): readonly number[] {
  return events.flatMap(({ type, surfaceOp }, at) =>
    type === "user/message" && typeof surfaceOp === "object" ? [at] : [],
  );
}

/** From the harness's own installation: precis may be installed anywhere. */
async function loadBasicEngine(): Promise<EngineClass> {
  const { resolve } = createRequire(realpathSync(process.argv[1]!));
  const module = (await import(pathToFileURL(resolve("@deepseek-ai/dsh-compaction-basic")).href)) as {
    readonly BasicCompactionEngine: EngineClass;
  };
  return module.BasicCompactionEngine;
}

/** What is read of one. */
interface DshMessage {
  readonly id?: string;
  readonly role: string;
  readonly content: readonly unknown[];
  /** Who wrote it: a plugin of the harness speaks in the user's name. */
  readonly source?: unknown;
}

/** Results are messages of their own. */
const dshMessages: ReadFormat<DshMessage> = { name: "dsh", read: readMessage };

function readMessage({ role, content, source }: DshMessage): readonly Content[] {
  const parts = dshParts(content);
  const speaker = role === "assistant" || role === "system" ? role : "user";
  const isReminder = speaker === "user" && isInjected(source);
  return [
    ...(parts.length === 0 ? [] : [{ role: speaker, parts: isReminder ? parts.map(asReminder) : parts } as const]),
    ...dshResults(content).map(({ callId = "", content: printed, isError }): Content => {
      const result: Part = { kind: "tool-result", callId, content: printed, at: 0 };
      return { role: "tool", parts: [isError ? { ...result, isError } : result] };
    }),
  ];
}

function asReminder(part: Part): Part {
  return part.kind === "text" ? { ...part, text: `<system-reminder>\n${part.text}\n</system-reminder>` } : part;
}
