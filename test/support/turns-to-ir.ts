/** The transcript a conversation means, written without any decoder: what tests hold a decoder's reading against. */
import type { ContentPart, Message, Part, Role, Transcript } from "../../src/core/transcript/message.ts";
import type { Conversation, Turn, TurnCall, TurnContent } from "./turns.ts";

/** What a protocol can say; the rest of a conversation is lost on its wire before any decoder sees it. */
export interface Traits {
  readonly customCalls: boolean;
  readonly errorFlags: boolean;
  readonly refusals: boolean;
  readonly names: boolean;
  /** Arguments travel as text, so they may be anything. */
  readonly argumentsAsText: boolean;
  /** Neighbouring assistant messages are one reply. */
  readonly mergesReplies: boolean;
  /** The leading system prompt is one message of several blocks. */
  readonly systemInBlocks: boolean;
  /** A result says one text, and media beside it. */
  readonly resultsAsOneText: boolean;
}

export const NEUTRAL: Traits = {
  customCalls: true,
  errorFlags: true,
  refusals: true,
  names: true,
  argumentsAsText: true,
  mergesReplies: false,
  systemInBlocks: false,
  resultsAsOneText: false,
};

export const PIXEL_BASE64 =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
export const PDF_BASE64 = "JVBERi0xLjQKJcOkw7zDtsOf";
export const IMAGE_URL = "https://example.com/a.png";
export const FILE_NAME = "report.pdf";
/** Beyond 2^53: a decoder that goes through a double loses it. */
export const BIG_INTEGER = 12345678901234567890n;

export function transcriptOf(conversation: Conversation, traits: Traits = NEUTRAL): Transcript {
  const { system, turns, tools } = conversation;
  const leading = turns.findIndex((turn) => turn.kind !== "system");
  const split = leading < 0 ? turns.length : leading;
  const opening = system.map((text): Part => ({ kind: "text", text }));
  const prompts = traits.systemInBlocks
    ? opening.length === 0
      ? []
      : [message("system", opening)]
    : opening.map((part) => message("system", [part]));
  const messages = turns.slice(split).flatMap((turn) => messagesOf(turn, traits));
  const transcript: Transcript = {
    system: [...prompts, ...turns.slice(0, split).flatMap((turn) => messagesOf(turn, traits))],
    messages: traits.mergesReplies ? mergeReplies(messages) : messages,
  };
  return tools.length === 0
    ? transcript
    : { ...transcript, tools: JSON.stringify(tools.map((name) => ({ name, input_schema: { type: "object" } }))) };
}

function messagesOf(turn: Turn, traits: Traits): Message[] {
  switch (turn.kind) {
    case "user": {
      const user = message("user", turn.content.map(contentPart));
      return [traits.names && turn.name !== undefined ? { ...user, name: turn.name } : user];
    }
    case "system":
      return [message("system", [{ kind: "text", text: turn.text }])];
    case "orphan-result":
      return [
        message("tool", [{ kind: "tool-result", callId: turn.callId, content: resultContent(turn.content, traits) }]),
      ];
    case "assistant":
      return [
        message("assistant", replyParts(turn, traits)),
        ...resultsOf(turn).map((call) => resultMessage(call, traits)),
      ];
  }
}

type Reply = Extract<Turn, { kind: "assistant" }>;

export function resultsOf(turn: Reply): readonly TurnCall[] {
  const answered = turn.calls.filter((call) => call.result !== undefined);
  return turn.reversed ? answered.toReversed() : answered;
}

function replyParts(turn: Reply, traits: Traits): Part[] {
  const parts: Part[] = [];
  if (turn.reasoning !== undefined) parts.push({ kind: "reasoning", text: turn.reasoning });
  if (turn.text !== undefined) parts.push({ kind: "text", text: turn.text });
  if (turn.unknown) parts.push(contentPart({ kind: "unknown", type: "x_step" }));
  if (turn.refusal !== undefined)
    parts.push({ kind: "text", text: turn.refusal, ...(traits.refusals ? { refusal: true } : {}) });
  for (const call of turn.calls) {
    const custom = call.custom && traits.customCalls;
    const args = traits.argumentsAsText ? call.arguments : objectOrEmpty(call.arguments);
    parts.push({
      kind: "tool-call",
      id: call.id,
      name: call.name,
      arguments: args,
      ...(custom ? { custom: true } : {}),
    });
  }
  return parts;
}

/** Where arguments travel as a JSON object nothing else can be. */
export function objectOrEmpty(text: string): string {
  return text.startsWith("{") && text.endsWith("}") ? text : "{}";
}

function resultMessage(call: TurnCall, traits: Traits): Message {
  const { content, isError } = call.result!;
  const flag = isError && traits.errorFlags ? { isError: true as const } : {};
  const parts = resultContent(content, traits, isError);
  return message("tool", [{ kind: "tool-result", callId: call.id, content: parts, ...flag }]);
}

function resultContent(content: readonly TurnContent[], traits: Traits, isError = false): readonly ContentPart[] {
  if (!traits.resultsAsOneText) return content.map(contentPart);
  const texts = content.flatMap((one) => (one.kind === "text" ? [one.text] : []));
  const media = content.filter(({ kind }) => kind === "image" || kind === "file").map(contentPart);
  return texts.length === 0 && !isError ? media : [{ kind: "text", text: texts.join("\n") }, ...media];
}

function contentPart(content: TurnContent): ContentPart {
  switch (content.kind) {
    case "text":
      return content;
    case "image":
      if (content.source === "url") return { kind: "image", source: { type: "url", url: IMAGE_URL } };
      return { kind: "image", source: { type: "data", mediaType: "image/png", data: PIXEL_BASE64 } };
    case "file":
      return {
        kind: "file",
        source: { type: "data", mediaType: "application/pdf", data: PDF_BASE64 },
        name: FILE_NAME,
      };
    case "unknown":
      return { kind: "opaque", type: content.type, raw: `{"type":"${content.type}","n":${BIG_INTEGER}}` };
  }
}

function message(role: Role, parts: readonly Part[]): Message {
  return { role, parts };
}

function mergeReplies(messages: readonly Message[]): Message[] {
  const merged: Message[] = [];
  for (const one of messages) {
    const last = merged.at(-1);
    if (last?.role === "assistant" && one.role === "assistant")
      merged[merged.length - 1] = message("assistant", [...last.parts, ...one.parts]);
    else merged.push(one);
  }
  return merged;
}
