/** Recognises the protocol of a body by its shape: names of fields and kinds of blocks that only one protocol uses. */
import { type Fields, fieldsOf, isFields, listOf, textOf, parsed } from "./fields.ts";
import { allDefinitions, definitions } from "./registry.ts";
import { PrecisError } from "../core/errors.ts";
import { elementTexts } from "./json.ts";
import type { Decoded, ProtocolName } from "./protocol.ts";

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
  return allDefinitions.find(({ dialect: { listKey, listMayBeText } }) => {
    if (listKey === SHARED_LIST) return false;
    return Array.isArray(value[listKey]) || (listMayBeText === true && typeof value[listKey] === "string");
  })?.name;
}

function protocolOfRequest(request: Fields): ProtocolName | undefined {
  return allDefinitions.find(({ dialect, marks }) => dialect.listKey === SHARED_LIST && marks.request(request))?.name;
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

/** The protocol that alone writes a message like this; undefined where several do. */
export function protocolOfMessage(message: Fields): ProtocolName | undefined {
  const own = allDefinitions.find(({ marks }) => marks.message(message));
  if (own !== undefined) return own.name;
  for (const block of listOf(message["content"]).map(fieldsOf)) {
    const type = textOf(block["type"]) ?? "";
    const found = allDefinitions.find(({ marks }) => marks.blocks.includes(type) || marks.block?.(block) === true);
    if (found !== undefined) return found.name;
  }
  return undefined;
}

type Origin = ProtocolName | "ai-sdk";

const AI_SDK_BLOCKS = ["tool-call", "tool-result"];

const BLOCKS: ReadonlyMap<string, Origin> = new Map<string, Origin>([
  ...allDefinitions.flatMap(({ name, marks }) => marks.certain.blocks.map((type) => [type, name] as const)),
  ...AI_SDK_BLOCKS.map((type) => [type, "ai-sdk"] as const),
]);

function findOrigin(message: Fields): Origin | undefined {
  const block = listOf(message["content"]).map((one) => BLOCKS.get(textOf(fieldsOf(one)["type"]) ?? ""));
  const found = block.find((one) => one !== undefined);
  return found ?? allDefinitions.find(({ marks }) => marks.certain.message(message))?.name;
}

/** Remembers which messages it has looked at: a growing history costs only what is new in it. */
export function createForeignCheck(): (decoded: Decoded) => void {
  const known = new WeakSet<object>();
  return ({ protocol, layout: { groups } }) => {
    // A history that opens as one that was looked at goes on in the protocol that it began in.
    if (groups[0] !== undefined && known.has(groups[0].slice)) return;
    for (const { slice, first } of groups) {
      if (known.has(slice)) continue;
      const elements = slice.ofSystem !== true && slice.raw.startsWith("{") ? elementTexts(`[${slice.raw}]`) : [];
      elements.forEach((text, at) => {
        const value = parsed(text);
        const origin = isFields(value) ? findOrigin(value) : undefined;
        if (origin !== undefined && origin !== protocol) throw mismatch(protocol, origin, first + at);
      });
      known.add(slice);
    }
  };
}

function mismatch(protocol: ProtocolName, origin: Origin, at: number): PrecisError {
  const place = `${definitions[protocol].dialect.listKey}[${at}]`;
  const isSdk = origin === "ai-sdk";
  const whose = isSdk ? "the AI SDK's own form, which is no provider's" : origin;
  return new PrecisError(`The protocol is ${protocol}, but ${place} is written in ${whose}.`, {
    code: "protocol_mismatch",
    place,
    hint: isSdk
      ? "Prepare the body that the AI SDK sends, for example in the `fetch` of its provider (docs/library.md)."
      : `Set the option \`protocol: "${origin}"\`.`,
  });
}
