/**
 * What happened in a conversation, with its evidence: what was asked, said, called, returned, changed and planned, each at its message.
 * Nothing here is guessed from words; what no result shows is unknown.
 */
import { described, type CallSummary } from "../digest/call.ts";
import {
  callsOf,
  contentText,
  resultOf,
  type Message,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
} from "../transcript/message.ts";
import { pairingOf } from "../transcript/pairing.ts";
import { endingOf, type Ending } from "./endings.ts";
import { touchFiles, type FileEntry } from "./files.ts";
import { isInstructionFile, rulesIn } from "./instructions.ts";
import { planAfter, type PlanItem } from "./plan.ts";
import { commandFacts, type CommandFacts } from "./shell.ts";
import { withoutShownSecret } from "./shown-secret.ts";
import { speakerOf, type Speaker } from "./speakers.ts";
import { branchIn, folderIn, rootOf, withOpenFile } from "./workspace.ts";

export interface CallEvent {
  readonly kind: "call";
  readonly message: number;
  readonly call: ToolCallPart;
  readonly summary: CallSummary;
  readonly facts?: CommandFacts | undefined;
  readonly ending: Ending;
  /** The message of its result, and the text of that; absent where there is none. */
  readonly result?: number;
  readonly text: string;
}

export interface SaidEvent {
  readonly kind: "said";
  readonly message: number;
  readonly text: string;
  /** Whether the message makes no call: the agent's turn may end here. */
  readonly ends: boolean;
}

export interface HeardEvent {
  readonly kind: "heard";
  readonly message: number;
  readonly speaker: Speaker;
}

export type SessionEvent = CallEvent | SaidEvent | HeardEvent;

/** A rule of the project's own instructions, as an agent read it. */
export interface InstructionRule {
  readonly message: number;
  readonly file: string;
  readonly text: string;
}

export interface Events {
  /** In the order of the conversation. */
  readonly all: readonly SessionEvent[];
  readonly calls: readonly CallEvent[];
  /** Those that a person wrote. */
  readonly requests: readonly RequestEvent[];
  readonly files: readonly FileEntry[];
  readonly rules: readonly InstructionRule[];
  readonly plan: readonly PlanItem[];
  readonly folder?: string;
  readonly branch?: string;
  /** The message of the last commit. */
  readonly committed?: number;
  /** The deepest folder that most absolute paths lie below, where no command names one. */
  readonly root?: string;
}

export interface RequestEvent {
  readonly message: number;
  readonly text: string;
  readonly media: readonly Part[];
}

const known = new WeakMap<readonly Message[], Events>();

/** The events of a conversation; worked out once for a list that nobody changes any more. */
export function eventsOf(messages: readonly Message[]): Events {
  let events = known.get(messages);
  if (events === undefined) {
    events = read(messages);
    if (Object.isFrozen(messages)) known.set(messages, events);
  }
  return events;
}

function read(messages: readonly Message[]): Events {
  const all = eventsIn(messages);
  const calls = all.filter((event) => event.kind === "call");
  const files = new Map<string, FileEntry>();
  const rules = new Map<string, InstructionRule>();
  let plan: readonly PlanItem[] = [];
  let place: Pick<Events, "folder" | "branch" | "committed"> = {};
  for (const event of calls) {
    place = placeAfter(place, event);
    touchFiles(files, event, place.folder);
    for (const rule of rulesRead(event)) rules.set(rule.text, rule);
    plan = planAfter(plan, event.summary, event.call.arguments);
  }
  const paths = [...files.keys()];
  const root = place.folder ?? rootOf(paths);
  return {
    all,
    calls,
    requests: all.flatMap(requestIn),
    files: [...files.values()],
    rules: [...rules.values()],
    plan,
    ...place,
    ...(root === undefined || root === "/" ? {} : { root }),
  };
}

function requestIn(event: SessionEvent): readonly RequestEvent[] {
  if (event.kind !== "heard" || event.speaker.by !== "person") return [];
  const { text, media } = event.speaker;
  return [{ message: event.message, text, media }];
}

/** The same object for the same call and result at the same places: most of a conversation was read at the compaction before. */
const answered = new WeakMap<ToolCallPart, { readonly event: CallEvent; readonly part: ToolResultPart | undefined }>();

function eventsIn(messages: readonly Message[]): readonly SessionEvent[] {
  const results = new Map<ToolCallPart, number>();
  pairingOf(messages).answers.forEach((answer, at) => answer === undefined || results.set(answer.call, at));
  const events: SessionEvent[] = [];
  let before: Speaker | undefined;
  messages.forEach((message, at) => {
    if (message.role === "tool") return;
    if (message.role !== "assistant") {
      before = speakerOf(message, before);
      events.push({ kind: "heard", message: at, speaker: before });
      return;
    }
    before = undefined;
    const said = saidIn(message, at);
    if (said.text !== "") events.push(said);
    for (const call of callsOf(message)) events.push(callEvent(call, at, { messages, result: results.get(call) }));
  });
  return events;
}

/** The same object for the same message at the same place: what is remembered of it holds. */
const saidBy = new WeakMap<Message, SaidEvent>();

function saidIn(message: Message, at: number): SaidEvent {
  let said = saidBy.get(message);
  if (said?.message !== at) {
    const text = withoutThinking(contentText(message.parts)).trim();
    said = { kind: "said", message: at, text, ends: callsOf(message).length === 0 };
    saidBy.set(message, said);
  }
  return said;
}

/** Some models think aloud in their text. */
function withoutThinking(text: string): string {
  if (!text.startsWith("<think")) return text;
  const close = /<\/think(?:ing)?>/.exec(text);
  return close === null ? text : text.slice(close.index + close[0].length);
}

interface CallPlace {
  readonly messages: readonly Message[];
  readonly result: number | undefined;
}

function callEvent(call: ToolCallPart, message: number, { messages, result }: CallPlace): CallEvent {
  const part = result === undefined ? undefined : resultOf(messages[result]!);
  const former = answered.get(call);
  if (former?.part === part && former?.event.message === message && former.event.result === result) return former.event;
  const summary = described(call);
  const text = withoutShownSecret(summary, contentText(part?.content ?? []));
  const facts = summary.command === undefined ? undefined : commandFacts(summary.command);
  const common = { kind: "call", message, call, facts } as const;
  if (result === undefined) {
    const status = isInterrupted(messages, message) ? "interrupted" : "unknown";
    return { ...common, summary, ending: { status, line: NO_RESULT, failing: [] }, text: "" };
  }
  const ending = endingOf(summary, facts, { text, isError: part?.isError === true });
  const event: CallEvent = { ...common, summary: withOpenFile(summary, text), ending, result, text };
  answered.set(call, { event, part });
  return event;
}

const NO_RESULT = "no result for this call; whether it ran is not known";

function isInterrupted(messages: readonly Message[], call: number): boolean {
  let next = call + 1;
  while (next < messages.length && messages[next]!.role === "tool") next++;
  const message = messages[next];
  return message?.role === "user" && speakerOf(message, undefined).by === "interruption";
}

function rulesRead({ summary, ending, result, text }: CallEvent): readonly InstructionRule[] {
  const file = summary.paths.length === 1 ? summary.paths[0]! : "";
  const isRead = summary.action === "read" || summary.action === "run";
  if (result === undefined || ending.status !== "done" || !isRead || !isInstructionFile(file)) return [];
  return rulesIn(text).map((rule) => ({ message: result, file, text: rule }));
}

function placeAfter(
  place: Pick<Events, "folder" | "branch" | "committed">,
  { summary, facts, ending, message, text }: CallEvent,
): Pick<Events, "folder" | "branch" | "committed"> {
  const folder = folderIn(summary, facts, text);
  const branch = branchIn(summary, text);
  const commits = ending.status === "done" && facts?.purpose === "commit";
  return {
    ...place,
    ...(folder === undefined ? {} : { folder }),
    ...(branch === undefined ? {} : { branch }),
    ...(commits ? { committed: message } : {}),
  };
}
