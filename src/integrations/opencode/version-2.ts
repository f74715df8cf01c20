/** The plugin in OpenCode 2: its hook `compaction` takes a summary in place of the one that a model would be asked for. */
import type { Content, ContentPart, Part } from "../../core/transcript/message.ts";
import { createRuntime } from "../../session/checked-runtime.ts";
import type { RuntimeOptions } from "../../session/contract.ts";
import type { ReadFormat } from "../framework/conversation.ts";
import { handoffFor } from "../hosts/handoff.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly Fields[];
}

interface CompactionEvent {
  readonly messages: readonly Message[];
  result?: { summary: string };
}

interface PluginContext {
  readonly session: { hook(name: "compaction", run: (event: CompactionEvent) => Promise<void>): Promise<unknown> };
}

/** OpenCode keeps the newest messages itself, so the summary replaces all of them. */
export async function setupForTwo({ session }: PluginContext, options: Omit<RuntimeOptions, "state">): Promise<void> {
  await session.hook("compaction", async (event) => {
    const runtime = createRuntime({ ...options, settings: { note: "handoff", protectFirstN: 0, ...options.settings } });
    const handoff = await handoffFor(runtime, MESSAGES, event.messages, { keepNothing: true });
    // If nothing smaller is possible, OpenCode asks its model.
    if (handoff !== undefined) event.result = { summary: handoff.summary };
  });
}

const MESSAGES: ReadFormat<Message> = { name: "opencode-2", read: readMessage };

function readMessage({ role, content }: Message): readonly Content[] {
  const parts = (typeof content === "string" ? [{ type: "text", text: content }] : content).map(readPart);
  const results = parts.filter(({ kind }) => kind === "tool-result");
  const others = parts.filter(({ kind }) => kind !== "tool-result");
  const said: Content[] = others.length === 0 ? [] : [{ role: role === "tool" ? "user" : role, parts: others }];
  return [...said, ...results.map((part): Content => ({ role: "tool", parts: [part] }))];
}

function readPart(part: Fields, at: number): Part {
  switch (part["type"]) {
    case "text":
      return { kind: "text", text: `${part["text"]}`, at };
    case "reasoning":
      return { kind: "reasoning", text: `${part["text"]}`, at };
    case "tool-call":
      return {
        kind: "tool-call",
        id: `${part["id"]}`,
        name: `${part["name"]}`,
        arguments: JSON.stringify(part["input"] ?? {}),
        at,
      };
    case "tool-result": {
      const { type, value } = (part["result"] ?? {}) as Fields;
      const result: Part = { kind: "tool-result", callId: `${part["id"]}`, content: [toText(value)], at };
      return type === "error" ? { ...result, isError: true } : result;
    }
    default:
      return { kind: "opaque", type: `${part["type"]}`, raw: JSON.stringify(part), at };
  }
}

/** A result is a text, or blocks with texts, or any value. */
function toText(value: unknown): ContentPart {
  if (typeof value === "string") return { kind: "text", text: value };
  const texts = Array.isArray(value) ? value.map((block: Fields) => block["text"]) : [];
  const isText = texts.length > 0 && texts.every((text) => typeof text === "string");
  return { kind: "text", text: isText ? texts.join("\n") : (JSON.stringify(value) ?? "") };
}
