/** Messages part by part, a page at a time, as a person reads them: thinking, calls and results apart, and no secrets. */
import { callsOf, contentText, type Message, type Part } from "../../core/transcript/message.ts";
import type { Redactor } from "../../core/redaction/redactor.ts";
import type { MessageInFull, Page, PartShown, Which } from "./contract.ts";
import type { HistoryDependencies } from "./dependencies.ts";
import { readSized } from "./sizes.ts";

/** Of one part; its message's original has the rest. */
const PART_CHARS_MAX = 20_000;

export async function readMessages(
  dependencies: HistoryDependencies,
  which: Which,
  { from, count }: Page,
): Promise<readonly MessageInFull[]> {
  const { redact } = dependencies;
  const { messages, sizes } = await readSized(dependencies, which);
  const tools = toolNames(messages);
  return messages.slice(from - 1, from - 1 + count).map((message, at) => ({
    number: from + at,
    role: message.role,
    tokens: sizes.weigh(message),
    parts: message.parts.map((part) => shownPart(part, tools, redact)),
  }));
}

/** The name of the tool of each call, by the id of the call. */
export function toolNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  return new Map(messages.flatMap((message) => callsOf(message).map(({ id, name }) => [id, name] as const)));
}

function shownPart(part: Part, tools: ReadonlyMap<string, string>, redact: Redactor): PartShown {
  switch (part.kind) {
    case "text":
      return { kind: "text", ...cut(redact(part.text)) };
    case "reasoning":
      return { kind: "thinking", ...cut(redact(part.text)) };
    case "tool-call":
      return { kind: "call", tool: part.name, ...cut(redact(part.arguments)) };
    case "tool-result": {
      const tool = tools.get(part.callId);
      const text = cut(redact(contentText(part.content)));
      return {
        kind: "result",
        ...text,
        ...(tool === undefined ? {} : { tool }),
        ...(part.isError === true ? { failed: true as const } : {}),
      };
    }
    case "image":
    case "file":
      return { kind: "media", text: part.kind };
    case "opaque":
      return { kind: "media", text: part.type };
  }
}

/** Secrets are masked before anything is cut. */
function cut(text: string): Pick<PartShown, "text" | "chars"> {
  return text.length <= PART_CHARS_MAX ? { text } : { text: text.slice(0, PART_CHARS_MAX), chars: text.length };
}
