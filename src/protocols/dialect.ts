/**
 * What the shared reader and writer ask of a protocol. A dialect turns wire elements into messages and back; finding
 * bytes, keeping untouched ones and remembering earlier bodies is done once, for all of them.
 */
import type { Fields } from "./fields.ts";
import type {
  Content,
  Message,
  Part,
  Role,
  ToolCallPart,
  ToolResultPart,
  WireSlice,
} from "../core/transcript/message.ts";
import type { WireRules } from "../core/transcript/oracle.ts";
import type { ProtocolName } from "./protocol.ts";

export interface WireElement {
  readonly value: Fields;
  readonly text: string;
}

/** A message before its wire slice is attached. */
export interface Draft {
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly name?: string;
}

/** A message to be written and the member of its slice that it was decoded as. */
export interface Entry {
  readonly message: Message;
  /** Undefined for a message that has no bytes in this protocol. */
  readonly member: Content | undefined;
}

/** Messages that are written together: what is left of one slice, or new messages that the wire format puts into one. */
export interface Run {
  readonly slice: WireSlice | undefined;
  readonly entries: readonly Entry[];
}

export interface WriteContext {
  /** The id under which a new call or result goes out. */
  readonly idOf: (part: ToolCallPart | ToolResultPart) => string;
  /** Whether a result answers a call whose input is free text. */
  readonly answersCustom: (part: ToolResultPart) => boolean;
  /** The name of the tool whose call a result answers; undefined where there is no such call. */
  readonly nameOf: (part: ToolResultPart) => string | undefined;
  /** The role of a new system message: the one the request uses already, because a provider may refuse both in one. */
  readonly systemRole: () => "system" | "developer";
  /** Whether opaque blocks of this message mean something to the protocol that is written. */
  readonly ownBlocks: (message: Message) => boolean;
}

/** Which call ids a provider accepts. */
export interface IdRules {
  readonly pattern: RegExp;
  readonly maxChars: number;
  /** Whether one request may use an id for one call only. */
  readonly unique: boolean;
}

export interface Dialect {
  readonly name: ProtocolName;
  readonly rules: WireRules;
  readonly ids: IdRules;
  readonly listKey: string;
  /** Whether the list may be one text in place of an array. */
  readonly listMayBeText?: true;
  /** The request's own member for a system prompt: the name that is written, and others that are read. */
  readonly systemKeys: readonly string[];
  /** Where a request says how much output it reserves; a dot leads into a member. The first that is there counts. */
  readonly maxTokensKeys: readonly string[];
  readonly toolKeys: readonly string[];
  /** Whether the next element belongs to the same messages as the one before it. */
  readonly joins: (before: Fields, next: Fields) => boolean;
  readonly read: (elements: readonly WireElement[], model: string | undefined) => readonly Draft[];
  /** Whether elements mean the same to two models; by default they do. */
  readonly readsAlike?: (model: string | undefined, other: string | undefined) => boolean;
  /** Reads the value of one of `systemKeys`. */
  readonly readSystem: (value: unknown, text: string) => Draft | undefined;
  /** Why a request's history must stay as it is; gets the request's own members, the list left out. */
  readonly lockOf: (members: ReadonlyMap<string, string>) => string | undefined;
  /**
   * Whether a message is written into the run before it although they share no slice: one of the two, or both, have no
   * bytes of their own (`own` says whether the message has).
   */
  readonly attaches: (run: Run, message: Message, own: boolean) => boolean;
  /** Writes a run that changed, as JSON texts of elements; none leaves it out. */
  readonly write: (run: Run, context: WriteContext) => readonly string[];
  /** Writes the value of the system prompt's member; undefined when there is none. */
  readonly writeSystem: (entries: readonly Entry[], context: WriteContext) => string | undefined;
  /** Whether a system message goes into the request's own member rather than into the list. */
  readonly systemInKey: (message: Message, place: SystemPlace) => boolean;
}

/** What is known of a request when a new system message looks for its place. */
interface SystemPlace {
  /** No system message comes before it. */
  readonly first: boolean;
}

/** OpenAI's two protocols: anybody opens, and a system message is anywhere. */
export const OPENS_FREELY: Omit<WireRules, "protocol"> = Object.freeze({
  consecutiveRoles: "allowed",
  resultsInUserMessage: false,
  opensWithUser: false,
  systemInConversation: "anywhere",
});
