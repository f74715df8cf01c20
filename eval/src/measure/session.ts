/** A recorded session as the evaluation reads it: what was said, in chat form, whatever format the file is in. */
import { PrecisError } from "../../../src/core/errors.ts";
import {
  detectFormat,
  LOG_FORMATS,
  readLog,
  wireText,
  type InputFormat,
  type LogFormat,
} from "../../../src/logs/index.ts";
import { fieldsOf, listOf } from "../../../src/protocols/fields.ts";
import { protocols } from "../../../src/protocols/index.ts";
import { chatOf } from "../recall/conversation.ts";
import type { ChatMessage } from "../recall/future-use.ts";

export interface Session {
  readonly format: InputFormat;
  /** The whole history, behind recorded compactions too. */
  readonly messages: readonly ChatMessage[];
}

/** Undefined for a text in no format known. Throws `unreadable_input` for one that is broken. */
export function readSession(text: string, fileName: string): Session | undefined {
  const format = detectFormat(text, fileName);
  if (format === undefined) return undefined;
  if (isLogFormat(format)) {
    const { system, messages } = readLog(text, format, { history: "all" }).transcript;
    return { format, messages: [...system, ...messages].map(chatOf) };
  }
  return { format, messages: format === "openai-chat" ? chatMessages(text) : decodedMessages(text, format) };
}

function isLogFormat(format: InputFormat): format is LogFormat {
  return (LOG_FORMATS as readonly string[]).includes(format);
}

/** The form that the measure is defined on is read as it is. */
function chatMessages(text: string): readonly ChatMessage[] {
  const body: unknown = JSON.parse(wireText(text).json);
  const messages = listOf(Array.isArray(body) ? body : fieldsOf(body)?.["messages"]);
  const odd = messages.findIndex((message) => !isContent(fieldsOf(message)?.["content"]));
  if (odd < 0) return messages as readonly ChatMessage[];
  throw new PrecisError(`messages[${odd}].content is neither a text nor a list of parts`, {
    code: "unreadable_input",
    hint: "`precis check FILE` says what a provider would refuse.",
  });
}

function isContent(content: unknown): boolean {
  return content === undefined || content === null || typeof content === "string" || Array.isArray(content);
}

function decodedMessages(text: string, format: Exclude<InputFormat, LogFormat>): readonly ChatMessage[] {
  const { system, messages } = protocols[format].decode(wireText(text).json).transcript;
  return [...system, ...messages].map(chatOf);
}
