/** The half of the ledger that people and assistant say: requests, constraints, decisions, plans, values, questions. */
import { agrees, optionChosen } from "./readers/choices.ts";
import { PLAIN_WEIGHT, type Decision } from "./readers/decisions.ts";
import { answerIn } from "./readers/questions.ts";
import { comparable, mayOverrule, overrules, type Comparable } from "./readers/overruled.ts";
import { isLifted, passingBanIn, type PassingBan } from "./readers/one-off-bans.ts";
import { isRenewed, renews } from "./readers/replaced-values.ts";
import { holdsFigure, sentencesWith, type Retraction } from "./readers/retractions.ts";
import { keyOf } from "./readers/sentences.ts";
import type { AssistantSpeech, PersonSpeech, Speech } from "./readers/speech.ts";
import type { Value } from "./readers/values.ts";
import type {
  ConstraintEntry,
  DecisionEntry,
  Ledger,
  QuestionEntry,
  RequestEntry,
  RetractionEntry,
  ValueEntry,
} from "./entries.ts";
import { createPlanner, type Planner } from "./plan.ts";

/** Commands of the client itself: the agent never sees them run. */
const CLIENT_COMMANDS =
  /^\/(?:exit|quit|clear|model|ide|compact|login|logout|help|config|cost|context|resume|status|mcp|memory|doctor|permissions|hooks|agents|vim|theme|terminal-setup|rewind|usage|plugin)$/;
/** A reply within that many messages speaks of the question and not of the work in between. */
const DIRECT_MESSAGES_MAX = 12;
/** A choice is made in few words; more is a request of its own. */
const CHOICE_CHARS_MAX = 200;
/** An option that a person chose, or the figure that holds, is as plain a decision as one with its reason. */
const CHOSEN_WEIGHT = PLAIN_WEIGHT + 1;

export type DialogueEntries = Pick<
  Ledger,
  "requests" | "constraints" | "overruled" | "decisions" | "retractions" | "plan" | "values" | "questions"
>;

export interface Dialogue {
  readonly hear: (at: number, speech: Speech) => void;
  readonly entries: () => DialogueEntries;
}

interface TurnEnd {
  readonly message: number;
  readonly text: string;
  readonly closing: string | undefined;
  /** What it proposed: decided where the person agrees, or where the assistant goes on by itself. */
  readonly proposed: readonly Decision[];
}

interface DialogueState {
  readonly requests: RequestEntry[];
  readonly constraints: Map<string, ConstraintEntry>;
  readonly decisions: Map<string, DecisionEntry>;
  readonly retractions: RetractionEntry[];
  /** What the assistant said, to find what it takes back later. */
  readonly said: string[];
  readonly overruled: string[];
  /** Rules that go with one request, by the same keys. */
  readonly bans: Map<string, PassingBan>;
  /** What rules and decisions are compared by, each worked out once. */
  readonly compared: Map<string, Comparable>;
  readonly values: Map<string, ValueEntry>;
  readonly questions: QuestionEntry[];
  readonly plan: Planner;
  /** The assistant's last word, as long as nothing came after it. */
  turnEnd: TurnEnd | undefined;
}

export function createDialogue(): Dialogue {
  const heard: DialogueState = {
    requests: [],
    constraints: new Map(),
    decisions: new Map(),
    retractions: [],
    said: [],
    overruled: [],
    bans: new Map(),
    compared: new Map(),
    values: new Map(),
    questions: [],
    plan: createPlanner(),
    turnEnd: undefined,
  };
  return {
    hear: (at, speech) => {
      if (speech.by === "person") readPerson(heard, at, speech);
      else if (speech.by === "assistant") readAssistant(heard, at, speech);
    },
    entries: () => entriesOf(heard),
  };
}

function readPerson(heard: DialogueState, at: number, speech: PersonSpeech): void {
  const { requests, questions, turnEnd } = heard;
  if (turnEnd !== undefined) settle(requests, questions, turnEnd);
  if (turnEnd?.closing !== undefined && isChoice(speech))
    answerClosing(questions, turnEnd, { message: at, text: speech.text });
  if (turnEnd !== undefined) choose(heard, turnEnd, speech.text);
  if (speech.interrupts) interrupt(requests, at);
  heard.turnEnd = undefined;
  heard.plan.personSpoke(at);
  if (isDemonstration(requests.at(-1), at)) requests.pop();
  const command = expandedBy(requests, at, speech.text);
  if (command !== undefined) {
    requests[requests.length - 1] = { ...command, message: at };
    return;
  }
  if (speech.text !== "" || speech.command !== undefined) addRequest(requests, at, speech);
  liftBans(heard, speech.text);
  for (const text of speech.constraints) addRule(heard, at, text);
  for (const text of speech.corrections) if (!speech.constraints.includes(text)) correct(heard, at, text);
  for (const text of speech.questions) questions.push({ kind: "question", by: "person", message: at, text });
  for (const value of speech.values) bind(heard.values, at, value);
}

function readAssistant(heard: DialogueState, at: number, speech: AssistantSpeech): void {
  const { plan, turnEnd } = heard;
  if (turnEnd !== undefined) decide(heard, turnEnd.message, turnEnd.proposed);
  for (const change of speech.planChanges) plan.change(at, change);
  if (speech.plan !== undefined) plan.write(at, speech.plan);
  for (const retraction of speech.retractions) retract(heard, at, retraction);
  if (speech.text !== "") heard.said.push(speech.text);
  const proposed = speech.ends ? speech.decisions.filter(({ proposes }) => proposes === true) : [];
  decide(
    heard,
    at,
    speech.decisions.filter((decision) => !proposed.includes(decision)),
  );
  decide(
    heard,
    at,
    [...speech.retractions.map(({ text }) => text), ...speech.correctedFigures].map((text) => ({
      text,
      weight: CHOSEN_WEIGHT,
    })),
  );
  for (const value of speech.values) bind(heard.values, at, value);
  heard.turnEnd = speech.ends ? { message: at, text: speech.text, closing: speech.closing, proposed } : undefined;
  if (speech.changes) plan.worked();
  if (speech.ends) plan.turnEnded(speech.closing !== undefined);
}

/** What the assistant said before with a figure that it takes back now is over. */
function retract(heard: DialogueState, at: number, { figure, text }: Retraction): void {
  heard.retractions.push({ kind: "retraction", message: at, text, figure });
  for (const said of heard.said) heard.overruled.push(...sentencesWith(said, figure));
  for (const entries of [heard.values, heard.decisions])
    for (const [key, entry] of entries) if (holdsFigure(entry.text, figure)) entries.delete(key);
}

function decide({ decisions }: DialogueState, at: number, settled: readonly Decision[], choice?: string): void {
  for (const { text, weight } of settled) {
    const key = keyOf(text);
    decisions.delete(key);
    decisions.set(key, {
      kind: "decision",
      message: at,
      text,
      weight,
      ...(choice === undefined ? {} : { choice }),
    });
  }
}

/** What was proposed is decided by the reply: as proposed, or another of the options that were laid out. */
function choose(heard: DialogueState, end: TurnEnd, reply: string): void {
  if (agrees(reply)) decide(heard, end.message, end.proposed, reply);
  const text = optionChosen(reply, end.text);
  if (text !== undefined) decide(heard, end.message, [{ text, weight: CHOSEN_WEIGHT }], reply);
}

/** As of now: a turn that has ended counts as ended until the assistant goes on. */
function entriesOf({ turnEnd, plan, ...heard }: DialogueState): DialogueEntries {
  const requests = [...heard.requests];
  const questions = [...heard.questions];
  if (turnEnd !== undefined) settle(requests, questions, turnEnd);
  if (turnEnd?.closing !== undefined)
    questions.push({ kind: "question", by: "assistant", message: turnEnd.message, text: turnEnd.closing });
  const written = plan.entry();
  return {
    requests,
    questions,
    constraints: [...heard.constraints.values()],
    overruled: [...heard.overruled],
    decisions: [...heard.decisions.values()],
    retractions: [...heard.retractions],
    values: [...heard.values.values()],
    ...(written === undefined ? {} : { plan: written }),
  };
}

/** A short reply that asks nothing back. */
function isChoice({ text, questions }: PersonSpeech): boolean {
  return text !== "" && text.length <= CHOICE_CHARS_MAX && questions.length === 0;
}

/** Shown as an example, directly before what is asked for: no request of its own. */
function isDemonstration(before: RequestEntry | undefined, at: number): boolean {
  return before?.message === at - 1 && DEMONSTRATION.test(before.text);
}

const DEMONSTRATION =
  /^\W*(?:(?:here|this|below|the following)(?: is|['’]s| are)? )?(?:an? |some )?(?:demonstrations?\b|(?:worked )?examples? of how to\b|example (?:trajectory|session|conversation|dialogue)\b)/i;

/** The slash command that this text expands: it repeats the command's arguments, which are a person's words. */
function expandedBy(requests: readonly RequestEntry[], at: number, text: string): RequestEntry | undefined {
  const before = requests.at(-1);
  return before?.command !== undefined && before.message === at - 1 && text.includes(before.text) ? before : undefined;
}

function addRequest(requests: RequestEntry[], at: number, { text, command }: PersonSpeech): void {
  if (command !== undefined && CLIENT_COMMANDS.test(command.name)) return;
  const words = text === "" ? command!.name : text;
  requests.push({
    kind: "request",
    message: at,
    text: words,
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

function answerClosing(
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

/** Takes away the rules and decisions that a sentence overrules; returns the last of them. */
function overrule(heard: DialogueState, text: string): string | undefined {
  const now = comparedBy(heard, text);
  if (!mayOverrule(now)) return renew(heard, text);
  let last: string | undefined;
  for (const entries of [heard.constraints, heard.decisions])
    for (const [key, { text: before }] of entries) {
      if (before === text || !overrules(now, comparedBy(heard, before))) continue;
      entries.delete(key);
      heard.overruled.push(before);
      last = before;
    }
  return last ?? renew(heard, text);
}

/** Takes away the rule of which a sentence brings another value; none where it could be one of several. */
function renew(heard: DialogueState, text: string): string | undefined {
  if (!renews(text) && !comparedBy(heard, text).changes) return undefined;
  const renewed = [...heard.constraints].filter(([, { text: before }]) => before !== text && isRenewed(text, before));
  if (renewed.length !== 1) return undefined;
  const [key, { text: before }] = renewed[0]!;
  heard.constraints.delete(key);
  heard.overruled.push(before);
  return before;
}

function addRule(heard: DialogueState, at: number, text: string): void {
  repeat(heard.constraints, at, text, overrule(heard, text));
  const ban = passingBanIn(text);
  if (ban === undefined) return;
  const key = keyOf(text);
  // What is said twice is meant to stay.
  if (heard.constraints.get(key)!.times === 1) heard.bans.set(key, ban);
  else heard.bans.delete(key);
}

/** The person orders now what was not to be done then: the record tells both, and a rule it is no longer. */
function liftBans({ bans, constraints }: DialogueState, text: string): void {
  for (const [key, ban] of bans) {
    if (!isLifted(ban, text)) continue;
    bans.delete(key);
    constraints.delete(key);
  }
}

/** A correction that is no rule by itself becomes one when it takes the place of one. */
function correct(heard: DialogueState, at: number, text: string): void {
  const replaces = overrule(heard, text);
  if (replaces !== undefined) repeat(heard.constraints, at, text, replaces);
}

/** Rules are compared with each new one that announces a change. */
function comparedBy({ compared }: DialogueState, text: string): Comparable {
  let known = compared.get(text);
  if (known === undefined) compared.set(text, (known = comparable(text)));
  return known;
}

function repeat(
  constraints: Map<string, ConstraintEntry>,
  at: number,
  text: string,
  replaces: string | undefined,
): void {
  const known = constraints.get(keyOf(text));
  const entry: ConstraintEntry =
    known === undefined
      ? { kind: "constraint", message: at, text, times: 1, last: at, ...(replaces === undefined ? {} : { replaces }) }
      : { ...known, times: known.times + 1, last: at };
  constraints.set(keyOf(text), entry);
}

function bind(values: Map<string, ValueEntry>, at: number, { name, value, text }: Value): void {
  values.delete(name);
  values.set(name, { kind: "value", message: at, name, value, text });
}
