/** What every tool is given, and how it says that it found nothing. */
import type { MessageRange } from "../../recall/messages.ts";
import type { Sources, ToolAnswer } from "../contract.ts";

/** Arguments that were found to be what the tool takes. */
export interface ToolArguments {
  readonly words?: string;
  readonly mode?: "words" | "regex";
  readonly question?: string;
  readonly id?: string;
  readonly messages?: readonly MessageRange[];
  readonly hits?: number;
  readonly depth?: number;
  readonly offset?: number;
}

export interface BoundedSources extends Sources {
  readonly tokensMax: number;
}

export function refused(because: string): ToolAnswer {
  return failed(`Nothing was found: ${because}.`);
}

/** The call itself cannot be understood. */
export function misused(because: string): ToolAnswer {
  return failed(`The call cannot be answered: ${because}.`);
}

export function noRecord(id: string | undefined): ToolAnswer {
  return refused(`no record or original has the id ${id}; lcm_describe without an id lists the records`);
}

function failed(text: string): ToolAnswer {
  return { text, quotes: [], isError: true };
}
