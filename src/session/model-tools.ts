/** The tools that a host may give to its model: its engine's, or the recall tool; and what a call is answered. */
import type { EngineTool, Sources, ToolAnswer, ToolCall } from "../core/engines/contract.ts";
import { createRedactor } from "../core/redaction/redactor.ts";
import type { ToolBounds } from "./contract.ts";
import type { Desk } from "./desk.ts";
import { readOriginal } from "./recall/read-original.ts";
import { answerRecallCall, RECALL_TOOL, RECALL_TOOL_DECLARATION } from "./recall/tool.ts";

const WAIT_MS = 5_000;
/** Of an original, this much is read. */
const ORIGINAL_CHARS_MAX = 4 * 1024 * 1024;
/** Originals that a call of the recall tool looks through. */
const SEARCHED_ORIGINALS_MAX = 48;
/** Tokens of an answer of the recall tool where the host says nothing. */
const ANSWER_TOKENS = 4_000;

/** An engine with tools of its own has its own way to recall. Before the first compaction there is nothing to recall. */
export function toolsOf(desk: Desk): readonly EngineTool[] {
  const { live, options } = desk;
  const own = engineTools(desk);
  const offers = own.length === 0 && options.recall?.tool !== "off" && live.removedIds.length > 0;
  return offers ? [RECALL_TOOL_DECLARATION] : own;
}

function engineTools({ live }: Desk): readonly EngineTool[] {
  try {
    return live.engine.tools?.(live.engineState) ?? [];
  } catch (error) {
    if (live.guest) return [];
    throw error;
  }
}

/** Never rejects: what goes wrong is an answer with `isError`. */
export async function callTool(desk: Desk, call: ToolCall, bounds: ToolBounds = {}): Promise<ToolAnswer> {
  const { engine, engineState } = desk.live;
  try {
    if (call.name === RECALL_TOOL) return await recalled(desk, call, bounds);
    const answer = await engine.callTool?.(engineState, call, sourcesOf(desk, bounds));
    return answer ?? failed("The engine of this session has no tools.");
  } catch {
    return failed("It could not be read just now.");
  }
}

async function recalled(desk: Desk, { arguments: given }: ToolCall, bounds: ToolBounds): Promise<ToolAnswer> {
  const { store, tenant, live } = desk;
  const isLate = lateness(desk, bounds);
  const source = {
    original: async (id: string) => (isLate() ? undefined : store.getOriginal(tenant, id)),
    ids: live.removedIds,
    redact: createRedactor(desk.options.secrets),
    limits: { originalChars: ORIGINAL_CHARS_MAX, searchedOriginals: SEARCHED_ORIGINALS_MAX },
  };
  const { text, found } = await answerRecallCall(source, given, Math.min(ANSWER_TOKENS, bounds.tokensMax ?? Infinity));
  return { text, quotes: [], ...(found ? {} : { isError: true as const }) };
}

function failed(text: string): ToolAnswer {
  return { text, quotes: [], isError: true };
}

function lateness({ options: { now = Date.now } }: Desk, { waitMs = WAIT_MS }: ToolBounds): () => boolean {
  const endMs = now() + waitMs;
  return () => now() >= endMs;
}

/** Originals as a model may read them: without secrets, which are looked for in the whole. */
function sourcesOf(desk: Desk, bounds: ToolBounds): Sources {
  const { store, tenant, options } = desk;
  const redact = createRedactor(options.secrets);
  const { tokensMax } = bounds;
  return {
    original: async (id) => {
      const found = await store.getOriginal(tenant, id);
      return found === undefined ? undefined : redact(readOriginal(found).text.slice(0, ORIGINAL_CHARS_MAX));
    },
    isLate: lateness(desk, bounds),
    ...(tokensMax === undefined ? {} : { tokensMax }),
  };
}
