/** What every line of a record is written with: how much it may weigh, what was said before, what the session is about. */
import type { Condensable } from "./condense.ts";
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
}

export interface TouchedFile {
  /** Its shortest name. */
  readonly name: string;
  /** Names of what was defined in it. */
  readonly defined: readonly string[];
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
  /** How much a text of others has to do with what is asked for: below 0 where it has nothing to do with it. */
  readonly pertinence: (text: string) => number;
  /** Whether a sentence is among the rules. */
  readonly stands: (sentence: string) => boolean;
  /** Whether a later one overruled it. */
  readonly isOverruled: (sentence: string) => boolean;
  /** Whether it is in the goal. */
  readonly isGoal: (sentence: string) => boolean;
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

/** How much texts have to do with what is asked for, by the words of that. */
export function pertinenceTo(taskWords: readonly string[]): (text: string) => number {
  return (text) => {
    const lower = text.toLowerCase();
    const held = taskWords.filter((word) => lower.includes(word)).length;
    return taskWords.length === 0
      ? 0
      : held === 0
        ? IMPERTINENT
        : (2 * Math.min(held, PERTINENT_WORDS)) / PERTINENT_WORDS;
  };
}

/** A line that holds that many words of the task is about it. */
const PERTINENT_WORDS = 3;
const IMPERTINENT = -2;
