/** A line of the record of turns: what it tells, what that is worth, and what it is made from. */
import type { CallEvent, SaidEvent } from "../../events/events.ts";
import type { Speaker } from "../../events/speakers.ts";
import type { KnownThings } from "../../events/things.ts";
import type { Body } from "./shape.ts";

export type LineKind = "request" | "system" | "record" | "answer" | "remark" | "report" | "deed" | "look" | "shown";

export interface Line {
  readonly message: number;
  readonly kind: LineKind;
  readonly lead: string;
  readonly body: Body;
  /** Beside the others of its age; 0 to 3. */
  readonly worth: number;
}

export interface LinesOptions {
  readonly redact: (text: string) => string;
  /** A path or text as it is written in the handoff: below the session's folder. */
  readonly shortened: (text: string) => string;
  /** Whether a text stands word for word beside the handoff. */
  readonly isBeside: (text: string) => boolean;
  /** Index of the live request, which is in full after the handoff; -1 for none. */
  readonly live: number;
  /** Whether words of people are told here, and not in a section of their own. */
  readonly tellsRequests: boolean;
  /** Calls that still run: they are told as what is in progress. */
  readonly running: ReadonlySet<CallEvent>;
}

/** What kinds of line are worth, against each other: chosen by hand. */
export const WORTH: Readonly<Record<LineKind, number>> = {
  request: 2.5,
  system: 2.5,
  record: 2.5,
  answer: 1.5,
  report: 1,
  deed: 0.6,
  remark: 0.6,
  shown: 0.25,
  look: 0.15,
};

/** What is known of all turns when one of them is told. */
export interface TellerOptions extends LinesOptions {
  readonly lasting: ReadonlyMap<CallEvent, readonly string[]>;
  readonly things: KnownThings;
  /** Whether a line of a report or of what the agent said stands in a later one, too. */
  readonly isRepeated: (line: string, within: SaidEvent | CallEvent) => boolean;
  /** Whether a line of a person's words stands in later ones, too. */
  readonly isAskedAgain: (line: string, within: Spoken) => boolean;
  /** What the agent said last before the turn. */
  readonly before: string;
}

/** The words of a person. */
export type Spoken = Extract<Speaker, { by: "person" }>;

export type LineWords = Pick<Line, "lead" | "body">;

export function line(kind: LineKind, message: number, { lead, body }: LineWords, times = 1): Line {
  return { kind, message, lead, body, worth: WORTH[kind] * times };
}
