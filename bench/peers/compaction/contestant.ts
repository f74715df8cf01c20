/**
 * What is measured of a compaction: a function from messages of its own to messages of its own. Reading and writing the
 * common form are next to it, so that they are not timed.
 */
import { contentOf, type ChatMessage } from "../../../eval/src/recall/future-use.ts";
import type { Conversation, Told } from "../extract.ts";

export type Native = readonly unknown[];

/** One compaction's size: what the knob of the contestant is set to, and how long a summary may be. */
export interface Size {
  /** Tokens, or messages where the contestant counts those. */
  readonly keep: number;
  readonly summaryTokens: number;
}

export interface Contestant {
  readonly name: string;
  /** Package and version. */
  readonly from: string;
  /** The setting that it comes with, in a few words. */
  readonly how: string;
  readonly knob: "tokens" | "messages";
  /** That setting; where it has none, the one that it was measured with before. A summary's length where it asks none. */
  readonly asItComes: Size;
  /** Whether its result takes the place of the history (a summary), or is rebuilt from the whole at every request. */
  readonly stands: boolean;
  /** So slow at a turn, though it waits for nothing, that it is asked only at some, which say what all of them do. */
  readonly slow?: true;
  readonly read: (messages: readonly ChatMessage[]) => Native;
  /** Its own count of its messages, in tokens, by which it knows that it is due; none where it has nothing to wait for. */
  readonly weigh?: (messages: Native) => number;
  /** Makes ready for one conversation, which the stub of a model knows. */
  readonly on: (conversation: Conversation) => Compacting;
}

export interface Compacting {
  readonly compact: (messages: Native, size: Size) => Promise<Native>;
  readonly write: (messages: Native) => readonly ChatMessage[];
  readonly told: () => Told;
  /** Milliseconds so far that went into reaching a peer in another process, which are nobody's time. */
  readonly crossedMs?: () => number;
}

export const NOBODY_ASKED: Told = Object.freeze({ calls: 0, shown: 0, written: 0 });

export function argumentsOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text === "" ? "{}" : text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
    return { input: value };
  } catch {
    return { input: text };
  }
}

/** The name of the tool that each call id asked for; peers want it beside the result. */
export function toolNames(messages: readonly ChatMessage[]): (id: string | undefined) => string {
  const names = new Map(
    messages.flatMap(({ tool_calls }) => (tool_calls ?? []).map((call) => [call.id, call.function.name] as const)),
  );
  return (id) => names.get(id ?? "") ?? "unknown";
}

export function textOfContent(message: ChatMessage): string {
  return contentOf(message.content);
}

/** What goes over the wire, for peers that work on messages of that form. */
export function asPlain(message: ChatMessage): ChatMessage {
  const { role, tool_calls, tool_call_id: id } = message;
  const calls = tool_calls ?? [];
  return {
    role,
    content: textOfContent(message),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(id === undefined ? {} : { tool_call_id: id }),
  };
}

/** One call in the common form. */
export function wireCall(id: string, name: string, input: unknown): NonNullable<ChatMessage["tool_calls"]>[number] {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } } as never;
}
