/**
 * The tool with which a model has its own conversation compacted, at the end of a phase, with what matters next. Nothing is
 * compacted while it is called: the next request is.
 */
import type { EngineTool, ToolAnswer, ToolCall } from "../core/engines/contract.ts";
import { isFields, parsed, textOf } from "../protocols/fields.ts";
import type { CompactToolOptions } from "./contract.ts";
import type { SessionContext } from "./context.ts";

export const COMPACT_TOOL = "precis_compact";

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
export function compactTools({ options }: Pick<SessionContext, "options">): readonly EngineTool[] {
  return isOffered(options.compactTool) && options.enabled !== false ? [COMPACT_TOOL_DECLARATION] : [];
}

function isOffered(given: CompactToolOptions | undefined): boolean {
  return given?.tool === "on";
}

/** Noted for the next request, or refused with the size from which on it is allowed. */
export function answerCompactCall(context: SessionContext, { arguments: given }: ToolCall): ToolAnswer {
  const { state, options } = context;
  if (compactTools(context).length === 0)
    return toolAnswer("This conversation cannot be compacted by its model.", true);
  const fromTokens = Math.ceil(state.limits.thresholdTokens * (options.compactTool?.fromShare ?? FROM_SHARE));
  if (state.tokens < fromTokens)
    return toolAnswer(
      `Not now: the conversation has about ${state.tokens} tokens, and can be shortened from ${fromTokens} on. Go on with the work.`,
      true,
    );
  const focus = focusIn(given);
  state.wish = { focus };
  return toolAnswer(
    `The conversation will be shortened before your next turn${focus === "" ? "" : `, with a focus on: ${focus}`}. Finish this turn.`,
    false,
  );
}

/** Models write arguments as they like: the one text among them is meant. */
function focusIn(given: string): string {
  const value = parsed(given);
  const texts = isFields(value) ? Object.values(value).filter((one) => typeof one === "string") : [textOf(value) ?? ""];
  return texts.join(" ").trim().slice(0, FOCUS_CHARS_MAX);
}

function toolAnswer(text: string, isError: boolean): ToolAnswer {
  return { text, quotes: [], ...(isError ? { isError } : {}) };
}
