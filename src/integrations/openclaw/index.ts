/**
 * The entry `precis/openclaw`: a context engine that owns the compaction of OpenClaw's sessions. OpenClaw keeps every message; what the
 * model is sent is assembled from them, compacted if that is due, with a tool that reads what was removed.
 */
import "../../platform/refuse-old-node.ts";
import { createRuntime } from "../../session/checked-runtime.ts";
import type { Runtime, RuntimeOptions } from "../../session/contract.ts";
import {
  createConversation,
  type FrameworkConversation,
  answerCall,
  declaredTools,
} from "../framework/conversation.ts";
import { piMessages, type PiMessage } from "../hosts/pi-messages.ts";
import { createRecentMap, type RecentMap } from "../../store/recent-map.ts";

type Options = Omit<RuntimeOptions, "state">;

/** Of OpenClaw's plugin API, what is used here. */
interface PluginApi {
  registerContextEngine(id: string, make: () => Engine): void;
  registerTool(
    make: (context: { readonly sessionId?: string }) => readonly Tool[],
    about: { readonly names: readonly string[] },
  ): void;
}

interface Tool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: unknown;
  readonly execute: (
    callId: string,
    input: unknown,
  ) => Promise<{ content: { type: "text"; text: string }[]; details: null }>;
}

interface AssembleRequest {
  readonly sessionId: string;
  readonly messages: readonly PiMessage[];
  readonly tokenBudget?: number;
  readonly model?: string;
}

interface CompactRequest {
  readonly sessionId: string;
  readonly tokenBudget?: number;
  readonly customInstructions?: string;
  readonly abortSignal?: AbortSignal;
}

/** Of OpenClaw's `ContextEngine`, what is implemented here. */
interface Engine {
  readonly info: object;
  readonly ingest: () => Promise<{ readonly ingested: boolean }>;
  readonly assemble: (
    request: AssembleRequest,
  ) => Promise<{ readonly messages: readonly PiMessage[]; readonly estimatedTokens: number }>;
  readonly compact: (request: CompactRequest) => Promise<CompactAnswer>;
  readonly commitTurn: (turn: {
    readonly advancementKey: string;
  }) => Promise<{ readonly status: "committed" | "duplicate" }>;
}

interface CompactAnswer {
  readonly ok: boolean;
  readonly compacted: boolean;
  readonly reason?: string;
  readonly result?: { readonly tokensBefore: number; readonly tokensAfter: number };
}

interface Session extends FrameworkConversation<PiMessage> {
  readonly runtime: Runtime;
  /** The history as it was assembled from last. */
  whole: readonly PiMessage[];
  /** What was made of it, each message as JSON without its time. */
  sent: readonly string[];
}

const ID = "precis";
const SESSIONS = Symbol.for("precis/openclaw sessions");
/** Sessions, and turns that were committed, that are remembered at once. */
const SESSIONS_MAX = 64;
const TURNS_MAX = 4_096;

/** With options of one's own, for a plugin of one's own. */
export function createPlugin(options: Options = {}) {
  const sessions = sharedSessions();
  const sessionOf = (id: string): Session => {
    const known = sessions.get(id) ?? createPluginSession(options);
    sessions.set(id, known);
    return known;
  };
  return {
    id: ID,
    name: "precis",
    description: "Keeps sessions within the window of their model, with nothing lost for good.",
    kind: "context-engine",
    register: (api: PluginApi): void => {
      api.registerContextEngine(ID, () => engineFor(sessionOf, options));
      const declared = declaredTools(createRuntime(options), options);
      const names = declared.map(({ name }) => name);
      api.registerTool(
        ({ sessionId }) =>
          sessionId === undefined ? [] : declared.map((tool) => toolFor(tool, () => sessionOf(sessionId).runtime)),
        { names },
      );
    },
  };
}

/** OpenClaw loads a plugin more than once in one process: one time for its engine, and one for its tools. */
function sharedSessions(): RecentMap<Session> {
  const everywhere = globalThis as { [SESSIONS]?: RecentMap<Session> };
  return (everywhere[SESSIONS] ??= createRecentMap({ entries: SESSIONS_MAX }));
}

function createPluginSession(options: Options): Session {
  const runtime = createRuntime(options);
  return { runtime, ...createConversation<PiMessage>(runtime, piMessages), whole: [], sent: [] };
}

/** What precis writes has another time whenever it is assembled. */
function textWithoutTime(message: PiMessage | undefined): string {
  return JSON.stringify({ ...message, timestamp: 0 });
}

/** OpenClaw also has assembled what was assembled before, with what came since: that continues from the history behind it. */
function takeWhole({ whole, sent }: Session, messages: readonly PiMessage[]): readonly PiMessage[] {
  const goesOn = sent.length > 0 && sent.every((text, at) => text === textWithoutTime(messages[at]));
  return goesOn ? [...whole, ...messages.slice(sent.length)] : messages;
}

/** What OpenClaw loads. */
export default createPlugin();

function engineFor(sessionOf: (id: string) => Session, { settings }: Options): Engine {
  const committed = new Set<string>();
  const useBudget = ({ runtime }: Session, tokens: number | undefined, model?: string): void => {
    if (tokens === undefined || tokens < 1 || settings?.contextLength !== undefined) return;
    runtime.modelChanged({ contextLength: Math.floor(tokens), ...(model === undefined ? {} : { model }) });
  };
  return {
    info: {
      id: ID,
      name: "precis",
      ownsCompaction: true,
      acceptedHostParams: [],
      transcriptSemantics: {
        currentTurnFence: "before-current-turn-entry-v1",
        turnAdvancementIdempotency: "atomic-idempotent-v1",
      },
    },
    // OpenClaw has every message, and gives all of them to be assembled.
    ingest: async () => ({ ingested: false }),
    assemble: async ({ sessionId, messages, tokenBudget, model }) => {
      const session = sessionOf(sessionId);
      useBudget(session, tokenBudget, model);
      const whole = takeWhole(session, messages);
      const prepared = await session.prepare(whole);
      session.whole = whole;
      session.sent = prepared.messages.map(textWithoutTime);
      return { messages: prepared.messages, estimatedTokens: prepared.tokens };
    },
    compact: async ({ sessionId, tokenBudget, customInstructions, abortSignal }) => {
      const session = sessionOf(sessionId);
      useBudget(session, tokenBudget);
      const { compaction } = await session.compact(session.whole, {
        ...(customInstructions === undefined ? {} : { focus: customInstructions }),
        ...(abortSignal === undefined ? {} : { signal: abortSignal }),
      });
      if (compaction === undefined) return { ok: true, compacted: false, reason: "nothing smaller is possible" };
      const { before, after } = compaction.report.tokens;
      return { ok: true, compacted: true, result: { tokensBefore: before, tokensAfter: after } };
    },
    // Nothing is derived from turns one by one, so committing one twice changes nothing.
    commitTurn: async ({ advancementKey }) => {
      if (committed.has(advancementKey)) return { status: "duplicate" };
      committed.add(advancementKey);
      if (committed.size > TURNS_MAX) committed.delete(committed.values().next().value!);
      return { status: "committed" };
    },
  };
}

function toolFor(
  { name, description, parameters }: ReturnType<typeof declaredTools>[number],
  runtime: () => Runtime,
): Tool {
  return {
    name,
    label: name,
    description,
    parameters: { type: "object", properties: {}, ...parameters },
    execute: async (_, input) => ({
      content: [{ type: "text", text: await answerCall(runtime(), name, input) }],
      details: null,
    }),
  };
}
