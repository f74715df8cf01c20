/** What a person chose when the agent asked through a tool that offers options, as Claude Code's AskUserQuestion does: question and answer as the tool recorded them. */
import { actionByName, isForeignTool } from "../digest/tool-names.ts";
import type { Events } from "./events.ts";

export interface ChosenAnswer {
  readonly message: number;
  readonly question: string;
  readonly answer: string;
}

const ANSWER = /"([^"\n]{1,600})"="([^"\n]{1,600})"/g;

export function answersOf({ calls }: Events): readonly ChosenAnswer[] {
  return calls.flatMap(({ summary, ending, text, call, message, result }) => {
    if (!asksPerson(summary.tool) || ending.status !== "done" || result === undefined) return [];
    const pairs = Array.from(text.matchAll(ANSWER), ([, question, answer]) => ({
      message,
      question: question!,
      answer: answer!,
    }));
    if (pairs.length > 0) return pairs;
    const question = questionIn(call.arguments);
    return question === undefined || text.trim() === "" ? [] : [{ message, question, answer: text.trim() }];
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
