/**
 * From the name in `context.engine` to an engine, in Hermes Agent's order: a folder `plugins/context_engine/<name>/`,
 * an engine registered by code, the built-in. `compressor` is always the built-in, and nothing is used that is not named.
 */
import { join, resolve } from "node:path";
import { PrecisError } from "../core/errors.ts";
import type {
  EngineSource,
  CompactRequest,
  EngineTool,
  ExternalEngine,
  Outcome,
  Sources,
  ToolAnswer,
  Usage,
} from "../core/engines/contract.ts";
import { builtInName, ENGINE_NAMES } from "../core/engines/names.ts";
import { findPlugin, PLUGIN_FOLDER, type Plugin } from "./find.ts";
import { createHost, type Host, type Call } from "./host.ts";
import { PLUGIN_LIMITS, type PluginLimits, PluginFault } from "./fault.ts";
import { registeredEngine } from "./registered.ts";
import type { EngineSettings } from "../core/engines/settings.ts";
import { createRedactor } from "../core/redaction/redactor.ts";
import type { Writer, Writers } from "../core/handoff/model/writer.ts";
import type { Transcript } from "../core/transcript/message.ts";
import {
  createBaring,
  unpackOutcome,
  type CompactData,
  type EngineInput,
  type WritersData,
  type ToolData,
} from "./thread-data.ts";
import { demand } from "./suite/fault.ts";
import { pageOf } from "../core/recall/pages.ts";
import { estimateText } from "../core/transcript/estimate.ts";

export interface LoadOptions {
  /** Folders that hold plugins, a folder each; the first that has the name counts. Default `plugins/context_engine` here. */
  readonly folders?: readonly string[];
  readonly limits?: Partial<PluginLimits>;
  /** Called with what the plugin prints; by default, that is discarded. */
  readonly says?: (text: string) => void;
}

/** An engine from a folder. Its threads start when a session needs them, and keep no program alive. */
export interface PluginSource extends EngineSource {
  readonly plugin: Plugin;
  /** Ends its threads. */
  readonly close: () => Promise<void>;
}

/**
 * What `createSession({ engine })` takes for a name: a plugin, or the name itself if it is a registered or a built-in engine.
 *
 * @throws PrecisError `unknown_engine`, which says where was looked; `bad_plugin` for a folder that is no plugin's.
 */
export function loadEngine(name: string, options: LoadOptions = {}): PluginSource | string {
  const { folders = [PLUGIN_FOLDER] } = options;
  if (name === "compressor") return name;
  const plugin = findPlugin(name, folders);
  if (plugin !== undefined) return openPlugin(plugin, options);
  if (registeredEngine(name) !== undefined) return name;
  const known = builtInName(name);
  if (known === undefined) throw unknownEngine(name, folders);
  return known;
}

export function openPlugin(plugin: Plugin, options: Omit<LoadOptions, "folders"> = {}): PluginSource & { host: Host } {
  const limits = { ...PLUGIN_LIMITS, ...options.limits };
  const { name } = plugin;
  const host = createHost({ plugin, limits, says: options.says });
  return {
    name,
    plugin,
    host,
    make: (settings) => createPluginEngine({ name, host, limits, settings }),
    close: host.close,
  };
}

function unknownEngine(name: string, folders: readonly string[]): PrecisError {
  const places = folders.map((folder) => join(resolve(folder), name)).join(" or ");
  return new PrecisError(`there is no engine named "${name}": no folder ${places}, none registered, none built in`, {
    code: "unknown_engine",
    place: "context.engine",
    hint: `\`precis plugins\` lists the plugins there are; built in: ${ENGINE_NAMES.join(", ")}.`,
  });
}

const STATE_SCHEMA_VERSION = 1;
/** Usages that wait for the next decision; of more, the newest. */
const USAGES_MAX = 64;

interface State extends EngineInput {
  readonly schemaVersion: typeof STATE_SCHEMA_VERSION;
  readonly plugin: string;
  /** What the model is offered: the same for whoever finds the record. */
  readonly tools?: readonly EngineTool[];
}

interface PluginEngineParts {
  readonly name: string;
  readonly host: Host;
  readonly limits: PluginLimits;
  readonly settings: EngineSettings;
}

/** Reports are kept with the state and passed with the next decision, so that no request waits for them. */
function createPluginEngine({ name, host, limits, settings }: PluginEngineParts): ExternalEngine {
  // A plugin says what tools it has with its first answer.
  let tools: readonly EngineTool[] | undefined;
  const keepTools = (listed: unknown): readonly EngineTool[] => (tools ??= demandToolList(listed));
  const stateOf = (input: EngineInput): State => ({
    schemaVersion: STATE_SCHEMA_VERSION,
    plugin: name,
    ...input,
    ...(tools === undefined || tools.length === 0 ? {} : { tools }),
  });
  const isOwn = (state: unknown): state is State => {
    const { schemaVersion, plugin, usages } = (state ?? {}) as Partial<State>;
    return schemaVersion === STATE_SCHEMA_VERSION && plugin === name && Array.isArray(usages);
  };
  const inputOf = (state: unknown): EngineInput =>
    isOwn(state) ? { own: state.own, usages: state.usages } : { usages: [] };
  // What a state has become by the usages that came with it.
  const become = new WeakMap<object, unknown>();
  return {
    name,
    init: () => stateOf({ usages: [] }),
    observe: (state, usage) => {
      if (typeof state === "object" && state !== null && become.has(state))
        return stateOf({ own: become.get(state), usages: [usage] });
      const { usages, ...input } = inputOf(state);
      return stateOf({ ...input, usages: [...usages.slice(1 - USAGES_MAX), usage] satisfies Usage[] });
    },
    decide: async (state, usage) => {
      const data = { name: "decide", settings, ...inputOf(state), usage } as const;
      const answer = (await host.run({ data, deadlineMs: limits.decideMs })) as Decided;
      keepTools(answer.tools);
      if (typeof state === "object" && state !== null) become.set(state, answer.state);
      return answer.decision;
    },
    compact: async (state, transcript, request) => {
      const asking = createAsking(request, limits);
      const { outcome, tools: listed } = (await host.run({
        data: compactData({ settings, ...inputOf(state) }, transcript, request),
        deadlineMs: limits.compactMs,
        ...(request.signal === undefined ? {} : { signal: request.signal }),
        ask: asking.ask,
      })) as Compacted;
      keepTools(listed);
      return named(unpackOutcome(outcome, transcript, request.chain), {
        name,
        wrap: (own) => stateOf({ own, usages: [] }),
        spent: asking.spent(),
      });
    },
    tools: (state) => tools ?? (isOwn(state) ? demandToolList(state.tools ?? []) : []),
    callTool: (state, call, sources) => answerTool({ host, limits }, { settings, ...inputOf(state), call }, sources),
  };
}

/** Originals are read from here, so many at most. */
async function answerTool(
  { host, limits }: Pick<PluginEngineParts, "host" | "limits">,
  asked: Pick<ToolData, "settings" | "own" | "usages" | "call">,
  { original, tokensMax }: Sources,
): Promise<ToolAnswer> {
  let reads = 0;
  const lateAtMs = Date.now() + limits.toolMs * LATE_SHARE;
  const answer = await host.run({
    data: { name: "tool", ...asked, lateAtMs, ...(tokensMax === undefined ? {} : { tokensMax }) },
    deadlineMs: limits.toolMs,
    read: (id) => (++reads > limits.reads ? Promise.resolve(undefined) : original(id)),
  });
  return demandToolAnswer(answer, tokensMax);
}

/** The share of its time after which a tool is warned that it is late. */
const LATE_SHARE = 0.8;

interface Decided {
  readonly decision: never;
  readonly state: unknown;
  readonly tools: unknown;
}

interface Compacted {
  readonly outcome: unknown;
  readonly tools: unknown;
}

function compactData(
  begun: EngineInput & Pick<CompactData, "settings">,
  transcript: Transcript,
  request: CompactRequest,
): CompactData {
  const { reason, focus, budget, now, standing, measure, secrets, writers } = request;
  const bared = createBaring();
  return {
    name: "compact",
    ...begun,
    transcript: bared(transcript),
    reason,
    factor: measure.factor ?? 1,
    ...(measure.imageTokens === undefined ? {} : { imageTokens: measure.imageTokens }),
    code: secrets?.code ?? false,
    ...(standing === undefined ? {} : { standing: bared(standing) }),
    ...(focus === undefined ? {} : { focus }),
    ...(budget === undefined ? {} : { budget }),
    ...(now === undefined ? {} : { now }),
    ...(writers === undefined ? {} : { writers: writersData(writers) }),
  };
}

function writersData({ auxiliary, main, resting, withheld }: Writers): WritersData {
  return {
    resting,
    ...(auxiliary === undefined ? {} : { auxiliary: plain(auxiliary) }),
    ...(main === undefined ? {} : { main: plain(main) }),
    ...(withheld === undefined ? {} : { withheld }),
  };
}

function plain({ model, windowTokens }: Writer): Pick<Writer, "model" | "windowTokens"> {
  return { model, windowTokens };
}

interface WriterSpending {
  readonly calls: number;
  readonly costUsd: number;
}

/** Models are asked from here, with secrets masked regardless of what the plugin did, and counted here too. */
function createAsking({ writers, secrets, signal }: CompactRequest, limits: PluginLimits) {
  const redact = createRedactor(secrets);
  let asked = 0;
  let spent: WriterSpending = { calls: 0, costUsd: 0 };
  const ask: NonNullable<Call["ask"]> = async (role, { system, user, maxOutputTokens }) => {
    const writer = writers?.[role];
    if (writer === undefined || ++asked > limits.asks)
      throw new PluginFault({ kind: "asked_too_often", detail: `${asked} times, of ${limits.asks}` });
    const reply = await writer.ask({ system: redact(system), user: redact(user), maxOutputTokens }, signal);
    const { requests, costUsd = 0 } = reply.usage;
    spent = { calls: spent.calls + requests, costUsd: spent.costUsd + costUsd };
    return reply;
  };
  return { ask, spent: () => spent };
}

interface Naming {
  readonly name: string;
  readonly wrap: (own: unknown) => State;
  readonly spent: WriterSpending;
}

function named(outcome: Outcome, { name, wrap, spent }: Naming): Outcome {
  if (outcome.kind === "unchanged")
    return outcome.state === undefined ? outcome : { ...outcome, state: wrap(outcome.state) };
  const { compaction } = outcome;
  const report = { ...compaction.report, engine: name, modelCalls: spent.calls, costUsd: spent.costUsd };
  return { kind: "compacted", compaction: { ...compaction, state: wrap(compaction.state), report } };
}

/** What a plugin says of its tools, and what it answers a call of one, held to the contract before anybody uses it. */
const TOOLS_MAX = 16;
/** Of all declarations together: they are paid for with every request. */
const DECLARATIONS_CHARS_MAX = 20_000;
/** What all protocols take. */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
/** Tools of this house begin so. */
const RESERVED = "precis_";
const ANSWER_TOKENS = 4_000;

function demandToolList(value: unknown): readonly EngineTool[] {
  const tools = value === undefined ? [] : value;
  demand(
    Array.isArray(tools) && tools.length <= TOOLS_MAX,
    "tools",
    () => `it has no list of at most ${TOOLS_MAX} tools`,
  );
  const list = tools as readonly Partial<EngineTool>[];
  for (const { name, description, parameters } of list) {
    const isNamed = typeof name === "string" && NAME.test(name) && !name.startsWith(RESERVED);
    const isDescribed = typeof description === "string" && typeof parameters === "object" && parameters !== null;
    demand(isNamed && isDescribed, "tools", () => "a tool has no usable name, no description or no parameters");
  }
  demand(new Set(list.map(({ name }) => name)).size === list.length, "tools", () => "two tools have the same name");
  const chars = JSON.stringify(list).length;
  demand(
    chars <= DECLARATIONS_CHARS_MAX,
    "tools",
    () => `the tools take ${chars} characters, of ${DECLARATIONS_CHARS_MAX}`,
  );
  return list.map(({ name, description, parameters }) => ({
    name: name!,
    description: description!,
    parameters: parameters!,
  }));
}

/** Within its bound, whatever it came to. @throws EngineFault for what is no answer. */
function demandToolAnswer(value: unknown, tokensMax = ANSWER_TOKENS): ToolAnswer {
  const { text, quotes, isError } = (value ?? {}) as Partial<ToolAnswer>;
  demand(typeof text === "string", "tools", () => "a tool answered without a text");
  const shown = estimateText(text!) <= tokensMax ? text! : pageOf(text!, 0, tokensMax).text;
  return {
    text: shown,
    quotes: Array.isArray(quotes) ? quotes.filter((quote) => shown.includes(String(quote?.text))) : [],
    ...(isError === true ? { isError } : {}),
  };
}
