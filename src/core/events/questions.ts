/**
 * What a person chose when the agent asked: through a tool that offers options, as Claude Code's AskUserQuestion does, question and
 * answer as the tool recorded them; or in words, by the letter or number of an option.
 */
import { actionByName, isForeignTool } from "../digest/tool-names.ts";
import type { Events } from "./events.ts";

export interface ChosenAnswer {
  /** The message that brought it. */
  readonly message: number;
  readonly question: string;
  readonly answer: string;
}

const ANSWER = /"([^"\n]{1,600})"="([^"\n]{1,600})"/g;

export function answersOf({ calls }: Events): readonly ChosenAnswer[] {
  return calls.flatMap(({ summary, ending, text, call, result }) => {
    if (!asksPerson(summary.tool) || ending.status !== "done" || result === undefined) return [];
    const pairs = Array.from(text.matchAll(ANSWER), ([, question, answer]) => ({
      message: result,
      question: question!,
      answer: answer!,
    }));
    if (pairs.length > 0) return pairs;
    const question = questionIn(call.arguments);
    return question === undefined || text.trim() === "" ? [] : [{ message: result, question, answer: text.trim() }];
  });
}

/** A tool of the client that is known to; what else is called so asks a model or a server. */
function asksPerson(tool: string): boolean {
  return actionByName(tool) === "ask" && !isForeignTool(tool);
}

function questionIn(args: string): string | undefined {
  try {
    const fields = JSON.parse(args) as Readonly<Record<string, unknown>>;
    const question = fields["question"] ?? fields["prompt"] ?? fields["message"];
    return typeof question === "string" && question.trim() !== "" ? question : undefined;
  } catch {
    return undefined;
  }
}

/** All of a reply, or what stands before the first mark of it; or the last word of a short one: "Option C". */
const LABEL = /^\(?(\p{L}|\d{1,2})\)?(?:[.,:;)]|$)|^.{1,30} \(?([A-Z])\)?[.!]?$/u;
const MARKS_BEFORE = /^[\s\-*•|>(`#]+/;
const MARKS_BEHIND = /^[\s*)`\]]*[.):：、|–-]/u;
const LABEL_CHARS_MAX = 40;

/** The line of a text that states the option which a person chose by its letter or number, in a list or a table; absent where none does. */
export function chosenOption(reply: string, asked: string): string | undefined {
  const [, first, last] = LABEL.exec(reply.trim()) ?? [];
  const label = (first ?? last)?.toUpperCase();
  if (label === undefined) return undefined;
  const isOption = (line: string): boolean => {
    const own = line.slice(0, LABEL_CHARS_MAX).replace(MARKS_BEFORE, "").toUpperCase();
    return own.startsWith(label) && MARKS_BEHIND.test(own.slice(label.length));
  };
  return asked.split("\n").findLast(isOption)?.trim();
}
