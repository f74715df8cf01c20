/** What one message says, worked out once: a person's words or the assistant's, with the facts that are in them. */
import { callsOf, contentText, resultOf, type Message } from "../../transcript/message.ts";
import { changesFiles, type ClassifiedCall } from "./commands.ts";
import { constraintsIn } from "./constraints.ts";
import { decisionsIn, type Decision } from "./decisions.ts";
import { correctionsIn } from "./overruled.ts";
import { renewalsIn } from "./replaced-values.ts";
import { byPerson, declinedWith, personText, slashCommandIn, type SlashCommand } from "./person.ts";
import { planChangeIn, planIn, type PlanChange, type PlanItem } from "./plans.ts";
import { closingQuestionIn, questionsIn } from "./questions.ts";
import { correctedFiguresIn, retractionsIn, type Retraction } from "./retractions.ts";
import { valuesIn, type Value } from "./values.ts";

export interface PersonSpeech {
  readonly by: "person";
  /** What was typed; the arguments of a slash command. */
  readonly text: string;
  readonly command?: SlashCommand;
  /** It stopped the turn that was under way. */
  readonly interrupts: boolean;
  readonly constraints: readonly string[];
  /** Sentences that say what is over, rules or not. */
  readonly corrections: readonly string[];
  readonly questions: readonly string[];
  readonly values: readonly Value[];
}

export interface AssistantSpeech {
  readonly by: "assistant";
  readonly text: string;
  /** It made no call: the turn ends here, unless the assistant goes on by itself. */
  readonly ends: boolean;
  /** Its calls change files. */
  readonly changes: boolean;
  /** The question that the turn ends with. */
  readonly closing?: string;
  readonly decisions: readonly Decision[];
  readonly retractions: readonly Retraction[];
  /** Sentences that give the figure that holds. */
  readonly correctedFigures: readonly string[];
  readonly values: readonly Value[];
  readonly plan?: readonly PlanItem[];
  readonly planChanges: readonly PlanChange[];
}

export type Speech = PersonSpeech | AssistantSpeech | { readonly by: "nobody" };

const NOBODY: Speech = { by: "nobody" };
const INTERRUPTION = "[Request interrupted by user";
/** A person's longer text is a document: the values in it are material, not settings. */
const VALUES_TEXT_CHARS_MAX = 1_200;

/** `calls` are the message's own, described. */
export function speechOf(message: Message, calls: readonly ClassifiedCall[]): Speech {
  if (message.role === "assistant") return assistantSpeech(message, calls);
  return message.role === "user" ? personSpeech(message) : message.role === "tool" ? decliningSpeech(message) : NOBODY;
}

/** What a person said while declining a call. It says what to do next, and lays down no rule: anything can be in a result. */
function decliningSpeech(message: Message): Speech {
  const text = declinedWith(contentText(resultOf(message)?.content ?? []));
  return text === ""
    ? NOBODY
    : {
        by: "person",
        text,
        interrupts: false,
        constraints: [],
        corrections: [],
        questions: questionsIn(text),
        values: [],
      };
}

function personSpeech(message: Message): Speech {
  const raw = contentText(message.parts);
  const interrupts = raw.includes(INTERRUPTION);
  const command = raw.startsWith("<command-") ? slashCommandIn(raw) : undefined;
  const text = personText(message) || (command?.args ?? "");
  if (text === "" && command === undefined && !interrupts && !byPerson(message)) return NOBODY;
  return {
    by: "person",
    text,
    interrupts,
    constraints: constraintsIn(text),
    corrections: [...new Set([...correctionsIn(text), ...renewalsIn(text)])],
    questions: questionsIn(text),
    values: text.length > VALUES_TEXT_CHARS_MAX ? [] : valuesIn(text),
    ...(command === undefined ? {} : { command }),
  };
}

function assistantSpeech(message: Message, calls: readonly ClassifiedCall[]): Speech {
  const text = contentText(message.parts);
  const plan = text === "" ? undefined : planIn(text);
  const ends = calls.length === 0 && text !== "";
  const closing = ends ? closingQuestionIn(text) : undefined;
  return {
    by: "assistant",
    text,
    ends,
    changes: calls.some(changesFiles),
    decisions: decisionsIn(text),
    retractions: retractionsIn(text),
    correctedFigures: correctedFiguresIn(text),
    values: valuesIn(text),
    planChanges: callsOf(message).flatMap((call, at) => planChangeIn(calls[at]!, call.arguments) ?? []),
    ...(closing === undefined ? {} : { closing }),
    ...(plan === undefined ? {} : { plan }),
  };
}
