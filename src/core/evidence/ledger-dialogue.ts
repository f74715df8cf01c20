/** The half of the ledger that people and assistant say: requests, constraints, decisions, plans, values, questions. */
import type { Message } from "../transcript/message.ts";
import { callsOf, contentText } from "../transcript/message.ts";
import type { CallSummary } from "../digest/call.ts";
import { constraintsIn } from "./facts/constraints.ts";
import { decisionsIn, type Decision } from "./facts/decisions.ts";
import { byPerson, personText, slashCommandIn, type SlashCommand } from "./facts/person.ts";
import { afterPlanChange, planChangeIn, planIn, type PlanChange, type PlanItem } from "./facts/plans.ts";
import { answerIn, closingQuestionIn, questionsIn } from "./facts/questions.ts";
import { keyOf } from "./facts/sentences.ts";
import { valuesIn, type Value } from "./facts/values.ts";
import type {
  ConstraintEntry,
  DecisionEntry,
  Ledger,
  PlanEntry,
  QuestionEntry,
  RequestEntry,
  ValueEntry,
} from "./ledger-entries.ts";

/** What one message says; worked out once a message. */
export type Speech =
  | {
      readonly by: "person";
      readonly text: string;
      readonly command?: SlashCommand;
      readonly interrupts: boolean;
      readonly constraints: readonly string[];
      readonly questions: readonly string[];
      readonly values: readonly Value[];
    }
  | {
      readonly by: "assistant";
      readonly text: string;
      readonly ends: boolean;
      readonly closing?: string;
      readonly decisions: readonly Decision[];
      readonly values: readonly Value[];
      readonly plan?: readonly PlanItem[];
      readonly planChanges: readonly PlanChange[];
    }
  | { readonly by: "nobody" };

const NOBODY: Speech = { by: "nobody" };
const INTERRUPTION = "[Request interrupted by user";
/** A person's longer text is a document: the values in it are material, not settings. */
const VALUES_TEXT_CHARS_MAX = 1_200;
/** Commands of the client itself: the agent never sees them run. */
const CLIENT_COMMANDS =
  /^\/(?:exit|quit|clear|model|ide|compact|login|logout|help|config|cost|context|resume|status|mcp|memory|doctor|permissions|hooks|agents|vim|theme|terminal-setup|rewind|usage|plugin)$/;
/** A reply within so many messages speaks of the question and not of the work in between. */
const DIRECT_MESSAGES_MAX = 12;
/** A choice is made in few words; more is a request of its own. */
const CHOICE_CHARS_MAX = 200;

/** `calls` are the message's own, described. */
export function speechOf(message: Message, calls: readonly CallSummary[]): Speech {
  if (message.role === "assistant") return assistantSpeech(message, calls);
  if (message.role !== "user") return NOBODY;
  const raw = contentText(message.parts);
  const interrupts = raw.includes(INTERRUPTION);
  const command = raw.startsWith("<command-") ? slashCommandIn(raw) : undefined;
  const text = personText(message) || (command?.args ?? "");
  if (text === "" && command === undefined && !interrupts && !byPerson(message)) return NOBODY;
  const values = text.length > VALUES_TEXT_CHARS_MAX ? [] : valuesIn(text);
  return {
    by: "person",
    text,
    ...(command === undefined ? {} : { command }),
    interrupts,
    constraints: constraintsIn(text),
    questions: questionsIn(text),
    values,
  };
}

function assistantSpeech(message: Message, calls: readonly CallSummary[]): Speech {
  const text = contentText(message.parts);
  const planChanges = callsOf(message).flatMap((call, at) => planChangeIn(calls[at]!, call.arguments) ?? []);
  const plan = text === "" ? undefined : planIn(text);
  const ends = calls.length === 0 && text !== "";
  const closing = ends ? closingQuestionIn(text) : undefined;
  return {
    by: "assistant",
    text,
    ends,
    decisions: decisionsIn(text),
    values: valuesIn(text),
    planChanges,
    ...(closing === undefined ? {} : { closing }),
    ...(plan === undefined ? {} : { plan }),
  };
}

export type DialogueEntries = Pick<Ledger, "requests" | "constraints" | "decisions" | "plan" | "values" | "questions">;

export interface Dialogue {
  readonly hear: (at: number, speech: Speech) => void;
  readonly entries: () => DialogueEntries;
}

interface TurnEnd {
  readonly message: number;
  readonly text: string;
  readonly closing: string | undefined;
}

export function createDialogue(): Dialogue {
  const requests: RequestEntry[] = [];
  const constraints = new Map<string, ConstraintEntry>();
  const decisions = new Map<string, DecisionEntry>();
  const values = new Map<string, ValueEntry>();
  const questions: QuestionEntry[] = [];
  const plan = createPlanner();
  /** The assistant's last word, as long as nothing came after it. */
  let turnEnd: TurnEnd | undefined;

  const hearPerson = (at: number, speech: Extract<Speech, { by: "person" }>): void => {
    if (turnEnd !== undefined) settle(requests, questions, turnEnd);
    if (speech.interrupts) interrupt(requests, at);
    const choice =
      speech.text !== "" && speech.text.length <= CHOICE_CHARS_MAX && speech.questions.length === 0
        ? speech.text
        : undefined;
    if (turnEnd?.closing !== undefined && choice !== undefined)
      answerLast(questions, turnEnd, { message: at, text: choice });
    if (speech.text !== "" || speech.command !== undefined) addRequest(requests, at, speech);
    turnEnd = undefined;
    plan.personSpoke(at);
    for (const text of speech.constraints) repeat(constraints, at, text);
    for (const text of speech.questions) questions.push({ kind: "question", by: "person", message: at, text });
    for (const value of speech.values) bind(values, at, value);
  };

  const hearAssistant = (at: number, speech: Extract<Speech, { by: "assistant" }>): void => {
    for (const change of speech.planChanges) plan.change(at, change);
    if (speech.plan !== undefined) plan.write(at, speech.plan);
    for (const { text, weight } of speech.decisions) {
      const key = keyOf(text);
      decisions.delete(key);
      decisions.set(key, { kind: "decision", message: at, text, weight });
    }
    for (const value of speech.values) bind(values, at, value);
    turnEnd = speech.ends ? { message: at, text: speech.text, closing: speech.closing } : undefined;
    if (speech.ends) plan.turnEnded();
  };

  return {
    hear: (at, speech) => {
      if (speech.by === "person") hearPerson(at, speech);
      else if (speech.by === "assistant") hearAssistant(at, speech);
    },
    entries: () => {
      const asOf = { requests: [...requests], questions: [...questions] };
      if (turnEnd !== undefined) {
        settle(asOf.requests, asOf.questions, turnEnd);
        if (turnEnd.closing !== undefined)
          asOf.questions.push({ kind: "question", by: "assistant", message: turnEnd.message, text: turnEnd.closing });
      }
      const written = plan.entry();
      return {
        ...asOf,
        constraints: [...constraints.values()],
        decisions: [...decisions.values()],
        values: [...values.values()],
        ...(written === undefined ? {} : { plan: written }),
      };
    },
  };
}

function addRequest(requests: RequestEntry[], at: number, speech: Extract<Speech, { by: "person" }>): void {
  const { command } = speech;
  if (command !== undefined && CLIENT_COMMANDS.test(command.name)) return;
  const before = requests.at(-1);
  // An expansion repeats the arguments of the command before it.
  if (before?.command !== undefined && before.message === at - 1 && speech.text.includes(before.text)) requests.pop();
  requests.push({
    kind: "request",
    message: at,
    text: speech.text === "" ? command!.name : speech.text,
    ...(command === undefined ? {} : { command: command.name }),
  });
}

/** The assistant's turn has ended: what was asked before is done, or waits for the person. */
function settle(requests: RequestEntry[], questions: QuestionEntry[], end: TurnEnd): void {
  for (let at = requests.length - 1; at >= 0 && requests[at]!.settled === undefined; at--)
    requests[at] = { ...requests[at]!, settled: end.message };
  for (let at = questions.length - 1; at >= 0; at--) {
    const question = questions[at]!;
    if (question.settled !== undefined) break;
    const text = answerIn(end.text, question.text, end.message - question.message <= DIRECT_MESSAGES_MAX);
    questions[at] = {
      ...question,
      settled: end.message,
      ...(text === undefined ? {} : { answer: { message: end.message, text } }),
    };
  }
}

function interrupt(requests: RequestEntry[], at: number): void {
  const last = requests.at(-1);
  if (last !== undefined && last.settled === undefined && last.message < at)
    requests[requests.length - 1] = { ...last, interrupted: true };
}

function answerLast(
  questions: QuestionEntry[],
  end: TurnEnd,
  answer: { readonly message: number; readonly text: string },
): void {
  questions.push({
    kind: "question",
    by: "assistant",
    message: end.message,
    text: end.closing!,
    settled: answer.message,
    answer,
  });
}

function repeat(constraints: Map<string, ConstraintEntry>, at: number, text: string): void {
  const known = constraints.get(keyOf(text));
  const entry: ConstraintEntry =
    known === undefined
      ? { kind: "constraint", message: at, text, times: 1, last: at }
      : { ...known, times: known.times + 1, last: at };
  constraints.set(keyOf(text), entry);
}

function bind(values: Map<string, ValueEntry>, at: number, { name, value, text }: Value): void {
  values.delete(name);
  values.set(name, { kind: "value", message: at, name, value, text });
}

interface Planner {
  readonly change: (at: number, change: PlanChange) => void;
  readonly write: (at: number, items: readonly PlanItem[]) => void;
  readonly personSpoke: (at: number) => void;
  readonly turnEnded: () => void;
  readonly entry: () => PlanEntry | undefined;
}

/** A list that a tool keeps stands until its items are done; one in a message, until the turn that carried it out ends. */
function createPlanner(): Planner {
  let items: readonly PlanItem[] = [];
  let place: { readonly message: number; readonly source: "tool" | "text" } | undefined;
  let approvedAfter = false;
  const put = (at: number, next: readonly PlanItem[], source: "tool" | "text"): void => {
    items = next;
    place = { message: at, source };
    approvedAfter = false;
  };
  const open = (): boolean => items.some(({ state }) => state !== "done");
  return {
    change: (at, change) => put(at, afterPlanChange(place?.source === "text" ? [] : items, change), "tool"),
    write: (at, next) => {
      if (place?.source !== "tool" || !open()) put(at, next, "text");
    },
    personSpoke: (at) => {
      if (place !== undefined && place.message < at) approvedAfter = true;
    },
    turnEnded: () => {
      if (place?.source === "text" && approvedAfter) place = undefined;
    },
    entry: () => {
      if (place === undefined || items.length === 0) return undefined;
      return {
        kind: "plan",
        message: place.message,
        text: items.map(({ text }) => text).join("\n"),
        items,
        source: place.source,
      };
    },
  };
}
