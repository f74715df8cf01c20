/** What every kind of digest answers with: facts, and which original lines matter, most needed first. */
import { thousands } from "./cut.ts";
import type { CallSummary } from "./call.ts";

export interface DigestContent {
  /** Goes into the first line: `3 of 40 failed`, `12 columns`. */
  readonly facts: readonly string[];
  /** Lines of our own under the first: what is computed and is nowhere in the original. */
  readonly notes?: readonly string[];
  /** Whether the notes, too, may take the digest past its target. */
  readonly mustNotes?: boolean;
  /** Numbers (from 0) of the original lines to show, most needed first; repeats count once. */
  readonly lines: Iterable<number>;
  /** How many of `lines` may take the digest past its target, up to twice it. */
  readonly must?: number;
  /** Said behind a line: how often it repeats. */
  readonly marks?: ReadonlyMap<number, string>;
  /** The number of the page's first line, where lines are shown with their numbers. */
  readonly numberedFrom?: number;
  /** Lines that share a beginning: it is said once, as a heading, and of each line what is left. */
  readonly under?: (number: number) => LineBlock | undefined;
  /** False where numbers or names already show that something is between two lines. */
  readonly gaps?: boolean;
}

export interface LineBlock {
  readonly heading: string;
  readonly text: string;
}

/** What a kind's digester may look at beside the page. */
export interface DigestContentRequest {
  readonly call: CallSummary;
  readonly isError: boolean;
  /** Numbers of the lines that hold words of the task, best first. */
  readonly focus: readonly number[];
}

/** Numbers from `from` (0-based, inclusive) to `to` (exclusive), clipped to what exists. */
export function range(from: number, to: number): number[] {
  const numbers: number[] = [];
  for (let at = Math.max(0, from); at < to; at++) numbers.push(at);
  return numbers;
}

/** Lists one after the other; those that are dear to make only when a digest still has room. */
export function* inOrder(...lists: readonly (readonly number[] | (() => readonly number[]))[]): Generator<number> {
  for (const list of lists) yield* typeof list === "function" ? list() : list;
}

export function plural(count: number, noun: string): string {
  return `${thousands(count)} ${count === 1 ? noun : /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}

/** More than any digest shows. */
const TURNS_MAX = 400;

/** The first of each list, then the second of each: every list gets its share. */
export function inTurns(lists: readonly (readonly number[])[]): number[] {
  const turns: number[] = [];
  const longest = lists.reduce((most, list) => Math.max(most, list.length), 0);
  for (let turn = 0; turn < longest && turns.length < TURNS_MAX; turn++)
    for (const list of lists) if (turn < list.length) turns.push(list[turn]!);
  return turns;
}

/** The folder that all paths are in, with its final slash. */
export function sharedFolder(paths: readonly string[]): string {
  let shared = paths[0] ?? "";
  for (const path of paths) while (!path.startsWith(shared)) shared = shared.slice(0, -1);
  return shared.slice(0, shared.lastIndexOf("/") + 1);
}
