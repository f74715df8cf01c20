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
import { keptWhile, keptWith } from "../kept.ts";
import { pairingOf } from "../transcript/pairing.ts";
import { endingOf, type Ending } from "./endings.ts";
import { ownOutput, resultTexts } from "./envelopes.ts";
import { pathFrom, touchFiles, type FileEntry } from "./files.ts";
import { isInstructionFile, rulesIn, workBelow } from "./instructions.ts";
import { textsIn } from "./person.ts";
import { planAfter, type PlanItem } from "./plan.ts";
import { commandFacts, type CommandFacts } from "./shell.ts";
import { withoutShownSecret } from "./shown-secret.ts";
import { speakerOf, type Speaker } from "./speakers.ts";
import { branchIn, commitsIn, folderIn, rootOf, startOf, withOpenFile } from "./workspace.ts";

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
  /** The heading or the sentence that its list stands under. */
  readonly lead?: string;
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
  /** As it was stated last for the current folder, in that message. */
  readonly branch?: { readonly name: string; readonly message: number };
  /** The message of the last commit. */
  readonly committed?: number;
  /** The folder that most calls ran in; where nothing shows one, the deepest that most absolute paths lie below. */
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
  const rules = new Map<string, ReadRule>();
  let plan: readonly PlanItem[] = [];
  let place: Pick<Events, "folder" | "branch" | "committed"> = {};
  const stated = all.flatMap(folderStated).at(-1);
  const start = stated ?? startOf(calls.flatMap(({ summary }) => summary.paths));
  /** How many calls ran in each. */
  const folders = new Map<string, number>();
  for (const event of calls) {
    place = placeAfter(place, event, stated);
    const folder = place.folder ?? start;
    if (folder !== undefined) folders.set(folder, (folders.get(folder) ?? 0) + 1);
    touchFiles(files, event, folder);
    for (const rule of rulesRead(event)) rules.set(`${rule.lead}\n${rule.text}`, { ...rule, place: place.folder });
    plan = planAfter(plan, event.summary, event.call.arguments);
  }
  // Paths that calls name without a folder are below the one that most ran in, which need not be the last.
  const root = [...folders].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? rootOfAll([...files.keys()]);
  return {
    all,
    calls,
    requests: all.flatMap(requestIn),
    files: [...files.values()],
    rules: rulesOfWork([...rules.values()], [...files.values()]),
    plan,
    ...place,
    ...(root === undefined || root === "/" ? {} : { root }),
  };
}

/** None where more than a few are named without a folder: they may be anywhere. */
function rootOfAll(paths: readonly string[]): string | undefined {
  const inFull = paths.filter((path) => /^(?:[/~]|[A-Za-z]:)/.test(path));
  return inFull.length < paths.length * IN_FULL_SHARE_MIN ? undefined : rootOf(inFull);
}

const IN_FULL_SHARE_MIN = 0.9;

function folderStated(event: SessionEvent): readonly string[] {
  return event.kind === "heard" && event.speaker.by === "harness" ? [event.speaker.folder ?? []].flat() : [];
}

function requestIn(event: SessionEvent): readonly RequestEvent[] {
  if (event.kind !== "heard" || event.speaker.by !== "person") return [];
  const { text, media } = event.speaker;
  return [{ message: event.message, text, media }];
}

function eventsIn(messages: readonly Message[]): readonly SessionEvent[] {
  const results = new Map<ToolCallPart, number>();
  pairingOf(messages).answers.forEach((answer, at) => answer === undefined || results.set(answer.call, at));
  const events: SessionEvent[] = [];
  let before: Speaker | undefined;
  messages.forEach((message, at) => {
    if (message.role === "tool") return;
    if (message.role !== "assistant") {
      before = speakerBy(message, before);
      events.push({ kind: "heard", message: at, speaker: before });
      return;
    }
    before = undefined;
    const said = saidIn(message, at);
    if (said.text !== "") events.push(said);
    for (const [nth, call] of callsOf(message).entries()) {
      const result = results.get(call) ?? (resultAmongTexts(messages[at + 1], nth) === undefined ? undefined : at + 1);
      const answer = result === undefined ? untold(messages, at) : messages[result]!;
      events.push(callEvent(call, at, result, typeof answer === "string" ? answer : answeredIn(answer, nth)));
    }
  });
  return events;
}

/** A result without an id, as some clients send them: the text of the call that was made as the `nth`. */
function resultAmongTexts(message: Message | undefined, nth: number): ToolResultPart | undefined {
  return message?.role === "user" ? textResults(message)[nth] : undefined;
}

const textResults = keptWith((message: Message): readonly ToolResultPart[] =>
  resultTexts(textsIn(message)).map((text) => ({ kind: "tool-result", callId: "", content: [{ kind: "text", text }] })),
);

function answeredIn(message: Message, nth: number): ToolResultPart | undefined {
  return resultOf(message) ?? resultAmongTexts(message, nth);
}

// The same object for the same message, or call and result, at the same place: most of a conversation was read at the compaction before.
const speakerBy = keptWhile(speakerOf);

const saidIn = keptWhile((message: Message, at: number): SaidEvent => {
  const text = withoutThinking(contentText(message.parts)).trim();
  return { kind: "said", message: at, text, ends: callsOf(message).length === 0 };
});

type Answer = ToolResultPart | "interrupted" | "unknown" | undefined;

const callEvent = keptWhile(
  (call: ToolCallPart, message: number, result: number | undefined, answer: Answer): CallEvent => {
    const summary = described(call);
    const facts = summary.command === undefined ? undefined : commandFacts(summary.command);
    const common = { kind: "call", message, call, facts } as const;
    if (result === undefined || typeof answer === "string") {
      const ending: Ending = { status: answer as "interrupted" | "unknown", line: NO_RESULT, failing: [] };
      return { ...common, summary, ending, text: "" };
    }
    const { text: own, exit } = ownOutput(contentText(answer?.content ?? []));
    const text = withoutShownSecret(summary, own);
    const ending = endingOf(summary, facts, { text, isError: answer?.isError === true, exit });
    return { ...common, summary: withOpenFile(summary, text), ending, result, text };
  },
);

/** Some models think aloud in their text. */
function withoutThinking(text: string): string {
  if (!text.startsWith("<think")) return text;
  const close = /<\/think(?:ing)?>/.exec(text);
  return close === null ? text : text.slice(close.index + close[0].length);
}

const NO_RESULT = "no result for this call; whether it ran is not known";

function untold(messages: readonly Message[], call: number): "interrupted" | "unknown" {
  let next = call + 1;
  while (next < messages.length && messages[next]!.role === "tool") next++;
  const message = messages[next];
  const isInterrupted = message?.role === "user" && speakerOf(message, undefined).by === "interruption";
  return isInterrupted ? "interrupted" : "unknown";
}

function rulesRead({ summary, ending, result, text }: CallEvent): readonly InstructionRule[] {
  const file = summary.paths.length === 1 ? summary.paths[0]! : "";
  const isRead = summary.action === "read" || summary.action === "run";
  if (result === undefined || ending.status !== "done" || !isRead || !isInstructionFile(file)) return [];
  return rulesIn(text).map((rule) => ({ message: result, file, ...rule }));
}

interface ReadRule extends InstructionRule {
  /** The folder of the work at that time. */
  readonly place: string | undefined;
}

/** Without those of files below which nobody works. */
function rulesOfWork(rules: readonly ReadRule[], files: readonly FileEntry[]): readonly InstructionRule[] {
  if (rules.length === 0) return [];
  const isAboveWork = workBelow(files);
  return rules.flatMap(({ place, ...rule }) => (isAboveWork(pathFrom(rule.file, place)) ? [rule] : []));
}

/** `stated`: where the client begins every call, whatever folder the one before went to. */
function placeAfter(
  place: Pick<Events, "folder" | "branch" | "committed">,
  { summary, facts, ending, message, text }: CallEvent,
  stated: string | undefined,
): Pick<Events, "folder" | "branch" | "committed"> {
  const own = folderIn(summary, facts, text);
  // A folder that is named from another is not known.
  const isUnknown = own === undefined && facts?.folder !== undefined;
  const isElsewhere = isUnknown || (stated !== undefined && own !== undefined && !areNested(own, stated));
  const folder = stated ?? own;
  const branch = isElsewhere ? undefined : branchIn(summary, text, ending.status === "done");
  const commits = ending.status === "done" && commitsIn(summary, facts, text);
  if (folder === undefined && branch === undefined && !commits) return place;
  // Another folder may be of another repository.
  const { branch: before, ...kept } = place;
  const isSame = folder === undefined || place.folder === undefined || areNested(folder, place.folder);
  return {
    ...kept,
    ...(isSame && before !== undefined ? { branch: before } : {}),
    ...(folder === undefined ? {} : { folder }),
    ...(branch === undefined ? {} : { branch: { name: branch, message } }),
    ...(commits ? { committed: message } : {}),
  };
}

/** Whether one of two folders is the other or lies in it. */
function areNested(one: string, other: string): boolean {
  return `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);
}
