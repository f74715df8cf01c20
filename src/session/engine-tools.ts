/** The tools of a session's engine, for a host that gives them to its model: what they are, and what a call is answered. */
import type { EngineTool, Sources, ToolAnswer, ToolCall } from "../core/engines/contract.ts";
import { createRedactor } from "../core/redaction/redactor.ts";
import type { ToolBounds } from "./contract.ts";
import type { Desk } from "./desk.ts";
import { spanText } from "./span-text.ts";

const WAIT_MS = 5_000;
/** Of an original, this much is read. */
const ORIGINAL_CHARS_MAX = 4 * 1024 * 1024;

export function engineTools({ live }: Desk): readonly EngineTool[] {
  try {
    return live.engine.tools?.(live.engineState) ?? [];
  } catch (error) {
    if (live.guest) return [];
    throw error;
  }
}

/** Never rejects: what goes wrong is an answer with `isError`. */
export async function callEngineTool(desk: Desk, call: ToolCall, bounds: ToolBounds = {}): Promise<ToolAnswer> {
  const { engine, engineState } = desk.live;
  try {
    const answer = await engine.callTool?.(engineState, call, sourcesOf(desk, bounds));
    return answer ?? failed("The engine of this session has no tools.");
  } catch {
    return failed("It could not be read just now.");
  }
}

function failed(text: string): ToolAnswer {
  return { text, quotes: [], isError: true };
}

/** Originals as a model may read them: without secrets, which are looked for in the whole. */
function sourcesOf({ store, tenant, options }: Desk, { tokensMax, waitMs = WAIT_MS }: ToolBounds): Sources {
  const { now = Date.now, secrets } = options;
  const redact = createRedactor(secrets);
  const endMs = now() + waitMs;
  return {
    original: async (id) => {
      const found = await store.getOriginal(tenant, id);
      if (found === undefined) return undefined;
      const text = found.kind === "span" ? spanText(found.text) : found.text;
      return redact(text.slice(0, ORIGINAL_CHARS_MAX));
    },
    isLate: () => now() >= endMs,
    ...(tokensMax === undefined ? {} : { tokensMax }),
  };
}
