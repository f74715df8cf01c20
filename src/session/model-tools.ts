/** The tools that a host may give to its model: its engine's or the recall tool, and one that compacts; and what a call is answered. */
import type { EngineTool, Sources, ToolAnswer, ToolCall, ToolPrompt } from "../core/engines/contract.ts";
import { createRedactor, type Redactor } from "../core/redaction/redactor.ts";
import type { ToolBounds } from "./contract.ts";
import type { SessionContext } from "./context.ts";
import { answerCompactCall, COMPACT_TOOL, compactTools } from "./compact-tool.ts";
import { answerRoomCall, ROOM_TOOL, roomTools } from "./room-tool.ts";
import { writersOf } from "./session-writers.ts";
import { withTimeLimit } from "./time-limit.ts";
import { compilePattern } from "./line-pattern.ts";
import { readOriginal } from "./recall/read-original.ts";
import { answerRecallCall, RECALL_TOOL, RECALL_TOOL_DECLARATION } from "./recall/tool.ts";

const WAIT_MS = 5_000;
/** How long a model may take to answer a question from the originals. */
const MODEL_WAIT_MS = 60_000;
/** An engine that is not built in has no longer for one answer. */
const EXTERNAL_WAIT_MS = 30_000;
/** Of an original, this much is read. */
const ORIGINAL_CHARS_MAX = 4 * 1024 * 1024;
/** Originals that a call of the recall tool looks through. */
const SEARCHED_ORIGINALS_MAX = 48;
/** Tokens of an answer of the recall tool where the host says nothing. */
const ANSWER_TOKENS = 4_000;

/** An engine with tools of its own has its own way to recall. Before the first compaction there is nothing to recall. */
export function toolsOf(context: SessionContext): readonly EngineTool[] {
  const { state, options } = context;
  const own = engineTools(context);
  const offers = own.length === 0 && options.recall?.tool !== "off" && state.removedIds.length > 0;
  return [...hostTools(context), ...(offers ? [RECALL_TOOL_DECLARATION] : own)];
}

/** There from the beginning, with any engine. */
function hostTools(context: SessionContext): readonly EngineTool[] {
  return [...compactTools(context), ...roomTools(context)];
}

export function isHostTool(name: string): boolean {
  return name === COMPACT_TOOL || name === ROOM_TOOL;
}

function engineTools({ state }: SessionContext): readonly EngineTool[] {
  try {
    return state.engine.tools?.(state.engineState) ?? [];
  } catch (error) {
    if (state.isExternal) return [];
    throw error;
  }
}

/** Never rejects: what goes wrong is an answer with `isError`. */
export async function callTool(context: SessionContext, call: ToolCall, bounds: ToolBounds = {}): Promise<ToolAnswer> {
  const { engine, engineState } = context.state;
  try {
    if (call.name === ROOM_TOOL && roomTools(context).length > 0) return answerRoomCall(context);
    if (call.name === COMPACT_TOOL) return answerCompactCall(context, call);
    if (call.name === RECALL_TOOL) return await recalled(context, call, bounds);
    const answering = engine.callTool?.(engineState, call, sourcesOf(context, bounds));
    if (answering === undefined) return failed("The engine of this session has no tools.");
    if (!context.state.isExternal) return await answering;
    const late = (): ToolAnswer => failed("It took too long.");
    return withoutSecrets(await withTimeLimit(EXTERNAL_WAIT_MS, answering, late), context);
  } catch {
    return failed("It cannot be read right now.");
  }
}

async function recalled(
  context: SessionContext,
  { arguments: given }: ToolCall,
  bounds: ToolBounds,
): Promise<ToolAnswer> {
  const { store, tenant, state } = context;
  const isLate = lateness(context, bounds);
  const source = {
    original: async (id: string) => (isLate() ? undefined : store.getOriginal(tenant, id)),
    ids: state.removedIds,
    redact: createRedactor(context.options.secrets),
    limits: { originalChars: ORIGINAL_CHARS_MAX, searchedOriginals: SEARCHED_ORIGINALS_MAX },
  };
  const { text, found } = await answerRecallCall(source, given, Math.min(ANSWER_TOKENS, bounds.tokensMax ?? Infinity));
  return { text, quotes: [], ...(found ? {} : { isError: true as const }) };
}

/** Whatever an engine that is not built in did about secrets itself. */
function withoutSecrets(answer: ToolAnswer, { options }: SessionContext): ToolAnswer {
  const text = createRedactor(options.secrets)(answer.text);
  return { ...answer, text, quotes: answer.quotes.filter((quote) => text.includes(quote.text)) };
}

function failed(text: string): ToolAnswer {
  return { text, quotes: [], isError: true };
}

function lateness({ options: { now = Date.now } }: SessionContext, { waitMs = WAIT_MS }: ToolBounds): () => boolean {
  const endMs = now() + waitMs;
  return () => now() >= endMs;
}

interface Asking {
  readonly redact: Redactor;
  readonly waitMs: number;
}

/** The models that may write handoffs, in their order and within what the session may spend on them. */
async function askModels(
  context: SessionContext,
  prompt: ToolPrompt,
  { redact, waitMs }: Asking,
): Promise<string | undefined> {
  const { auxiliary, main, withheld } = writersOf(context, { waitMs });
  if (withheld !== undefined) return undefined;
  for (const writer of [auxiliary, main]) {
    if (writer === undefined || writer.followsUp === "as-sent") continue;
    const reply = await writer.ask(prompt);
    if (reply.kind === "answered" && reply.text.trim() !== "") return redact(reply.text);
  }
  return undefined;
}

/** Originals as a model may read them: without secrets, which are looked for in the whole. */
function sourcesOf(context: SessionContext, bounds: ToolBounds): Sources {
  const { store, tenant, options } = context;
  const redact = createRedactor(options.secrets);
  const { tokensMax } = bounds;
  const isLate = lateness(context, bounds);
  const { auxiliary, main } = options.writers ?? {};
  return {
    pattern: (text) => compilePattern(text, isLate),
    ...(auxiliary === undefined && main === undefined
      ? {}
      : {
          ask: async (prompt: ToolPrompt) =>
            askModels(context, prompt, { redact, waitMs: bounds.modelWaitMs ?? MODEL_WAIT_MS }),
        }),
    original: async (id) => {
      const found = await store.getOriginal(tenant, id);
      return found === undefined ? undefined : redact(readOriginal(found).text.slice(0, ORIGINAL_CHARS_MAX));
    },
    isLate,
    ...(tokensMax === undefined ? {} : { tokensMax }),
  };
}
