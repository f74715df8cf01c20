/** What the tools work with: the kept history, whose part of it may be seen, and what a tool is. */
import type { Budget } from "../../core/compaction/budget.ts";
import type { CompactionReport } from "../../core/compaction/compaction.ts";
import type { EngineTool, ToolAnswer, ToolCall } from "../../core/engines/contract.ts";
import type { Redactor } from "../../core/redaction/redactor.ts";
import type { Message, Role } from "../../core/transcript/message.ts";
import type { ToolBounds } from "../../session/contract.ts";
import type { HistoryStore } from "../../store/store.ts";

interface Which {
  readonly tenant: string;
  readonly id: string;
}

/** A place that holds words; its text is without secrets. */
export type Hit = { readonly text: string; readonly missing: readonly string[] } & (
  | {
      readonly kind: "message";
      readonly session: string;
      readonly number: number;
      readonly role: Role;
      readonly recall?: string;
    }
  | {
      readonly kind: "original";
      readonly id: string;
      readonly label: string;
      readonly number?: number;
      readonly role?: Role;
    }
);

interface SessionAbout {
  readonly title: string;
  readonly model?: string;
  readonly protocol?: string;
  readonly tokens: number;
  readonly tokensAre: "reported" | "estimated";
  readonly estimate: { readonly original: number; readonly sent: number };
  readonly sentMessages: number;
}

export type Compacted =
  | { readonly kind: "compacted"; readonly report: CompactionReport }
  | { readonly kind: "unchanged"; readonly because: string };

export interface SessionPins {
  readonly pins: readonly {
    readonly id: string;
    readonly messages?: { readonly from: number; readonly to: number };
    readonly fact?: string;
  }[];
}

/** What an operator can do; the gateway's history has it. */
interface Archive {
  readonly search: (query: {
    readonly tenant: string;
    readonly words: string;
    readonly session?: string;
    readonly limit: number;
  }) => Promise<readonly Hit[]>;
  readonly show: (which: Which, tail: number) => Promise<SessionAbout>;
  readonly messages: (which: Which) => Promise<readonly Message[]>;
  readonly compact: (
    which: Which,
    how: {
      readonly messages?: string;
      readonly focus?: string;
      readonly budget?: Budget;
      readonly signal?: AbortSignal;
    },
  ) => Promise<Compacted>;
  readonly drop: (which: Which, messages: string) => Promise<Compacted>;
  readonly pins: (which: Which) => Promise<SessionPins>;
  readonly pin: (which: Which, what: { readonly messages?: string; readonly fact?: string }) => Promise<SessionPins>;
  readonly unpin: (which: Which, id: string) => Promise<SessionPins>;
  /** The tools of a session's engine, within what may be read; of no session, those of a new one. */
  readonly engineTools: (
    which: Which | undefined,
    scope?: { readonly reads?: (id: string) => Promise<boolean> },
  ) => Promise<{
    readonly tools: () => readonly EngineTool[];
    readonly callTool: (call: ToolCall, bounds: ToolBounds) => Promise<ToolAnswer>;
  }>;
  readonly undo: (
    which: Which,
  ) => Promise<{ readonly undone: CompactionReport; readonly standing?: CompactionReport } | undefined>;
}

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
