/** Messages as pi and the agents built on it keep them: user, assistant with text, thinking and calls, and results. */
import { contentText, type Content, type Message, type Part } from "../../core/transcript/message.ts";
import { commandText, contentParts, replyPart } from "../../logs/pi.ts";
import { parsedArguments, type LeftPart, type MessageFormat } from "../framework/conversation.ts";

/** What is read of one; everything else that it has stays as it is. */
export interface PiMessage {
  readonly role: string;
  readonly content?: unknown;
}

type Block = Readonly<Record<string, unknown>>;
type Reading = PiMessage & Block;

export const piMessages: MessageFormat<PiMessage> = {
  name: "pi",
  read: (message) => readMessage(message as Reading),
  edit: (message, left) => editMessage(message as Reading, left),
  write: writeMessage,
};

/** Undefined roles and what the user hid from the model are no part of the conversation. */
function readMessage(message: Reading): readonly Content[] {
  const { role, content } = message;
  switch (role) {
    case "user":
    case "system":
      return [{ role, parts: readBlocks(content) }];
    case "assistant":
      return [{ role, parts: readBlocks(content) }];
    case "toolResult": {
      const result: Part = {
        kind: "tool-result",
        callId: `${message["toolCallId"]}`,
        content: contentParts(content),
        at: 0,
      };
      return [{ role: "tool", parts: [message["isError"] === true ? { ...result, isError: true } : result] }];
    }
    case "bashExecution":
      return message["excludeFromContext"] === true ? [] : [said(commandText(message))];
    case "branchSummary":
    case "compactionSummary":
      return [said(`${message["summary"]}`)];
    case "custom":
    case "hookMessage":
      return [{ role: "user", parts: readBlocks(content) }];
    default:
      return [];
  }
}

function said(text: string): Content {
  return { role: "user", parts: [{ kind: "text", text, at: 0 }] };
}

function toBlocks(content: unknown): readonly Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? (content as readonly Block[]) : [];
}

function readBlocks(content: unknown): readonly Part[] {
  return toBlocks(content).map((block, at) => ({ ...replyPart(block), at }));
}

function editMessage(message: Reading, left: readonly LeftPart[]): PiMessage {
  const [only] = left;
  if (only?.part.kind === "tool-result")
    return { ...message, content: [{ type: "text", text: contentText(only.part.content) }] } as PiMessage;
  const blocks = toBlocks(message.content);
  const edited = left.flatMap(({ part, same }): readonly Block[] => {
    const original = part.at === undefined ? undefined : blocks[part.at];
    if (original !== undefined && same) return [original];
    return writePart(part, original);
  });
  // The host would write its own words for a console record again.
  const { role } = message;
  return { ...message, role: role === "bashExecution" ? "user" : role, content: edited } as PiMessage;
}

function writePart(part: Part, original: Block = {}): readonly Block[] {
  if (part.kind === "text") return [{ type: "text", text: part.text }];
  if (part.kind !== "tool-call") return [];
  const { id, name } = part;
  return [{ ...original, type: "toolCall", id, name, arguments: parsedArguments(part.arguments) }];
}

/** Every message of these hosts has a time and an answer a usage; ours cost nothing. */
function writeMessage({ role, parts }: Message, toolOf: (callId: string) => string): PiMessage {
  const timestamp = Date.now();
  const result = parts.find((part) => part.kind === "tool-result");
  if (result !== undefined) {
    const { callId, isError = false } = result;
    const content = [{ type: "text", text: contentText(result.content) }];
    return {
      role: "toolResult",
      toolCallId: callId,
      toolName: toolOf(callId),
      content,
      isError,
      timestamp,
    } as PiMessage;
  }
  const content = parts.flatMap((part) => writePart(part));
  if (role !== "assistant") return { role: "user", content, timestamp } as PiMessage;
  const stopReason = parts.some(({ kind }) => kind === "tool-call") ? "toolUse" : "stop";
  return {
    role,
    content,
    timestamp,
    stopReason,
    api: "precis",
    provider: "precis",
    model: "precis",
    usage: NO_USAGE,
  } as PiMessage;
}

const NO_USAGE = Object.freeze({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: Object.freeze({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }),
});
