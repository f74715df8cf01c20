/** An original as it can be read again: a span as its numbered messages, in whatever protocol they came; anything else as its text. */
import { firstOfSpan } from "../../core/compaction/compaction.ts";
import { PrecisError } from "../../core/errors.ts";
import { messagesText, numbered, type NumberedMessage } from "../../core/recall/messages.ts";
import { textMessage, type Message } from "../../core/transcript/message.ts";
import { isFields, listOf, parsed, textOf } from "../../protocols/fields.ts";
import { detectProtocol, protocols } from "../../protocols/index.ts";
import { type ProtocolName } from "../../core/protocols.ts";
import { skipSpace, skipValue } from "../../protocols/json.ts";
import type { Original } from "../../store/store.ts";

export interface ReadOriginal {
  readonly id: string;
  readonly label: string;
  readonly messages: readonly NumberedMessage[] | undefined;
  readonly text: string;
}

export function readOriginal({ id, kind, label, text }: Original): ReadOriginal {
  if (kind !== "span") return { id, label, messages: undefined, text };
  const messages = numbered(messagesIn(text), firstOfSpan(label));
  return { id, label, messages, text: messagesText(messages) };
}

export function messagesIn(text: string, protocol?: ProtocolName): readonly Message[] {
  const elements = parseValues(text).map((json) => ({ json, value: parsed(json) }));
  const wire = elements.filter(({ value }) => isFields(value) && !isOwn(value));
  const spoken = protocol ?? detectProtocol(`[${wire.map(({ json }) => json).join(",")}]`) ?? "openai-chat";
  const messages: Message[] = [];
  let group: string[] = [];
  const flush = (): void => {
    if (group.length > 0) for (const each of decoded(group, spoken)) messages.push(each);
    group = [];
  };
  for (const { json, value } of elements) {
    if (isFields(value) && !isOwn(value)) {
      group.push(json);
      continue;
    }
    flush();
    messages.push(isOwn(value) ? value : textMessage("user", textOf(value) ?? json));
  }
  flush();
  return messages;
}

/** A message in core's own form, as it is kept where it came from no body. */
function isOwn(value: unknown): value is Message {
  return (
    isFields(value) && typeof value["role"] === "string" && listOf(value["parts"]).every(isPart) && "parts" in value
  );
}

function isPart(value: unknown): boolean {
  return isFields(value) && typeof value["kind"] === "string";
}

/** JSON texts that come after one another, whatever is between them; what is none ends them. */
function parseValues(text: string): readonly string[] {
  const values: string[] = [];
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    if (text[at] === ",") {
      at++;
      continue;
    }
    let end = text.length;
    try {
      end = skipValue(text, at);
    } catch (error) {
      if (!(error instanceof PrecisError)) throw error;
    }
    values.push(text.slice(at, end));
    at = end;
  }
  return values;
}

function decoded(group: readonly string[], protocol: ProtocolName): readonly Message[] {
  try {
    const { system, messages } = protocols[protocol].decode(`[${group.join(",")}]`).transcript;
    return [...system, ...messages];
  } catch (error) {
    if (!(error instanceof PrecisError)) throw error;
    return group.map((json) => textMessage("user", json));
  }
}
