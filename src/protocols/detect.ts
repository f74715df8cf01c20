/** Recognises the protocol of a body by its shape: names of fields and kinds of blocks that only one protocol uses. */
import type { ProtocolName } from "../core/protocols.ts";
import type { Fields } from "./dialect.ts";
import { fieldsOf, isFields, listOf, textOf } from "./fields.ts";
import { allDefinitions } from "./registry.ts";

/** Whose plain text is read: every client reads Chat Completions. */
const PLAIN: ProtocolName = "openai-chat";
const SHARED_LIST = "messages";

/** The protocol of a request body or of an array of messages; undefined for text that is neither. */
export function detectProtocol(body: string): ProtocolName | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (Array.isArray(value)) return detectMessages(value);
  if (!isFields(value)) return undefined;
  if (Array.isArray(value[SHARED_LIST])) return protocolOfRequest(value) ?? detectMessages(value[SHARED_LIST]);
  return protocolOfList(value);
}

function protocolOfRequest(request: Fields): ProtocolName | undefined {
  return allDefinitions.find(({ dialect, marks }) => dialect.listKey === SHARED_LIST && marks.request(request))?.name;
}

/** By the name of the list, where only one protocol has it. */
function protocolOfList(request: Fields): ProtocolName | undefined {
  return allDefinitions.find(({ dialect: { listKey, listMayBeText } }) => {
    if (listKey === SHARED_LIST) return false;
    return Array.isArray(request[listKey]) || (listMayBeText === true && typeof request[listKey] === "string");
  })?.name;
}

/** The first message that only one protocol could hold decides. */
function detectMessages(messages: readonly unknown[]): ProtocolName | undefined {
  if (!messages.every(isFields)) return undefined;
  for (const message of messages) {
    const found = protocolOfMessage(message);
    if (found !== undefined) return found;
  }
  return messages.every((message) => typeof message["role"] === "string") ? PLAIN : undefined;
}

function protocolOfMessage(message: Fields): ProtocolName | undefined {
  const own = allDefinitions.find(({ marks }) => marks.message(message));
  if (own !== undefined) return own.name;
  for (const block of listOf(message["content"]).map(fieldsOf)) {
    const type = textOf(block["type"]) ?? "";
    const found = allDefinitions.find(({ marks }) => marks.blocks.includes(type) || marks.block?.(block) === true);
    if (found !== undefined) return found.name;
  }
  return undefined;
}
