/**
 * A recorded session in the one form that all formats are read into and written from: every message of the active
 * branch, and where a compaction put something else in the place of the history.
 */
import type { Message } from "../core/transcript/message.ts";
import type { LogFormat } from "./log.ts";

export interface SessionMessage {
  readonly message: Message;
  /** When it was recorded, in milliseconds since the epoch. */
  readonly timeMs?: number;
  /** Written by the agent's own machinery in the name of the user. */
  readonly injected?: true;
}

export interface RecordedCompaction {
  /** Where it was made: the index of its first message of its own. */
  readonly at: number;
  /** The index of its summary. */
  readonly summary: number;
  /** What the agent sent afterwards in the place of all that came before, in this order: indices of messages. */
  readonly context: readonly number[];
}

export interface Session {
  /** The format that it came from. */
  readonly format: LogFormat;
  readonly id?: string;
  readonly title?: string;
  readonly model?: string;
  /** The folder the agent worked in. */
  readonly cwd?: string;
  readonly system: readonly Message[];
  readonly messages: readonly SessionMessage[];
  /** How many records of its file are no part of the conversation. */
  readonly otherRecords?: number;
  /** In the order in which they were made. */
  readonly compactions: readonly RecordedCompaction[];
}

/** The messages that the agent would send now. */
export function liveMessages({
  messages,
  compactions,
}: Pick<Session, "messages" | "compactions">): readonly SessionMessage[] {
  const last = compactions.at(-1);
  if (last === undefined) return messages;
  const own = new Set(last.context);
  return [...last.context.map((at) => messages[at]!), ...messages.filter((_, at) => at >= last.at && !own.has(at))];
}

/** Messages that only a compaction's own record holds: its summary, and what it brought beside it. */
export function recordedOnly(compactions: readonly RecordedCompaction[]): ReadonlySet<number> {
  return new Set(
    compactions.flatMap(({ at, summary, context }) => context.filter((index) => index >= at && index <= summary)),
  );
}
