/**
 * The thread's side: loads the plugin, rebuilds what an engine works with (measure, chain, models), and answers one call at
 * a time. `precis/engines` is the host's own copy, wherever the plugin is.
 */
import { hash } from "node:crypto";
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { serialize } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import { type EngineSettings, ENGINE_DEFAULTS } from "../core/engines/settings.ts";
import type { CompactRequest, Engine, EngineTool, Sources, ToolAnswer } from "../core/engines/contract.ts";
import { demand } from "./suite/fault.ts";
import type { Writer, WriterReply, Writers } from "../core/handoff/model/writer.ts";
import { createChain } from "../core/transcript/links.ts";
import { calibrated, createMeasure } from "../core/transcript/measure.ts";
import {
  packOutcome,
  type CallData,
  type CompactData,
  type FromThread,
  type EngineInput,
  type ToolData,
  type ToThread,
  type WriterRole,
  type WritersData,
} from "./thread-data.ts";
import { toFaultData, oneLine, PluginFault } from "./fault.ts";
import type { ThreadData } from "./host.ts";

type Make = (settings: EngineSettings) => Engine;

const port = parentPort!;
const { entry, folder, prints } = workerData as ThreadData;
const sha256 = (text: string): string => hash("sha256", text);
const ENGINES_MAX = 8;
const engines = new Map<string, Engine>();
const asked = new Map<number, (reply: unknown) => void>();
let asks = 0;

/** What a thread may print before it is not listened to. */
const PRINTED_CHARS_MAX = 100_000;
let printed = 0;
for (const stream of [process.stdout, process.stderr]) stream.write = onMessage;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "precis/engines"
      ? { url: new URL(`../engines${import.meta.url.slice(-3)}`, import.meta.url).href, shortCircuit: true }
      : next(specifier, context),
});

try {
  const make = await load();
  port.on("message", (message: ToThread) => {
    if (message.kind === "call") void answer(make, message);
    else asked.get(message.ask)?.(message.reply);
  });
  tell({ kind: "ready" });
} catch (error) {
  tell({ kind: "failed", fault: { ...toFaultData(error, folder), kind: "unloadable" } });
}

function onMessage(chunk: unknown, ...rest: readonly unknown[]): boolean {
  const text = String(chunk);
  printed += text.length;
  if (prints && printed <= PRINTED_CHARS_MAX) tell({ kind: "printed", text });
  const done = rest.find((one) => typeof one === "function");
  if (done !== undefined) (done as () => void)();
  return true;
}

function tell(message: FromThread): void {
  port.postMessage(message);
}

async function load(): Promise<Make> {
  const { createEngine } = (await import(pathToFileURL(entry).href)) as { readonly createEngine?: unknown };
  if (typeof createEngine === "function") return createEngine as Make;
  throw new TypeError("it exports no function `createEngine`");
}

async function answer(make: Make, { call, answerBytesMax }: Extract<ToThread, { kind: "call" }>): Promise<void> {
  try {
    const bytes = asBytes(await answerTo(make, call));
    if (bytes.length > answerBytesMax)
      throw new PluginFault({ kind: "too_large", detail: `${bytes.length} bytes, of ${answerBytesMax}` });
    tell({ kind: "answer", bytes });
  } catch (error) {
    tell({ kind: "failed", fault: toFaultData(error, folder) });
  }
}

function asBytes(value: unknown): Uint8Array {
  try {
    return serialize(value);
  } catch (error) {
    throw new PluginFault({ kind: "not_data", detail: oneLine((error as Error).message) });
  }
}

async function answerTo(make: Make, call: CallData): Promise<unknown> {
  switch (call.name) {
    case "decide": {
      const engine = engineFor(make, call.settings);
      const state = makeState(engine, call);
      return { decision: engine.decide(state, call.usage), state, tools: listTools(engine, state) };
    }
    case "compact": {
      const engine = engineFor(make, call.settings);
      const { transcript } = call;
      const state = makeState(engine, call);
      const outcome = packOutcome(await engine.compact(state, transcript, createRequest(call)), transcript);
      return { outcome, tools: listTools(engine, state) };
    }
    case "tool":
      return answerTool(engineFor(make, call.settings), call);
    case "check": {
      const { transcript, contextTokens } = call;
      const { checkEngine } = await import("./suite/suite.ts");
      await checkEngine(
        { transcript },
        {
          make: (contextLength) => made(make, { ...ENGINE_DEFAULTS, contextLength }),
          hash: sha256,
          ...(contextTokens === undefined ? {} : { contextTokens }),
        },
      );
      return undefined;
    }
  }
}

function engineFor(make: Make, settings: EngineSettings): Engine {
  const key = JSON.stringify(settings);
  const known = engines.get(key);
  if (known !== undefined) return known;
  if (engines.size >= ENGINES_MAX) engines.clear();
  const engine = made(make, settings);
  engines.set(key, engine);
  return engine;
}

const METHODS = ["init", "observe", "decide", "compact"] as const;

function made(make: Make, settings: EngineSettings): Engine {
  const engine = make(settings) as Engine | undefined;
  for (const method of METHODS)
    demand(typeof engine?.[method] === "function", "shape", () => `what it made has no function \`${method}\``);
  return engine!;
}

function makeState(engine: Engine, { own = engine.init(), usages }: EngineInput): unknown {
  return usages.reduce<unknown>((state, usage) => engine.observe(state, usage), own);
}

function listTools(engine: Engine, state: unknown): readonly EngineTool[] {
  return engine.callTool === undefined ? [] : (engine.tools?.(state) ?? []);
}

async function answerTool(engine: Engine, data: ToolData): Promise<ToolAnswer> {
  const { call, tokensMax, lateAtMs } = data;
  const sources: Sources = {
    original: (id) => fromHost<string | undefined>((ask) => ({ kind: "read", ask, id })),
    isLate: () => Date.now() >= lateAtMs,
    ...(tokensMax === undefined ? {} : { tokensMax }),
  };
  return engine.callTool!(makeState(engine, data), call, sources);
}

function fromHost<Reply>(message: (ask: number) => FromThread): Promise<Reply> {
  return new Promise((resolve) => {
    const ask = asks++;
    asked.set(ask, (reply) => {
      asked.delete(ask);
      resolve(reply as Reply);
    });
    tell(message(ask));
  });
}

function createRequest(call: CompactData): CompactRequest {
  const { reason, focus, budget, now, standing, factor, code, writers } = call;
  return {
    measure: calibrated(createMeasure(call), factor),
    chain: createChain(sha256),
    reason,
    secrets: { code },
    ...(focus === undefined ? {} : { focus }),
    ...(budget === undefined ? {} : { budget }),
    ...(now === undefined ? {} : { now }),
    ...(standing === undefined ? {} : { standing }),
    ...(writers === undefined ? {} : { writers: createWritersFor(writers) }),
  };
}

function createWritersFor({ auxiliary, main, ...rest }: WritersData): Writers {
  return {
    ...rest,
    ...(auxiliary === undefined ? {} : { auxiliary: createWriter("auxiliary", auxiliary) }),
    ...(main === undefined ? {} : { main: createWriter("main", main) }),
  };
}

function createWriter(role: WriterRole, writer: Pick<Writer, "model" | "windowTokens">): Writer {
  return {
    ...writer,
    ask: ({ system, user, maxOutputTokens }) =>
      fromHost<WriterReply>((ask) => ({ kind: "ask", ask, role, prompt: { system, user, maxOutputTokens } })),
  };
}
