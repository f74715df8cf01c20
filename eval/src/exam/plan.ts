/** What an exam is made of: kinds of questions, contestants, cases, and the bounds of all of them. Plain data. */
import type { Message, Transcript } from "../../../src/core/transcript/message.ts";

/** What a question asks about; the order of every table. */
export const KINDS = ["state", "constraint", "finding", "detail"] as const;
export type Kind = (typeof KINDS)[number];

/** How many questions of each kind are written for a case. */
export const QUOTA: Readonly<Record<Kind, number>> = Object.freeze({ state: 4, constraint: 3, finding: 2, detail: 5 });
export const QUESTIONS = KINDS.reduce((sum, kind) => sum + QUOTA[kind], 0);

/** One letter each on the grader's sheet. */
export const SEATS_MAX = 26;
export const CASES_MAX = 100;
export const READERS_MAX = 5;

export interface Question {
  /** 1 and up, in the order of the sheet. */
  readonly id: number;
  readonly kind: Kind;
  readonly question: string;
  readonly answer: string;
  /** What earns 1 point, and what earns 0.5. */
  readonly full: string;
  readonly half: string;
  /** Words of the session on which the answer rests. */
  readonly quote: string;
}

/** A way to make a context out of the session before the cut. */
export interface Contestant {
  /** As the report names it: `compressor+model@10%`. */
  readonly name: string;
  readonly kind: "tail" | "whole" | "plain" | "engine";
  /** Of an engine. */
  readonly engine?: string;
  /** Whether a model writes. */
  readonly model: boolean;
  /** A share of the prefix's tokens; absent for the whole. */
  readonly budget?: number;
}

/** A session cut in two: what the reader may know of, and what really happened next. */
export interface Case {
  /** Also the name of its folder. */
  readonly name: string;
  readonly file: string;
  /** A hash of both parts. */
  readonly key: string;
  readonly prefix: Transcript;
  readonly prefixTokens: number;
  readonly rest: readonly Message[];
}

export interface ExamPlan {
  readonly contestants: readonly Contestant[];
  readonly cases: readonly Case[];
  /** Fresh readers of each contestant. */
  readonly readers: number;
  readonly seed: number;
}

/** One reader's answers on the grader's sheet. */
export interface ContestantRun {
  readonly contestant: string;
  /** 1 and up. */
  readonly reader: number;
}

export function seatName({ contestant, reader }: ContestantRun): string {
  return reader === 1 ? contestant : `${contestant} (reader ${reader})`;
}
