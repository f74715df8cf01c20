/** Screens by protocol. */
import type { ProtocolName } from "../../protocol.ts";
import { anthropicScreen, anthropicWhole } from "./anthropic.ts";
import { chatScreen, chatWhole } from "./chat.ts";
import { responsesScreen, responsesWhole } from "./responses.ts";
import type { Screen, WholeScreen } from "./screen.ts";

export type { HiddenCall, Passage, Screen, WholePassage, WholeScreen } from "./screen.ts";

const SCREENS: Readonly<Record<ProtocolName, (tool: string) => Screen>> = {
  "anthropic-messages": anthropicScreen,
  "openai-chat": chatScreen,
  "openai-responses": responsesScreen,
};

const WHOLE: Readonly<Record<ProtocolName, (tool: string) => WholeScreen>> = {
  "anthropic-messages": anthropicWhole,
  "openai-chat": chatWhole,
  "openai-responses": responsesWhole,
};

/** For a streamed answer. `tool`: the name of the tool whose calls are not shown. */
export function createScreen(protocol: ProtocolName, tool: string): Screen {
  return SCREENS[protocol](tool);
}

export function createWholeScreen(protocol: ProtocolName, tool: string): WholeScreen {
  return WHOLE[protocol](tool);
}
