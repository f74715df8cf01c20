/** Whether a provider would take what a contestant made: by the oracle, with the rules of a wire; and what it did to the live request. */
import { violationsOf } from "../../../src/core/transcript/oracle.ts";
import { asMessage } from "../../../eval/src/recall/conversation.ts";
import { contentOf, type ChatMessage } from "../../../eval/src/recall/future-use.ts";
import { wireRules } from "../../../src/protocols/index.ts";
import { type ProtocolName } from "../../../src/core/protocols.ts";

const WIRES: readonly ProtocolName[] = ["openai-chat", "anthropic-messages"];

export interface Validity {
  /** By the rules of both wires; what the original was guilty of already does not count. */
  readonly valid: boolean;
  /** Codes of what is wrong, each once. */
  readonly codes: readonly string[];
  /** The newest user message is in it as it was said. */
  readonly liveRequest: boolean;
}

export function validityOf(after: readonly ChatMessage[], before: readonly ChatMessage[]): Validity {
  const known = new Set(codesOf(before));
  const codes = [...new Set(codesOf(after))].filter((code) => !known.has(code));
  if (after.length === 0) codes.push("nothing_left");
  const live = before.findLast(({ role }) => role === "user");
  const liveRequest =
    live === undefined || after.some(({ role, content }) => role === "user" && holds(contentOf(content), live));
  return { valid: codes.length === 0, codes, liveRequest };
}

function holds(text: string, live: ChatMessage): boolean {
  return text.includes(contentOf(live.content).trim());
}

function codesOf(messages: readonly ChatMessage[]): readonly string[] {
  const transcript = { system: [], messages: messages.map(asMessage) };
  return WIRES.flatMap((wire) => violationsOf(transcript, wireRules[wire]).map(({ code }) => code));
}
