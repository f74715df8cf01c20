/** Messages of OpenCode 1.18 as its plugins see them: calls and their results are one part of the agent's message. */
import { contentText, type Content, type Message, type Part } from "../../core/transcript/message.ts";
import { parsedArguments, type LeftPart, type MessageFormat } from "../framework/conversation.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface OpenCodePart extends Fields {
  readonly type: string;
}

export interface OpenCodeMessage {
  readonly info: Fields & { readonly id: string; readonly role: string; readonly sessionID: string };
  readonly parts: readonly OpenCodePart[];
}

/** A call and its result have places of their own, although they are one part. */
const PLACES_PER_PART = 2;

/** `templates` give what a message of ours says of its session, its model and its agent. */
export function openCodeMessages(templates: readonly OpenCodeMessage[]): MessageFormat<OpenCodeMessage> {
  return {
    name: "opencode",
    read: readMessage,
    edit: ({ info, parts }, left) => ({ info, parts: editParts(parts, left) }),
    write: (message) => writeMessage(message, templates),
  };
}

function readMessage({ info, parts }: OpenCodeMessage): readonly Content[] {
  const said = parts.flatMap((part, at) => readPart(part, at * PLACES_PER_PART));
  if (info.role !== "assistant") return said.length === 0 ? [] : [{ role: "user", parts: said }];
  const results = parts.flatMap((part, at) => readResult(part, at * PLACES_PER_PART + 1));
  const answer: Content[] = said.length === 0 ? [] : [{ role: "assistant", parts: said }];
  return [...answer, ...results];
}

/** Steps, snapshots and what the user hid are not sent. */
function readPart(part: OpenCodePart, at: number): readonly Part[] {
  switch (part.type) {
    case "text":
      return part["ignored"] === true ? [] : [{ kind: "text", text: `${part["text"]}`, at }];
    case "reasoning":
      return [{ kind: "reasoning", text: `${part["text"]}`, at }];
    case "tool": {
      const { input } = makeState(part);
      return [
        {
          kind: "tool-call",
          id: `${part["callID"]}`,
          name: `${part["tool"]}`,
          arguments: JSON.stringify(input ?? {}),
          at,
        },
      ];
    }
    case "file": {
      const source = { type: "url", url: `${part["url"]}` } as const;
      return [`${part["mime"]}`.startsWith("image/") ? { kind: "image", source, at } : { kind: "file", source, at }];
    }
    case "compaction":
    case "subtask":
    case "agent":
      return [{ kind: "opaque", type: part.type, raw: JSON.stringify(part), at }];
    default:
      return [];
  }
}

function makeState(part: OpenCodePart): Fields {
  return (part["state"] ?? {}) as Fields;
}

/** OpenCode sends an answer to every call; one that has not ended is reported as interrupted. */
function readResult(part: OpenCodePart, at: number): readonly Content[] {
  if (part.type !== "tool") return [];
  const { status, output, error } = makeState(part);
  const isError = status !== "completed";
  const text = isError ? `${error ?? "The call was interrupted."}` : `${output}`;
  const result: Part = { kind: "tool-result", callId: `${part["callID"]}`, content: [{ kind: "text", text }], at };
  return [{ role: "tool", parts: [isError ? { ...result, isError } : result] }];
}

/** Parts that nothing is read from stay where anything of their message does. */
function editParts(parts: readonly OpenCodePart[], left: readonly LeftPart[]): readonly OpenCodePart[] {
  const byPlace = new Map(left.map((one) => [one.part.at, one]));
  const unread = (part: OpenCodePart, at: number): boolean =>
    readPart(part, at).length + readResult(part, at).length === 0;
  return parts.flatMap((part, at): readonly OpenCodePart[] => {
    const own = byPlace.get(at * PLACES_PER_PART);
    const result = byPlace.get(at * PLACES_PER_PART + 1);
    if (own === undefined && result === undefined) return unread(part, at) ? [part] : [];
    if (own?.same !== false && result?.same !== false) return [part];
    return [editPart(part, own?.part, result?.part)];
  });
}

function editPart(part: OpenCodePart, own: Part | undefined, result: Part | undefined): OpenCodePart {
  if (own?.kind === "text") return { ...part, text: own.text };
  if (part.type !== "tool") return part;
  const state = makeState(part);
  const input = own?.kind === "tool-call" ? parsedArguments(own.arguments) : state["input"];
  if (result?.kind !== "tool-result") return { ...part, state: { ...state, input } };
  const text = contentText(result.content);
  const said = state["status"] === "completed" ? { output: text, attachments: [] } : { error: text };
  return { ...part, state: { ...state, input, ...said } };
}

/** In place of messages that have gone; always said by the user, because an answer would need a model and its bill. */
function writeMessage({ parts }: Message, templates: readonly OpenCodeMessage[]): OpenCodeMessage {
  const template = templates.findLast(({ info }) => info.role === "user") ?? templates[0]!;
  const { info } = template;
  const id = `${info.id}_precis`;
  const text = {
    id: `${id}_part`,
    sessionID: info.sessionID,
    messageID: id,
    type: "text",
    text: contentText(parts),
    synthetic: true,
  };
  return { info: { ...info, id }, parts: [text] };
}
