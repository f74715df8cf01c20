/**
 * A person's own patterns, in the syntax of RE2 and run by it: linear in the text, whatever the pattern. What a pattern
 * matches is masked; where it has a group, only what its first group matches.
 */
import { RE2JS, RE2JSException } from "re2js";
import type { Finding, Finder } from "../core/redaction/redact.ts";

export const PATTERNS_MAX = 32;
export const PATTERN_CHARS_MAX = 512;

/** What is wrong with a pattern, and how a person fixes it. */
export interface PatternProblem {
  /** Which one, from 0; absent where it is the list. */
  readonly index?: number;
  readonly message: string;
  readonly fix: string;
}

/** Checks a list of patterns; empty where all can be used. */
export function patternProblems(patterns: readonly string[]): readonly PatternProblem[] {
  const many = patterns.length > PATTERNS_MAX ? [tooMany(patterns.length)] : [];
  const each = patterns.flatMap((pattern, index) => {
    const problem = problemOf(pattern);
    return problem === undefined ? [] : [{ index, ...problem }];
  });
  return [...many, ...each];
}

/** One finder for all of them. Throws an `Error` for a list that `patternProblems` objects to. */
export function createPatternFinder(patterns: readonly string[]): Finder {
  const [problem] = patternProblems(patterns);
  if (problem !== undefined) throw new Error(`${problem.message}. ${problem.fix}`);
  const compiled = patterns.map((pattern) => RE2JS.compile(pattern));
  return (text) => compiled.flatMap((pattern) => matchesOf(pattern, text));
}

const KIND = "own pattern";

function matchesOf(pattern: RE2JS, text: string): readonly Finding[] {
  const found: Finding[] = [];
  const group = pattern.groupCount() > 0 ? 1 : 0;
  const matcher = pattern.matcher(text);
  while (matcher.find()) {
    const start = matcher.start(group);
    if (start >= 0) found.push({ start, end: matcher.end(group), kind: KIND });
  }
  return found;
}

type Wrong = Omit<PatternProblem, "index">;

function problemOf(pattern: string): Wrong | undefined {
  if (pattern.length > PATTERN_CHARS_MAX) {
    const message = `it is ${pattern.length} characters long, more than ${PATTERN_CHARS_MAX}`;
    return { message, fix: "Split it into several." };
  }
  try {
    return RE2JS.compile(pattern).matcher("").find() ? MATCHES_NOTHING : undefined;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { message: reasonOf(error), fix: fixOf(pattern) };
  }
}

const MATCHES_NOTHING: Wrong = {
  message: "it matches an empty text, so it would match everywhere",
  fix: "Make a part of it required: use `+` instead of `*`, or remove a `?`.",
};

function tooMany(count: number): PatternProblem {
  const message = `${count} patterns are given, more than ${PATTERNS_MAX}`;
  return { message, fix: "Join some with `|`." };
}

/** Without the name of the library before it. */
function reasonOf({ message }: Error): string {
  return message.replace(/^error parsing regexp: /, "");
}

/** Look-around and back-references are what people miss most: a linear engine cannot have them. */
function fixOf(pattern: string): string {
  if (/\(\?<?[=!]/.test(pattern))
    return "Patterns use RE2 syntax, which has no look-around: match the surrounding text too, and put the secret in a group.";
  if (/\\[1-9]/.test(pattern)) return "Patterns use RE2 syntax, which has no back-references: repeat the part.";
  return "Patterns use RE2 syntax; see https://github.com/google/re2/wiki/Syntax.";
}
