/**
 * What a reader of session files gives back: a valid transcript, what the file says about it, and a note on everything
 * that was left out or repaired.
 */
import { PROTOCOL_NAMES, type ProtocolName } from "../core/protocols.ts";
import type { Usage } from "../core/engines/contract.ts";
import type {
  ContentPart,
  Message,
  Transcript,
  Part,
  ToolCallPart,
  ToolResultPart,
} from "../core/transcript/message.ts";
import { asCount, asText, toJson, type Fields } from "./fields.ts";

export const LOG_FORMATS = ["claude-code", "codex", "pi", "opencode", "gemini", "hermes", "dsh"] as const;
export const WIRE_FORMATS = PROTOCOL_NAMES;

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
  /** Request bodies of a log other than the one taken. */
  | "bodies_skipped"
  /** A kind of record this reader does not know. */
  | "unknown_type"
  /** A session without a message. */
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
  /** The session's own id, if the file has one. */
  readonly id?: string;
  /** The protocol that this agent speaks, in which a result goes back to it. */
  readonly speaks: WireFormat;
  readonly model?: string;
  readonly cwd?: string;
  /** Tokens of the last request, as the provider reported them. */
  readonly usage?: Usage;
  readonly toolNames: readonly string[];
  /** Indices of user messages that the agent's own machinery wrote: reminders, expansions, environment. */
  readonly injected: readonly number[];
  /** When each message was recorded, in milliseconds since the epoch; undefined if the file does not say. */
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

/** What a reader makes of a record: messages and results, and notes on what is left out. */
export type Told = MessageDraft | LogNote;

export function sortTold(told: readonly Told[]): Pick<FormatReading, "drafts" | "notes"> {
  return { drafts: told.filter((one) => "kind" in one), notes: told.filter((one) => "code" in one) };
}

export function makeNote(code: LogNoteCode, line: number, text: string): LogNote {
  return { code, line, text };
}

export function makeSaid(line: number, message: Message, injected = false): MessageDraft {
  return { kind: "said", line, message, injected };
}

export interface FormatReading {
  /** The session's own id and title, if the file has them. */
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly drafts: readonly MessageDraft[];
  readonly notes: readonly LogNote[];
  /** Records that belong to this format, of any kind. */
  readonly recognised: number;
  readonly system?: readonly Message[];
  readonly model?: string | undefined;
  readonly cwd?: string | undefined;
  readonly usage?: Usage | undefined;
  /** When each line was recorded (`timesOf`). */
  readonly times: ReadonlyMap<number, number>;
}

export type Results = ReadonlyMap<Part, ToolResultPart>;

/** The result of each call: those right behind its turn. Ids may be used again later. */
export function findResults(messages: readonly SessionMessage[]): Results {
  const results = new Map<Part, ToolResultPart>();
  let open = new Map<string, Part>();
  for (const { message } of messages) {
    const [first] = message.parts;
    const call = first?.kind === "tool-result" ? open.get(first.callId) : undefined;
    if (first?.kind === "tool-result" && call !== undefined) results.set(call, first);
    if (message.role !== "tool")
      open = new Map(message.parts.flatMap((part) => (part.kind === "tool-call" ? [[part.id, part]] : [])));
  }
  return results;
}

/** A call as most agents record it: with its arguments as a value. */
export function recordedCall(id: unknown, name: unknown, input: unknown): ToolCallPart {
  return { kind: "tool-call", id: asText(id) ?? "", name: asText(name) ?? "unknown", arguments: toJson(input ?? {}) };
}

/** Tokens of a request where those of the cache are counted apart, by an agent's names for them; undefined if it read none. */
export function readUsage(
  usage: Fields | undefined,
  names: Readonly<Record<"fresh" | "cacheRead" | "cacheWrite" | "output", string>>,
): Usage | undefined {
  const [cacheRead, cacheWrite] = [asCount(usage?.[names.cacheRead]), asCount(usage?.[names.cacheWrite])];
  const input = asCount(usage?.[names.fresh]) + cacheRead + cacheWrite;
  return input === 0 ? undefined : { input, output: asCount(usage?.[names.output]), cacheRead, cacheWrite };
}

/** For a call of which the session itself says that it did not run to its end: `why` is told as a failure. */
export function makeUnrunResult(callId: string | undefined, line: number, why: string): MessageDraft {
  return { kind: "result", line, callId, content: [{ kind: "text", text: why }], isError: true };
}

export const NEVER_RUN = "[precis: this call was never run, as the session file says]";

interface TreeNode {
  readonly id: string;
  /** Id of the node before this one; null for a root. An id that is not in the file means the line before. */
  readonly parent: string | null;
}

/** Indices of the nodes on the way from a root to `leaf`, in that order. */
export function findBranch(nodes: readonly TreeNode[], leaf: number): readonly number[] {
  const places = new Map<string, number>();
  nodes.forEach((node, at) => places.has(node.id) || places.set(node.id, at));
  const seen = new Set<number>();
  let at = leaf;
  while (at >= 0) {
    seen.add(at);
    const { parent } = nodes[at]!;
    if (parent === null) break;
    at = earlier(seen, places.get(parent) ?? at - 1);
  }
  return [...seen].toReversed();
}

/** `at`, or the nearest place before it that is not on the branch yet: a pointer forward would close a circle. */
function earlier(seen: ReadonlySet<number>, at: number): number {
  let place = at;
  while (seen.has(place)) place--;
  return place;
}

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
  readonly format: LogFormat;
  readonly id?: string;
  readonly title?: string;
  readonly model?: string;
  readonly cwd?: string;
  readonly system: readonly Message[];
  readonly messages: readonly SessionMessage[];
  readonly otherRecords?: number;
  readonly compactions: readonly RecordedCompaction[];
}

export function liveMessages({
  messages,
  compactions,
}: Pick<Session, "messages" | "compactions">): readonly SessionMessage[] {
  const last = compactions.at(-1);
  if (last === undefined) return messages;
  const own = new Set(last.context);
  return [...last.context.map((at) => messages[at]!), ...messages.filter((_, at) => at >= last.at && !own.has(at))];
}

/** Messages that only a compaction's own record holds: its summary, and what it added to it. */
export function findRecordedOnly(compactions: readonly RecordedCompaction[]): ReadonlySet<number> {
  return new Set(
    compactions.flatMap(({ at, summary, context }) => context.filter((index) => index >= at && index <= summary)),
  );
}
