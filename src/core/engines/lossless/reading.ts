/** What every tool is given, and how it says that it found nothing. */
import type { Sources, ToolAnswer } from "../contract.ts";

/** Arguments that were found to be what the tool takes. */
export interface ToolArguments {
  readonly words?: string;
  readonly mode?: "words" | "regex";
  readonly question?: string;
  readonly id?: string;
  readonly hits?: number;
  readonly depth?: number;
  readonly offset?: number;
}

export interface BoundedSources extends Sources {
  readonly tokensMax: number;
}

export function refused(because: string): ToolAnswer {
  return { text: `Nothing was found: ${because}.`, quotes: [], isError: true };
}
