/** The tools that a host may give to its model: its engine's or the recall tool, and one that compacts; and what a call is answered. */
import { compilePattern } from "./line-pattern.ts";
import type { EngineTool, Sources, ToolAnswer, ToolCall, ToolPrompt } from "../core/engines/contract.ts";
import { createRedactor, type Redactor } from "../core/redaction/redactor.ts";
import type { ToolBounds, CompactToolOptions, GivenToolCall } from "./contract.ts";
import type { Room } from "./timing.ts";
import type { SessionContext } from "./context.ts";
import { writersOf } from "./make-compaction.ts";
import { withTimeLimit } from "./time-limit.ts";
import { readOriginal } from "./recall/read-original.ts";
import { answerRecallCall, RECALL_TOOL, RECALL_TOOL_DECLARATION } from "./recall/answer.ts";
import { timingOf } from "./postpone.ts";
import { isFields, parsed, textOf } from "../protocols/fields.ts";

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
export async function callTool(
  context: SessionContext,
  given: GivenToolCall,
  bounds: ToolBounds = {},
): Promise<ToolAnswer> {
  const { engine, engineState } = context.state;
  const written = typeof given.arguments === "string" ? given.arguments : jsonOf(given.arguments);
  if (written === undefined) return failed("The arguments of the call are neither JSON text nor an object.");
  const call: ToolCall = { name: given.name, arguments: written };
  try {
    const room = call.name === ROOM_TOOL ? readRoom(context) : undefined;
    if (room !== undefined) return answerRoomCall(room, context.state.tokens);
    if (call.name === COMPACT_TOOL) return answerCompactCall(context, call);
    if (call.name === RECALL_TOOL) return await recalled(context, call, bounds);
    const answering = engine.callTool?.(engineState, call, openSources(context, bounds));
    if (answering === undefined) return failed("The engine of this session has no tools.");
    if (!context.state.isExternal) return await answering;
    const late = (): ToolAnswer => failed("It took too long.");
    return withoutSecrets(await withTimeLimit(EXTERNAL_WAIT_MS, answering, late), context);
  } catch {
    return failed("It cannot be read right now.");
  }
}

function jsonOf(value: unknown): string | undefined {
  try {
    return isFields(value) ? JSON.stringify(value) : undefined;
  } catch {
    return undefined;
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
function openSources(context: SessionContext, bounds: ToolBounds): Sources {
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

const ROOM_TOOL = "precis_room";

/** It is paid for with every request: short. */
const ROOM_TOOL_DECLARATION: EngineTool = {
  name: ROOM_TOOL,
  description:
    "Tells how much of your context window this conversation uses, and from which size on older messages are shortened.",
  parameters: { type: "object", properties: {}, additionalProperties: false },
};

/** @returns none where the host does not offer it. */
function roomTools({ options }: Pick<SessionContext, "options">): readonly EngineTool[] {
  return options.roomTool?.tool === "on" ? [ROOM_TOOL_DECLARATION] : [];
}

/** @returns undefined where the host does not ask for it. */
export function readRoom(context: SessionContext): Room | undefined {
  if (roomTools(context).length === 0) return undefined;
  const { tokens, settings } = context.state;
  const { contextLength: windowTokens } = settings;
  const { compactsAtTokens } = timingOf(context);
  const leftTokens = Math.max(0, windowTokens - tokens);
  return { windowTokens, leftTokens, ...(compactsAtTokens === undefined ? {} : { compactsAtTokens }) };
}

function answerRoomCall({ windowTokens, leftTokens, compactsAtTokens }: Room, tokens: number): ToolAnswer {
  const then =
    compactsAtTokens === undefined
      ? "Nothing is shortened by itself."
      : `From about ${compactsAtTokens} on, older messages become a summary, and nothing is lost for good: go on with the work.`;
  return {
    text: `About ${tokens} of ${windowTokens} tokens are in use; ${leftTokens} are left. ${then}`,
    quotes: [],
  };
}

const COMPACT_TOOL = "precis_compact";

/** Of the threshold: below it, little would be saved. */
const FROM_SHARE = 0.5;
const FOCUS_CHARS_MAX = 2_000;

/** It is paid for with every request: short. */
const COMPACT_TOOL_DECLARATION: EngineTool = {
  name: COMPACT_TOOL,
  description:
    "Shortens this conversation before your next turn: older messages become a summary, and nothing is lost for good. Call it when a phase of the work is finished, and say in `focus` what matters for the next one.",
  parameters: {
    type: "object",
    properties: { focus: { type: "string", description: "What the next phase is about." } },
    additionalProperties: false,
  },
};

export const WISH_REASON = "the model asked for it at the end of a phase";

/** @returns none where the host does not offer it, or nothing is compacted by itself. */
function compactTools({ options }: Pick<SessionContext, "options">): readonly EngineTool[] {
  return isOffered(options.compactTool) && options.enabled !== false ? [COMPACT_TOOL_DECLARATION] : [];
}

function isOffered(given: CompactToolOptions | undefined): boolean {
  return given?.tool === "on";
}

/** Noted for the next request, or refused with the size from which on it is allowed. */
function answerCompactCall(context: SessionContext, { arguments: given }: ToolCall): ToolAnswer {
  const { state, options } = context;
  if (compactTools(context).length === 0)
    return toolAnswer("This conversation cannot be compacted by its model.", true);
  const fromTokens = Math.ceil(state.limits.thresholdTokens * (options.compactTool?.fromShare ?? FROM_SHARE));
  if (state.tokens < fromTokens)
    return toolAnswer(
      `Not now: the conversation has about ${state.tokens} tokens, and can be shortened from ${fromTokens} on. Go on with the work.`,
      true,
    );
  const focus = readFocus(given);
  state.wish = { focus };
  return toolAnswer(
    `The conversation will be shortened before your next turn${focus === "" ? "" : `, with a focus on: ${focus}`}. Finish this turn.`,
    false,
  );
}

/** Models write arguments as they like: the one text among them is meant. */
function readFocus(given: string): string {
  const value = parsed(given);
  const texts = isFields(value) ? Object.values(value).filter((one) => typeof one === "string") : [textOf(value) ?? ""];
  return texts.join(" ").trim().slice(0, FOCUS_CHARS_MAX);
}

function toolAnswer(text: string, isError: boolean): ToolAnswer {
  return { text, quotes: [], ...(isError ? { isError } : {}) };
}
