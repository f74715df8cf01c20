/** What the tools work with: the kept history, whose part of it may be seen, and what a tool is. */
import type { Redactor } from "../../core/redaction/redactor.ts";
import type { History } from "../../session/history.ts";
import type { HistoryStore } from "../../store/store.ts";

/** What an operator can do to a conversation, as far as an agent may. */
type Archive = Pick<
  History,
  "search" | "show" | "messages" | "compact" | "drop" | "pins" | "pin" | "unpin" | "engineTools" | "undo"
>;

export interface McpOptions {
  readonly archive: Archive;
  readonly store: HistoryStore;
  readonly tenant: string;
  /** The whole id of the one session that can be reached; all of the tenant's if not given. */
  readonly session?: string;
  /** What is shown is without secrets; the identity shows all. */
  readonly redact: Redactor;
  /** True: there are the tools that change something, and the prompt `compact`. */
  readonly allowWrites: boolean;
  readonly version: string;
  readonly limits?: Partial<McpLimits>;
  /** A line for the operator, without content. */
  readonly log: (line: string) => void;
}

export interface ToolContext extends Omit<McpOptions, "limits"> {
  readonly limits: McpLimits;
}

const MB = 1024 * 1024;

export const MCP_LIMITS = Object.freeze({
  /** Tokens of an answer by our estimate: where none are asked for, at least and at most. */
  answerTokens: 4_000,
  answerTokensMin: 500,
  answerTokensMax: 16_000,
  hits: 10,
  hitsMax: 50,
  /** Characters of an id, and of the words of a search. */
  idChars: 200,
  wordsChars: 500,
  /** Messages that one call expands; the answer says where to go on. */
  messages: 200,
  /** Turns that one call lists. */
  turns: 40,
  /** Sessions that are looked through for the place of an original, and listed; the last used first. */
  sessions: 20,
  /** Of an original or a message, this much is read. */
  originalChars: 4 * MB,
  /** How long a call may take, in milliseconds. */
  callMs: 10_000,
  /** The same for a compaction, for which a model may be asked. */
  compactMs: 150_000,
  /** Characters of the topic of a compaction. */
  focusChars: 2_000,
  /** Characters of a pinned fact. */
  factChars: 1_000,
  /** Calls that wait for their turn; they are answered one after another. */
  waiting: 32,
  /** Of what a client writes, this much is held until it is a whole message. */
  inputBytes: MB,
});

export type McpLimits = { readonly [Name in keyof typeof MCP_LIMITS]: number };
