/** What the bench measures: named functions from messages to fewer messages, from a module that is loaded by its path. */
import { pathToFileURL } from "node:url";
import { PrecisError } from "../../../src/core/errors.ts";
import { textOf, type ChatMessage } from "../recall/future-use.ts";

export interface BenchCompactor {
  readonly name: string;
  /** Package and version. */
  readonly from: string;
  /** How it is set, in a few words. */
  readonly how: string;
  /** Its largest result of at most that many characters (`charsOf`); the smallest that it makes if none is. */
  readonly compact: (messages: readonly ChatMessage[], charsMax: number) => Promise<readonly ChatMessage[]>;
}

export interface Field {
  readonly compactors: readonly BenchCompactor[];
  /** Those that could not be loaded, and why. */
  readonly absent: readonly { readonly name: string; readonly because: string }[];
  /** Whether a provider would take a result. */
  readonly isValid: (after: readonly ChatMessage[], before: readonly ChatMessage[]) => boolean;
}

/** What the module's `makeField` makes. @throws PrecisError `no_compactors`. */
export async function loadField(path: string): Promise<Field> {
  const { makeField } = (await import(pathToFileURL(path).href)) as { readonly makeField?: () => Promise<Field> };
  if (typeof makeField !== "function")
    throw new PrecisError(`${path} exports no function makeField.`, {
      code: "no_compactors",
      hint: "Export one as bench/peers/field.ts does.",
    });
  return makeField();
}

/** As the suites count: each turn with its role before it. */
export function textOfAll(messages: readonly ChatMessage[]): string {
  return messages.map((message) => `[${message.role}] ${textOf(message).trim()}`).join("\n");
}

export function charsOf(messages: readonly ChatMessage[]): number {
  return textOfAll(messages).length;
}

/** A suite's turns as a conversation: what a tool says answers a call of the turn before it. */
export function conversationOf(turns: readonly (readonly [role: string, text: string])[]): readonly ChatMessage[] {
  return turns.map(([role, text], at): ChatMessage => {
    if (role === "tool") return { role, content: text, tool_call_id: `call_${at - 1}` };
    if (turns[at + 1]?.[0] !== "tool") return { role, content: text };
    const call = { id: `call_${at}`, type: "function", function: { name: "look", arguments: "{}" } };
    return { role: "assistant", content: text, tool_calls: [call] };
  });
}
