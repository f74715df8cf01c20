/** What it takes to know the sessions of one agent: how its files are recognised, read and written, and what they can hold. */
import { type Fields, asFields, toJson, tryParseJson } from "./fields.ts";
import type { LogText } from "./lines.ts";
import type { FormatReading, History, LogFormat, WireFormat, Session } from "./log.ts";
import { isoOf, type WriteContext } from "./document.ts";

export interface SessionFormat {
  readonly name: LogFormat;
  readonly title: string;
  /** The protocol that this agent speaks to its model. */
  readonly speaks: WireFormat;
  readonly marks: FormatMarks;
  readonly read: (text: LogText, history: History) => FormatReading;
  /** The session as it was when the record at `line` had been written. */
  readonly upTo: (text: string, line: number) => string;
  /** Where the agent keeps its sessions, by the variables that move it elsewhere, and where a written one has to go. */
  readonly kept: (home: AgentHome) => AgentPlace;
  readonly tools: ToolNames;
  readonly holds: Holds;
  /** Takes a session that holds only what the format holds (`adapt`). */
  readonly write: (session: Session, context: WriteContext) => string;
}

export interface AgentHome {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

export interface AgentPlace {
  /** Folders that are searched with all below them, and databases; a written session goes to the first. */
  readonly roots: readonly string[];
  readonly isSession: (path: string) => boolean;
  readonly destination: (root: string, session: NewSession) => Destination;
}

export interface NewSession {
  readonly id: string;
  readonly cwd: string;
  readonly startMs: number;
  /** The id that the written text has, where the format makes another of it. */
  readonly ownId: string;
}

export interface Destination {
  /** A file of its own, also a compressed one, or a database that it is added to. */
  readonly kind: "file" | "frames" | "database";
  readonly path: string;
  /** The command that goes on with it. */
  readonly resume: readonly string[];
}

/** When a session began, to the second, as names of files have it: `2026-01-01T00-00-00`. */
export function fileStamp({ startMs }: NewSession): string {
  return isoOf(startMs).slice(0, "2026-01-01T00:00:00".length).replaceAll(":", "-");
}

interface FormatMarks {
  readonly line?: (record: Fields) => boolean;
  readonly document?: (document: unknown) => boolean;
  /** If the text itself does not say. */
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
  readonly callIds: RegExp;
  readonly errorMarks: boolean;
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
  readonly mergesReplies: boolean;
  /** `sorted`: the parts of a reply are its thinking, its texts and its calls, in this order. */
  readonly parts: "any" | "sorted";
  /** Where several texts become one: in results, or in all messages. */
  readonly oneText: "nowhere" | "results" | "everywhere";
  readonly outerSpace: boolean;
  /** Whether results may come in another order than their calls. */
  readonly resultOrder: boolean;
}

const ANY_ID = /^/;
/** What every provider takes. */
const PLAIN_ID = /^[a-zA-Z0-9_-]{1,64}$/;
export const SPACELESS_ID = /^\S{1,64}$/;

/** A format that holds everything. Each format states its differences. */
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

export const CONVERSATION_ALONE: Holds = {
  ...EVERYTHING,
  freeTextCalls: false,
  argumentText: false,
  callIds: PLAIN_ID,
  ownSystem: false,
  systemMessages: false,
};

/** Formats with a record on each line. */
export function keepFirstLines(text: string, line: number): string {
  let end = -1;
  for (let at = 0; at < line; at++) {
    end = text.indexOf("\n", end + 1);
    if (end < 0) return text;
  }
  return text.slice(0, end);
}

type Tool = "shell" | "read" | "write" | "edit";

interface ToolName {
  readonly name: string;
  /** The agent's name for each argument, by the name that is used here. */
  readonly arguments: Readonly<Record<string, string>>;
}

/** Undefined if an agent has no such tool, or one with arguments of another kind. */
export type ToolNames = Partial<Readonly<Record<Tool, ToolName>>>;

interface NamedCall {
  readonly name: string;
  readonly arguments: string;
}

/** The call as the other agent would make it; undefined if there is no exact counterpart. */
export function translateCall(call: NamedCall, from: ToolNames, to: ToolNames): NamedCall | undefined {
  const tool = (Object.keys(from) as Tool[]).find((name) => from[name]?.name === call.name);
  const [source, target] = [tool && from[tool], tool && to[tool]];
  const given = asFields(tryParseJson(call.arguments));
  if (source === undefined || target === undefined || given === undefined) return undefined;
  const neutral = new Map(Object.entries(source.arguments).map(([name, own]) => [own, name]));
  const entries: [string, unknown][] = [];
  for (const [own, value] of Object.entries(given)) {
    const name = target.arguments[neutral.get(own) ?? ""];
    if (name === undefined) return undefined;
    entries.push([name, value]);
  }
  return { name: target.name, arguments: toJson(Object.fromEntries(entries)) };
}
