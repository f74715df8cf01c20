/** A recorded session as the evaluation reads it: what was said, in chat form, whatever format the file is in. */
import { PrecisError } from "../../../src/core/errors.ts";
import { detectFormat, wireText } from "../../../src/logs/detect.ts";
import type { InputFormat } from "../../../src/logs/log.ts";
import { fieldsOf, listOf } from "../../../src/protocols/fields.ts";
import { readRecording } from "../../../provider/src/replay.ts";
import { chatOf } from "../recall/conversation.ts";
import type { ChatMessage } from "../recall/future-use.ts";
import { reasonOf } from "../../../src/platform/system-errors.ts";
import { readSource, type Source } from "./sources.ts";

export interface Session {
  readonly format: InputFormat;
  /** The whole history, behind recorded compactions too. */
  readonly messages: readonly ChatMessage[];
}

/** Undefined for a text in no format known. Throws `unreadable_input` for one that is broken. */
export function readSession(text: string, fileName: string): Session | undefined {
  const format = detectFormat(text, fileName);
  if (format === undefined) return undefined;
  if (format === "openai-chat") return { format, messages: chatMessages(text) };
  const { system, messages } = readRecording(text, fileName, { history: "all" });
  return { format, messages: [...system, ...messages].map(chatOf) };
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

/** The session, or why there is none. */
export function sessionAt(source: Source): Session | string {
  const { name, named, path } = source;
  try {
    const session = readSession(readSource(source), path);
    if (session !== undefined) return session;
  } catch (error) {
    if (named && error instanceof PrecisError) throw error;
    return `broken: ${reasonOf(error)}`;
  }
  if (!named) return "no session in a known format";
  throw new PrecisError(`${name} is in no known format`, {
    code: "unreadable_input",
    place: name,
    hint: "Give session files, request bodies or their messages, or folders of them.",
  });
}
