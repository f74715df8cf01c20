/**
 * What a reader of session files gives back: a valid transcript, what the file says about it, and a note on everything
 * that was left out or repaired.
 */
import { PROTOCOL_NAMES, type ProtocolName } from "../core/protocols.ts";
import type { Usage } from "../core/engines/contract.ts";
import type { ContentPart, Message, Transcript } from "../core/transcript/message.ts";

/** Agents, the sessions of which are read and written. */
export const LOG_FORMATS = ["claude-code", "codex", "pi", "opencode", "gemini", "hermes", "dsh"] as const;
export const WIRE_FORMATS = PROTOCOL_NAMES;

/** A session file that an agent wrote. */
export type LogFormat = (typeof LOG_FORMATS)[number];
/** The body of a request, or its messages, in a provider's protocol. Decoding these is the protocols' business. */
export type WireFormat = ProtocolName;
export type InputFormat = LogFormat | WireFormat;

/**
 * `live` (the default) is what the agent would send now: after a recorded compaction, its summary and what followed,
 * because that is what has outgrown the window. `all` is every original message of the file with the recorded
 * summaries among them. Both follow the active branch and leave abandoned ones out.
 */
export type History = "live" | "all";

export interface ReadOptions {
  readonly history?: History;
}

export type LogNoteCode =
  /** A line that is not JSON, or not an object. */
  | "corrupt_line"
  /** Several records on one line, taken apart. */
  | "glued_line"
  /** A record, reply block or result that is in the file twice. */
  | "repeated"
  /** A call without a recorded result, answered by a stub. */
  | "dangling_call"
  /** A result whose call is not in the file; its text is kept as a note. */
  | "orphan_result"
  /** Arguments that are not JSON, carried as a JSON string. */
  | "arguments_not_json"
  /** A subagent's conversation, which is not the main one. */
  | "sidechain_skipped"
  /** Messages of a branch that was abandoned. */
  | "branch_skipped"
  /** Messages that a recorded compaction took out of the live history. */
  | "history_replaced"
  /** A reply of thinking alone, which no provider takes back. */
  | "thinking_only"
  /** Something the agent shows or records but does not send. */
  | "not_sent"
  /** Request bodies of a log beside the one taken. */
  | "bodies_skipped"
  /** A kind of record this reader does not know. */
  | "unknown_type"
  /** A session in which nobody has spoken yet. */
  | "no_messages";

export interface LogNote {
  readonly code: LogNoteCode;
  /** First line concerned, counted from 1; in a JSON document, its message. 0: the file as a whole. */
  readonly line: number;
  readonly text: string;
}

export interface ReadLog {
  readonly transcript: Transcript;
  readonly format: LogFormat;
  /** The session's own id, where the file has one. */
  readonly id?: string;
  /** The protocol that this agent speaks, in which a result goes back to it. */
  readonly speaks: WireFormat;
  readonly model?: string;
  /** The folder the agent worked in. */
  readonly cwd?: string;
  /** Tokens of the last request, as the provider reported them. */
  readonly usage?: Usage;
  /** Names of the tools called, in the order of their first call. */
  readonly toolNames: readonly string[];
  /** Indices of user messages that the agent's own machinery wrote: reminders, expansions, environment. */
  readonly injected: readonly number[];
  /** When each message was recorded, in milliseconds since the epoch; undefined where the file does not say. */
  readonly timesMs: readonly (number | undefined)[];
  readonly notes: readonly LogNote[];
}

/** What is said in a file, in order and not yet paired: a message, or a result that may have lost its call. */
export type MessageDraft =
  | { readonly kind: "said"; readonly line: number; readonly message: Message; readonly injected?: boolean }
  | {
      readonly kind: "result";
      readonly line: number;
      /** Undefined in old files that record none: pairs are then made in order. */
      readonly callId: string | undefined;
      readonly content: readonly ContentPart[];
      readonly isError?: boolean;
    };

/** What one format's reader finds; pairing and repairing are the same for all. */
export interface FormatReading {
  /** The session's own id and title, where the file has them. */
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly drafts: readonly MessageDraft[];
  readonly notes: readonly LogNote[];
  /** Records that belong to this format, whatever they say. */
  readonly recognised: number;
  readonly system?: readonly Message[];
  readonly model?: string | undefined;
  readonly cwd?: string | undefined;
  readonly usage?: Usage | undefined;
  /** When each line was recorded (`timesOf`). */
  readonly times: ReadonlyMap<number, number>;
}
