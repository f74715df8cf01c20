/** An excerpt, and what is asked for when excerpts are chosen. */
import type { Measure } from "../transcript/measure.ts";
import type { Message } from "../transcript/message.ts";

export interface Excerpt {
  /** Index of the message it is taken from. */
  readonly message: number;
  /** Where it is in that message; absent where an earlier handoff carried it. */
  readonly at?: number;
  /** Where it comes from, for a reader: `Read src/a.ts`, `user`. */
  readonly source: string;
  /** Verbatim: a phrase, a line, or lines that follow one another. */
  readonly text: string;
  /** With its line break. */
  readonly tokens: number;
  /** Set where it reports an error. */
  readonly isError?: true;
  /** Numbers of the names in it, as the evidence counts them; absent where an earlier handoff carried it. */
  readonly names?: readonly number[];
}

export interface ExcerptRequest {
  /** Tokens for all excerpts and their sources. */
  readonly budget: number;
  readonly measure: Measure;
  /** The messages to draw from: `messages[from .. until)`; all where not given. */
  readonly from?: number;
  readonly until?: number;
  /** What is in the result anyway: names that it binds need no excerpt. */
  readonly present: VisibleText;
  /** Words of the task beyond the live request. */
  readonly focus: readonly string[];
  /** Messages whose errors are made good: these errors are not quoted. */
  readonly settled?: ReadonlySet<number>;
  /** Whether what a message of the assistant says was taken back later. */
  readonly isRetracted?: ((message: number, text: string) => boolean) | undefined;
  /** Set where only what tools returned is quoted. */
  readonly onlyResults?: boolean;
  /** Takes secrets out. A piece that only its surroundings give away is not quoted. */
  readonly redact?: (text: string) => string;
}

/** A result, or the part of it that is settled. */
export interface VisibleText {
  /** Messages of the conversation that are in it as they were. */
  readonly standing: readonly Message[];
  /** All other text in it. */
  readonly text: string;
  /** What of that text was chosen as an excerpt of this conversation: the names in it need not be looked for. */
  readonly excerpts?: readonly Excerpt[];
}
