/**
 * The entry `precis/dsh`: a compaction engine of the DeepSeek Harness that writes its checkpoints, with no model. When to compact, what
 * stays and how it is recorded is the harness's own basic engine's.
 */
import "../../platform/refuse-old-node.ts";
import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { createMeasure } from "../../core/transcript/measure.ts";
import { createRuntime } from "../../session/checked-runtime.ts";
import type { RuntimeOptions } from "../../session/contract.ts";
import { readMessages } from "../framework/conversation.ts";
import { handoffFor } from "../hosts/handoff.ts";
import { dshMessages, type DshMessage } from "./messages.ts";

/** Of the harness, what is used here. */
interface Context {
  plugin(engine: unknown, config?: object): unknown;
}

interface SummarizationInput {
  readonly messages: readonly DshMessage[];
}

interface Agent {
  readonly session: object;
  readonly options: { readonly provider?: string; readonly model?: string };
}

interface SummaryResult {
  readonly summary: readonly { readonly type: "text"; readonly text: string }[];
  readonly provider: string;
  readonly model: string;
}

interface BasicEngine {
  summarize(input: SummarizationInput, agent: Agent, signal?: AbortSignal): Promise<SummaryResult>;
}

/** The harness has services by name; this one it waits for. */
export const name = "precis";
export const inject: readonly string[] = ["llm", "tokenMeter", "sessions"];

/** What the harness loads. `config` is that of its basic engine. */
export async function apply(context: Context, config: object = {}): Promise<void> {
  context.plugin(createEngine(await loadBasicEngine()), config);
}

type EngineClass = new (...given: never[]) => BasicEngine;

/** With options of one's own, for a plugin file of one's own. */
export function createEngine(basic: EngineClass, options: Omit<RuntimeOptions, "state"> = {}): EngineClass {
  /** Of each session, the messages that its checkpoint stands in for: every handoff is written from the originals. */
  const replaced = new WeakMap<object, readonly DshMessage[]>();
  return class PrecisEngine extends basic {
    override async summarize(input: SummarizationInput, agent: Agent, signal?: AbortSignal): Promise<SummaryResult> {
      const messages = originals(input.messages, replaced.get(agent.session));
      const runtime = createRuntime({
        ...options,
        settings: { note: "handoff", protectFirstN: 0, ...options.settings },
      });
      const tokens = createMeasure().messages(readMessages(dshMessages, messages).flat());
      const budget = Math.max(1, Math.floor(Math.min(tokens * CHECKPOINT_SHARE, CHECKPOINT_TOKENS_MAX)));
      const request = { budget, keepNothing: true, ...(signal === undefined ? {} : { signal }) };
      const done = await handoffFor(runtime, dshMessages, messages, request);
      // Where nothing smaller is possible, the harness asks its model.
      if (done === undefined) return super.summarize(input, agent, signal);
      replaced.set(agent.session, messages);
      const { provider = "precis", model = "precis" } = agent.options;
      return { summary: [{ type: "text", text: done.summary }], provider, model };
    }
  };
}

/** Of what it stands in for; the harness refuses a checkpoint that is no smaller. */
const CHECKPOINT_SHARE = 0.2;
const CHECKPOINT_TOKENS_MAX = 8_000;

const CHECKPOINT = { opens: "<compacted-summary>", ends: "</compacted-summary>" };

/** An earlier checkpoint gives way to what it stands in for; after a restart, to its text. */
function originals(messages: readonly DshMessage[], known: readonly DshMessage[] | undefined): readonly DshMessage[] {
  const [first, ...rest] = messages;
  const text = first?.content.map((block) => block["text"] ?? "").join("\n") ?? "";
  const start = text.indexOf(CHECKPOINT.opens);
  const end = text.indexOf(CHECKPOINT.ends, start);
  if (first === undefined || start < 0 || end < 0) return messages;
  const summary = text.slice(start + CHECKPOINT.opens.length, end).trim();
  return [...(known ?? [{ role: first.role, content: [{ type: "text", text: summary }] }]), ...rest];
}

/** From the harness's own installation: precis may be installed anywhere. */
async function loadBasicEngine(): Promise<EngineClass> {
  const { resolve } = createRequire(realpathSync(process.argv[1]!));
  const module = (await import(pathToFileURL(resolve("@deepseek-ai/dsh-compaction-basic")).href)) as {
    readonly BasicCompactionEngine: EngineClass;
  };
  return module.BasicCompactionEngine;
}
