/** What every line of a record is written with: how much it may weigh, what was said before, what the session is about. */
import type { Condensable } from "./condense.ts";
import type { Unit } from "./units.ts";
import type { SaidBefore } from "./said-before.ts";
import type { KnownThings } from "./effects.ts";
import type { EpisodeEntry } from "./episodes.ts";

export interface RecordLine {
  readonly message: number;
  readonly label: string;
  /** Of the characters that the most important line may take, the share for this one. */
  readonly weight: number;
  readonly body: Condensable;
  /** What an edit touched: gathered in one line where there is no room for a line each. */
  readonly touched?: readonly TouchedFile[];
  /** What a person said fades less. */
  readonly isAsked?: boolean;
  /** The line without the sentences that need not be told; itself where none is, nothing where none is left. */
  readonly without?: (untold: UntoldSentences) => RecordLine | undefined;
}

/** Sentences, without bullets, that need not be told; what later ones overruled is among both of the first. */
export interface UntoldSentences {
  /** Of the agent: what the handoff says beside the record. */
  readonly ofAgent: ReadonlySet<string>;
  /** Of a person: what stands among the rules. */
  readonly ofPerson: ReadonlySet<string>;
  /** Of a person, but for how a request opens. */
  readonly goal: ReadonlySet<string>;
  readonly goalText: string;
}

export interface TouchedFile {
  /** Its shortest name. */
  readonly name: string;
  /** Names of what was defined in it. */
  readonly defined: () => readonly string[];
}

/** What decides how much of a line is kept where not all fits. */
export const WEIGHTS = {
  asked: 3,
  pasted: 0.7,
  concluded: 1.6,
  changed: 1.8,
  check: 0.4,
  ran: 0.28,
  edited: 1.1,
  found: 1.6,
  failed: 0.8,
  shown: 0.3,
  remarked: 0.45,
  looked: 0.12,
} as const;

export interface LinesContext {
  readonly redact: (text: string) => string;
  /** Without the folder that goes without saying. */
  readonly shortened: (text: string) => string;
  /** Whether the words of the user are quoted here. */
  readonly tellsRequests: boolean;
  /** Whether the failure that a result reports still holds. */
  readonly stillFails: (result: number) => boolean;
  /** The message that is in full after the handoff; -1 for none. */
  readonly live: number;
  readonly known: KnownThings;
  /** How much a sentence of a report says: less where it has nothing to do with what is asked for. */
  readonly worthOfReport: (unit: Unit) => number;
  /** Sentences that were quoted already. */
  readonly said: SaidBefore;
}

export type CompletedEntry = Extract<EpisodeEntry, { kind: "done" }>;

/** What the handoff says beside the record. */
export interface VisibleElsewhere {
  readonly said: string;
  /** What must hold, in the words of the person who said so: not quoted a second time. */
  readonly rules: readonly string[];
  /** The first request as far as it is quoted: quoted once more by its opening only. */
  readonly goal: readonly string[];
}

/** How much the sentences of reports say to somebody who was asked for that. */
export function worthFor(taskWords: readonly string[]): LinesContext["worthOfReport"] {
  return ({ text, score }) => score + pertinence(text.toLowerCase(), taskWords);
}

/** How much a text has to do with what is asked for, by the words of that: below 0 where it has nothing to do with it. */
function pertinence(lower: string, taskWords: readonly string[]): number {
  if (taskWords.length === 0) return 0;
  let held = 0;
  for (const word of taskWords) if (lower.includes(word) && ++held === PERTINENT_WORDS) break;
  return held === 0 ? IMPERTINENT : (2 * held) / PERTINENT_WORDS;
}

/** A line that holds that many words of the task is about it. */
const PERTINENT_WORDS = 3;
const IMPERTINENT = -2;
