/** What a transcript says, without the bytes it came from: two that mean the same are equal. */
import type { Message, Part, Transcript } from "../../src/core/transcript/message.ts";

type Plain = Readonly<Record<string, unknown>>;

export interface Meaning {
  readonly system: readonly Plain[];
  readonly messages: readonly Plain[];
}

export function meaningOf({ system, messages }: Transcript): Meaning {
  return { system: system.map(messageMeaning), messages: messages.map(messageMeaning) };
}

export function messageMeaning({ role, parts, name }: Message): Plain {
  return { role, parts: parts.map(partMeaning), ...(name === undefined ? {} : { name }) };
}

function partMeaning(part: Part): Plain {
  const { at: _, ...rest } = part;
  switch (rest.kind) {
    case "opaque":
      return { kind: rest.kind, type: rest.type, raw: sameJson(rest.raw) };
    case "tool-call":
      return { ...rest, arguments: sameJson(rest.arguments) };
    case "tool-result":
      return { ...rest, content: rest.content.map(partMeaning) };
    case "reasoning":
      // Whether its server wants it back is no part of what was thought.
      return { kind: rest.kind, text: rest.text };
    default:
      return { ...rest };
  }
}

/** Layout and key order do not count; text that is no JSON stands for itself. */
function sameJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
