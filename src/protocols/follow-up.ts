/**
 * A question behind a request that went out: the same bytes with one more user message at their end. Whatever a provider's
 * cache depends on stays as it was: tools, system prompt, messages and their markers, thinking, `tool_choice`, and the
 * form of the answer. What only governs how much is answered, and how it is delivered, is set for one plain text.
 */
import { textMessage } from "../core/transcript/message.ts";
import { memberOf } from "./definition.ts";
import { patchObject } from "./json.ts";
import type { Decoded } from "./protocol.ts";
import { definitions, protocols } from "./registry.ts";

export interface Question {
  readonly text: string;
  /** Of the answer itself. */
  readonly outputTokens: number;
  /** For what a model that thinks does before it answers, where the request states no budget for that. */
  readonly thinkingTokens: number;
  readonly thinks: boolean;
  /** The most that the model may be asked to write. */
  readonly outputTokensMax: number;
}

export function followUpBody(decoded: Decoded, question: Question): string {
  const { followUp } = definitions[decoded.protocol];
  const body = withMessage(decoded, question.text);
  const changes = followUp.changes(memberOf(decoded), outputLimit(decoded, question));
  return Object.keys(changes).length === 0 ? body : patchObject(body, changes);
}

function withMessage(decoded: Decoded, text: string): string {
  const { body, transcript, layout } = decoded;
  const at = layout.elements.at(-1)?.end;
  if (at === undefined || body[layout.list.start] !== "[") {
    const messages = [...transcript.messages, textMessage("user", text)];
    return protocols[decoded.protocol].splice(decoded, { ...transcript, messages });
  }
  const element = definitions[decoded.protocol].followUp.element(roleAfter(decoded), text);
  return `${body.slice(0, at)},${element}${body.slice(at)}`;
}

/** Behind a system message inside the conversation Anthropic takes an assistant's, or another system message. */
function roleAfter({ protocol, transcript: { messages } }: Decoded): "user" | "system" {
  const { systemInConversation } = protocols[protocol].rules;
  const last = messages.findLast(({ parts }) => parts.length > 0);
  return systemInConversation === "behind_user" && last?.role === "system" ? "system" : "user";
}

/** A stated budget for thinking must stay, because the cache depends on it, and the limit must be above it. */
function outputLimit(decoded: Decoded, question: Question): number {
  const { asks, budgetTokens } = definitions[decoded.protocol].followUp.thinking(memberOf(decoded));
  const thinkingTokens = budgetTokens ?? (asks || question.thinks ? question.thinkingTokens : 0);
  return Math.min(question.outputTokens + thinkingTokens, question.outputTokensMax);
}

/** Why a request cannot be followed by a question that is answered in text, in words; undefined where it can. */
export function followUpObstacle(decoded: Decoded): string | undefined {
  return definitions[decoded.protocol].followUp.obstacle(memberOf(decoded));
}
