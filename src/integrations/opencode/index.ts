/**
 * The entry `precis/opencode`: a plugin that keeps OpenCode's sessions within the windows of their models. In 1.18 it shortens what is
 * sent, so that OpenCode's own compaction is never due; in 2 it writes OpenCode's compactions. Both are given a tool for recall.
 */
import "../../platform/refuse-old-node.ts";
import { z } from "zod";
import { createRuntime } from "../../session/checked-runtime.ts";
import type { Prepared, Runtime, RuntimeOptions } from "../../session/contract.ts";
import { createConversation, answerCall, declaredTools, type ReadFormat } from "../framework/conversation.ts";
import { openCodeMessages, type OpenCodeMessage } from "./messages.ts";
import { createRecentMap } from "../../store/recent-map.ts";
import type { Content, ContentPart, Part } from "../../core/transcript/message.ts";
import { handoffFor } from "../hosts/handoff.ts";

/** Of what OpenCode gives a plugin, what is used here. */
interface PluginInput {
  readonly client: {
    readonly config: { providers(): Promise<{ readonly data?: { readonly providers: readonly Provider[] } }> };
  };
}

interface Provider {
  readonly id: string;
  readonly models: Readonly<Record<string, ModelOf | undefined>>;
}

interface ModelOf {
  readonly limit: { readonly context: number; readonly output: number };
}

interface Session {
  readonly runtime: Runtime;
  system: readonly string[];
  observe: Prepared["observe"] | undefined;
}

type Options = Omit<RuntimeOptions, "state">;

const SESSIONS_MAX = 64;

/** With options of one's own, for a plugin file of one's own: `export default createPlugin({ … })`. */
export function createPlugin(options: Options = {}) {
  return {
    id: "precis",
    server: (input: PluginInput) => hooksFor(input, options),
    setup: (context: Parameters<typeof setupForTwo>[0]) => setupForTwo(context, options),
  };
}

/** What OpenCode loads. */
export default createPlugin();

async function hooksFor(input: PluginInput, options: Options) {
  const sessions = createSessions(options);
  const windows = createWindows(input);
  const tools = new Map<string, unknown>();
  return {
    tool: Object.fromEntries(
      declaredTools(createRuntime(options), options).map(({ name, description, parameters }) => [
        name,
        {
          description,
          args: detectShape(parameters),
          execute: (given: unknown, { sessionID }: { readonly sessionID: string }) =>
            answerCall(sessions(sessionID).runtime, name, given),
        },
      ]),
    ),
    "tool.definition": async ({ toolID }: { readonly toolID: string }, definition: unknown): Promise<void> =>
      void tools.set(toolID, definition),
    "experimental.chat.system.transform": async (
      { sessionID }: { readonly sessionID?: string },
      { system }: { readonly system: readonly string[] },
    ): Promise<void> => {
      if (sessionID !== undefined) sessions(sessionID).system = [...system];
    },
    "experimental.chat.messages.transform": async (
      _: unknown,
      { messages }: { readonly messages: OpenCodeMessage[] },
    ): Promise<void> => {
      const [first] = messages;
      if (first === undefined) return;
      const session = sessions(first.info.sessionID);
      const model = await windows(messages, options);
      if (model !== undefined) session.runtime.modelChanged(model);
      const sent = await prepared(session, messages, [...tools.values()]);
      // OpenCode sends the very list that it gave.
      if (sent === messages) return;
      messages.length = 0;
      for (const message of sent) messages.push(message);
    },
  };
}

async function prepared(
  session: Session,
  messages: readonly OpenCodeMessage[],
  tools: readonly unknown[],
): Promise<readonly OpenCodeMessage[]> {
  const usage = readUsage(messages);
  if (usage !== undefined) session.observe?.(usage);
  const { prepare } = createConversation(session.runtime, openCodeMessages(messages));
  const system = session.system.map((text) => systemMessage(messages[0]!, text));
  const { messages: all, observe } = await prepare([...system, ...messages], { tools });
  session.observe = observe;
  const sent = all.filter(({ info }) => info.role !== "system");
  return sent.length === messages.length && sent.every((one, at) => one === messages[at]) ? messages : sent;
}

function systemMessage({ info }: OpenCodeMessage, text: string): OpenCodeMessage {
  return { info: { ...info, role: "system" }, parts: [{ type: "text", text }] };
}

function readUsage(messages: readonly OpenCodeMessage[]) {
  const { tokens } = (messages.findLast(({ info }) => info.role === "assistant")?.info ?? {}) as {
    readonly tokens?: {
      readonly input: number;
      readonly output: number;
      readonly cache: { readonly read: number; readonly write: number };
    };
  };
  if (tokens === undefined) return undefined;
  const { input, output, cache } = tokens;
  const whole = input + cache.read + cache.write;
  return whole === 0 ? undefined : { input: whole, output, cacheRead: cache.read, cacheWrite: cache.write };
}

/** The window of the model that the newest message of the user is for, where OpenCode knows it. */
function createWindows({ client }: PluginInput) {
  const known = new Map<string, Promise<ModelOf | undefined>>();
  return async (messages: readonly OpenCodeMessage[], { settings }: Options) => {
    const { model } = (messages.findLast(({ info }) => info.role === "user")?.info ?? {}) as {
      readonly model?: { readonly providerID: string; readonly modelID: string };
    };
    if (model === undefined || settings?.contextLength !== undefined) return undefined;
    const { providerID, modelID } = model;
    const key = `${providerID}\n${modelID}`;
    if (!known.has(key))
      known.set(
        key,
        client.config.providers().then(
          ({ data }) => data?.providers.find(({ id }) => id === providerID)?.models[modelID],
          () => undefined,
        ),
      );
    const limit = (await known.get(key))?.limit;
    if (limit === undefined || limit.context < 1) return undefined;
    return {
      model: modelID,
      contextLength: limit.context,
      maxOutputTokens: Math.min(limit.output, limit.context >> 1),
    };
  };
}

function createSessions(options: Options): (id: string) => Session {
  const sessions = createRecentMap<Session>({ entries: SESSIONS_MAX });
  return (id) => {
    const known = sessions.get(id) ?? { runtime: createRuntime(options), system: [], observe: undefined };
    sessions.set(id, known);
    return known;
  };
}

/** OpenCode wants the arguments of a tool as Zod's. */
function detectShape(parameters: Readonly<Record<string, unknown>>): unknown {
  return (z.fromJSONSchema(parameters as Parameters<typeof z.fromJSONSchema>[0]) as z.ZodObject).shape;
}

type Fields = Readonly<Record<string, unknown>>;

interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly Fields[];
}

interface CompactionEvent {
  readonly messages: readonly Message[];
  result?: { summary: string };
}

interface PluginContext {
  readonly session: { hook(name: "compaction", run: (event: CompactionEvent) => Promise<void>): Promise<unknown> };
}

/** OpenCode keeps the newest messages itself, so the summary replaces all of them. */
async function setupForTwo({ session }: PluginContext, options: Omit<RuntimeOptions, "state">): Promise<void> {
  await session.hook("compaction", async (event) => {
    const runtime = createRuntime({ ...options, settings: { note: "handoff", protectFirstN: 0, ...options.settings } });
    const handoff = await handoffFor(runtime, MESSAGES, event.messages, {
      keepNothing: true,
      secrets: options.secrets,
    });
    // If nothing smaller is possible, OpenCode asks its model.
    if (handoff !== undefined) event.result = { summary: handoff.summary };
  });
}

const MESSAGES: ReadFormat<Message> = { name: "opencode-2", read: readMessage };

function readMessage({ role, content }: Message): readonly Content[] {
  const parts = (typeof content === "string" ? [{ type: "text", text: content }] : content).map(readPart);
  const results = parts.filter(({ kind }) => kind === "tool-result");
  const others = parts.filter(({ kind }) => kind !== "tool-result");
  const said: Content[] = others.length === 0 ? [] : [{ role: role === "tool" ? "user" : role, parts: others }];
  return [...said, ...results.map((part): Content => ({ role: "tool", parts: [part] }))];
}

function readPart(part: Fields, at: number): Part {
  switch (part["type"]) {
    case "text":
      return { kind: "text", text: `${part["text"]}`, at };
    case "reasoning":
      return { kind: "reasoning", text: `${part["text"]}`, at };
    case "tool-call":
      return {
        kind: "tool-call",
        id: `${part["id"]}`,
        name: `${part["name"]}`,
        arguments: JSON.stringify(part["input"] ?? {}),
        at,
      };
    case "tool-result": {
      const { type, value } = (part["result"] ?? {}) as Fields;
      const result: Part = { kind: "tool-result", callId: `${part["id"]}`, content: [toText(value)], at };
      return type === "error" ? { ...result, isError: true } : result;
    }
    default:
      return { kind: "opaque", type: `${part["type"]}`, raw: JSON.stringify(part), at };
  }
}

/** A result is a text, or blocks with texts, or any value. */
function toText(value: unknown): ContentPart {
  if (typeof value === "string") return { kind: "text", text: value };
  const texts = Array.isArray(value) ? value.map((block: Fields) => block["text"]) : [];
  const isText = texts.length > 0 && texts.every((text) => typeof text === "string");
  return { kind: "text", text: isText ? texts.join("\n") : (JSON.stringify(value) ?? "") };
}
