/**
 * The tool by which a model learns how much room its conversation has. Off by default: a model that is told of a filling window
 * tends to give up early, and with compactions it has no need to.
 */
import type { EngineTool, ToolAnswer } from "../core/engines/contract.ts";
import type { SessionContext } from "./context.ts";
import { timingOf } from "./postpone.ts";

export const ROOM_TOOL = "precis_room";

/** It is paid for with every request: short. */
const ROOM_TOOL_DECLARATION: EngineTool = {
  name: ROOM_TOOL,
  description:
    "Tells how much of your context window this conversation uses, and from which size on older messages are shortened.",
  parameters: { type: "object", properties: {}, additionalProperties: false },
};

/** @returns none where the host does not offer it. */
export function roomTools({ options }: Pick<SessionContext, "options">): readonly EngineTool[] {
  return options.roomTool?.tool === "on" ? [ROOM_TOOL_DECLARATION] : [];
}

export function answerRoomCall(context: SessionContext): ToolAnswer {
  const { tokens, settings } = context.state;
  const { contextLength } = settings;
  const { compactsAtTokens } = timingOf(context);
  const then =
    compactsAtTokens === undefined
      ? "Nothing is shortened by itself."
      : `From about ${compactsAtTokens} on, older messages become a summary, and nothing is lost for good: go on with the work.`;
  const left = Math.max(0, contextLength - tokens);
  return { text: `About ${tokens} of ${contextLength} tokens are in use; ${left} are left. ${then}`, quotes: [] };
}
