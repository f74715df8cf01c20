/** Messages of the DeepSeek Harness, as its compaction and its session files have them. */
import type { Content, ContentPart, Part } from "../../core/transcript/message.ts";
import type { ReadFormat } from "../framework/conversation.ts";

type Block = Readonly<Record<string, unknown>>;

/** What is read of one. */
export interface DshMessage {
  readonly role: string;
  readonly content: readonly Block[];
  /** Who wrote it: a plugin of the harness speaks in the user's name. */
  readonly source?: { readonly kind?: unknown };
}

export const dshMessages: ReadFormat<DshMessage> = { name: "dsh", read: readMessage };

/** Results are messages of their own. */
function readMessage({ role, content, source }: DshMessage): readonly Content[] {
  const isReminder = role === "user" && source?.kind === "plugin";
  const parts = content.map((block, at) => readBlock(isReminder ? asReminder(block) : block, at));
  const said = parts.filter(({ kind }) => kind !== "tool-result");
  const speaker = role === "assistant" || role === "system" ? role : "user";
  return [
    ...(said.length === 0 ? [] : [{ role: speaker, parts: said } as const]),
    ...parts.filter(({ kind }) => kind === "tool-result").map((part): Content => ({ role: "tool", parts: [part] })),
  ];
}

function asReminder(block: Block): Block {
  return block["type"] === "text"
    ? { ...block, text: `<system-reminder>\n${block["text"]}\n</system-reminder>` }
    : block;
}

function readBlock(block: Block, at: number): Part {
  const { type, text } = block;
  if (type === "reasoning") return { kind: "reasoning", text: `${text}`, at };
  if (type === "tool-call")
    return {
      kind: "tool-call",
      id: `${block["id"]}`,
      name: `${block["name"]}`,
      arguments: `${block["arguments"]}`,
      at,
    };
  if (type !== "tool-result") return { ...readContent(block), at };
  const content = (block["content"] as readonly Block[]).map(readContent);
  const result: Part = { kind: "tool-result", callId: `${block["toolCallId"]}`, content, at };
  return block["isError"] === true ? { ...result, isError: true } : result;
}

function readContent(block: Block): ContentPart {
  return block["type"] === "text"
    ? { kind: "text", text: `${block["text"]}` }
    : { kind: "opaque", type: `${block["type"]}`, raw: JSON.stringify(block) };
}
