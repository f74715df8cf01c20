/**
 * A question behind a request that went out: the same bytes with one more user message at their end. Whatever a provider's
 * cache depends on stays as it was: tools, system prompt, messages and their markers, thinking, `tool_choice`, and the
 * form of the answer. What only governs how much is answered, and how it is delivered, is set for one plain text.
 */
import { textMessage } from "../core/transcript/message.ts";
import { countOf, fieldsOf, parsed, textOf } from "./fields.ts";
import { protocols } from "./index.ts";
import { patchObject } from "./json/edit.ts";
import type { Decoded } from "./protocol.ts";

export interface Question {
  readonly text: string;
  /** Of the answer itself. */
  readonly outputTokens: number;
  /** For what a model that thinks does before it answers, where the request states no budget for that. */
  readonly thinkingTokens: number;
  /** It is known to think, whatever the request says. */
  readonly thinks: boolean;
  /** The most that the model may be asked to write. */
  readonly outputTokensMax: number;
}

const OUTPUT_LIMITS: ReadonlySet<string> = new Set(["max_tokens", "max_completion_tokens", "max_output_tokens"]);
/** Valid only with a stream, more than one answer, an answer that is fetched later, and what would cut the text off. */
const LEFT_OUT: ReadonlySet<string> = new Set(["stream_options", "n", "background", "stop", "stop_sequences"]);

export function followUpBody(decoded: Decoded, question: Question): string {
  const { layout } = decoded;
  const body = withMessage(decoded, question.text);
  const limit = String(outputLimit(decoded, question));
  const changes = layout.members.flatMap(({ key }): readonly (readonly [string, string | undefined])[] => {
    if (OUTPUT_LIMITS.has(key)) return [[key, limit]];
    if (LEFT_OUT.has(key)) return [[key, undefined]];
    return key === "stream" ? [[key, "false"]] : [];
  });
  return changes.length === 0 ? body : patchObject(body, Object.fromEntries(changes));
}

function withMessage(decoded: Decoded, text: string): string {
  const { body, transcript, layout } = decoded;
  const at = layout.elements.at(-1)?.end;
  if (at === undefined || body[layout.list.start] !== "[") {
    const messages = [...transcript.messages, textMessage("user", text)];
    return protocols[decoded.protocol].splice(decoded, { ...transcript, messages });
  }
  const type = decoded.protocol === "openai-responses" ? '"type":"message",' : "";
  const element = `{${type}"role":"${roleBehind(decoded)}","content":${JSON.stringify(text)}}`;
  return `${body.slice(0, at)},${element}${body.slice(at)}`;
}

/** Behind a system message inside the conversation Anthropic takes an assistant's, or another system message. */
function roleBehind({ protocol, transcript: { messages } }: Decoded): "user" | "system" {
  const { systemInConversation } = protocols[protocol].rules;
  const last = messages.findLast(({ parts }) => parts.length > 0);
  return systemInConversation === "behind_user" && last?.role === "system" ? "system" : "user";
}

/** A stated budget for thinking must stay, because the cache depends on it, and the limit must be above it. */
function outputLimit(decoded: Decoded, question: Question): number {
  const { type, budget_tokens: budget } = fieldsOf(member(decoded, "thinking"));
  const asksToThink = decoded.layout.members.some(({ key }) => THINKING_MEMBERS.has(key));
  const thinks = type !== "disabled" && (asksToThink || question.thinks);
  const thinkingTokens = thinks ? (countOf(budget) ?? question.thinkingTokens) : 0;
  return Math.min(question.outputTokens + thinkingTokens, question.outputTokensMax);
}

const THINKING_MEMBERS: ReadonlySet<string> = new Set(["thinking", "reasoning", "reasoning_effort"]);

function member({ body, layout }: Decoded, key: string): unknown {
  const found = layout.members.findLast((one) => one.key === key);
  return found === undefined ? undefined : parsed(body.slice(found.start, found.end));
}

/** Why a request cannot be followed by a question that is answered in text, in words; undefined where it can. */
export function followUpObstacle(decoded: Decoded): string | undefined {
  if (isForced(member(decoded, "tool_choice"))) return "its requests demand that a tool be called";
  const stated = [
    member(decoded, "response_format"),
    fieldsOf(member(decoded, "text"))["format"],
    member(decoded, "output_format"),
    fieldsOf(member(decoded, "output_config"))["format"],
  ];
  const types = stated.map((format) => textOf(fieldsOf(format)["type"]));
  return types.some((type) => type !== undefined && type !== "text")
    ? "its requests demand answers in JSON"
    : undefined;
}

const FREE_CHOICES: ReadonlySet<string> = new Set(["auto", "none"]);

/** `allowed_tools` (OpenAI) says by its mode whether one must be called. */
function isForced(choice: unknown): boolean {
  const { type, mode, allowed_tools: allowed } = fieldsOf(choice);
  const said = textOf(choice) ?? textOf(mode) ?? textOf(fieldsOf(allowed)["mode"]) ?? textOf(type);
  return said !== undefined && !FREE_CHOICES.has(said);
}
