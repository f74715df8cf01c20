/** What it takes to know the sessions of one agent: how its files are recognised, read and written, and what they can hold. */
import type { Fields } from "./fields.ts";
import type { LogText } from "./lines.ts";
import type { FormatReading, History, LogFormat, WireFormat } from "./log.ts";
import type { Session } from "./session.ts";
import type { ToolNames } from "./tools.ts";
import type { WriteContext } from "./written.ts";

export interface SessionFormat {
  readonly name: LogFormat;
  /** As its users call the agent. */
  readonly title: string;
  /** The protocol that this agent speaks to its model. */
  readonly speaks: WireFormat;
  readonly marks: FormatMarks;
  readonly read: (text: LogText, history: History) => FormatReading;
  /** The session as it was when the record at `line` had been written. */
  readonly upTo: (text: string, line: number) => string;
  readonly tools: ToolNames;
  readonly holds: Holds;
  /** Takes a session that holds only what the format holds (`adapt`). */
  readonly write: (session: Session, context: WriteContext) => string;
}

export interface FormatMarks {
  /** Whether a record of JSON lines is one of this agent's. */
  readonly line?: (record: Fields) => boolean;
  readonly document?: (document: unknown) => boolean;
  /** Where the text itself does not say. */
  readonly path?: RegExp;
}

/** What a format can hold, and an agent takes back from it. Everything else is adapted or left out before writing. */
export interface Holds {
  /** Thinking without the signature of the provider that it came from. */
  readonly thinking: boolean;
  /** Images as data: in messages of the user and in results, in results that are no errors, in no results, or not at all. */
  readonly images: "everywhere" | "not_in_errors" | "user" | "nowhere";
  /** Documents as data, in messages of the user. */
  readonly files: boolean;
  /** Calls whose input is free text. */
  readonly freeTextCalls: boolean;
  /** Whether arguments are kept as text. Otherwise they have to be an object. */
  readonly argumentText: boolean;
  /** Which ids of calls are taken. */
  readonly callIds: RegExp;
  /** Whether a result can be marked as an error. */
  readonly errorMarks: boolean;
  /** Whether a user message can be marked as written by the agent itself. */
  readonly injectedMarks: boolean;
  /** The system prompt of its own agent; never that of another one. */
  readonly ownSystem: boolean;
  /** System messages within the conversation. */
  readonly systemMessages: boolean;
  /**
   * How compactions are recorded: with `any` messages kept, with the `newest` ones kept behind the summary, or not at all,
   * with only the `live` history written.
   */
  readonly compactions: "any" | "newest" | "live";
  /** Whether the summary comes first in what a compaction leaves. */
  readonly summaryFirst: boolean;
  /** Whether a session has to begin with a message of the user. */
  readonly opensWithUser: boolean;
  /** Whether neighbouring replies become one. */
  readonly mergesReplies: boolean;
  /** `sorted`: the parts of a reply are its thinking, its texts and its calls, in this order. */
  readonly parts: "any" | "sorted";
  /** Where several texts become one: in results, or in all messages. */
  readonly oneText: "nowhere" | "results" | "everywhere";
  /** Whether white space around a text is kept. */
  readonly outerSpace: boolean;
  /** Whether results may come in another order than their calls. */
  readonly resultOrder: boolean;
}

const ANY_ID = /^/;
/** What every provider takes. */
const PLAIN_ID = /^[a-zA-Z0-9_-]{1,64}$/;
export const SPACELESS_ID = /^\S{1,64}$/;

/** A format that holds all there is. Each format says where it differs. */
export const EVERYTHING: Holds = {
  thinking: true,
  images: "everywhere",
  files: true,
  freeTextCalls: true,
  argumentText: true,
  callIds: ANY_ID,
  errorMarks: true,
  injectedMarks: true,
  ownSystem: true,
  systemMessages: true,
  compactions: "any",
  summaryFirst: false,
  opensWithUser: false,
  mergesReplies: false,
  parts: "any",
  oneText: "nowhere",
  outerSpace: true,
  resultOrder: true,
};

/** Of formats that keep a call's arguments as an object, and the prompt of their agent elsewhere. */
export const CONVERSATION_ALONE: Holds = {
  ...EVERYTHING,
  freeTextCalls: false,
  argumentText: false,
  callIds: PLAIN_ID,
  ownSystem: false,
  systemMessages: false,
};

/** Formats with a record on each line. */
export function firstLines(text: string, line: number): string {
  let end = -1;
  for (let at = 0; at < line; at++) {
    end = text.indexOf("\n", end + 1);
    if (end < 0) return text;
  }
  return text.slice(0, end);
}
