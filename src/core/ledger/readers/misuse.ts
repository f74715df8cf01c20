/** A call whose own form was wrong, a mistyped option: the program answers with how it wants to be called. */
import { segmentsOf } from "./commands.ts";

export interface Misuse {
  /** The words that call the program: any other call that begins so and works shows that nothing is blocked. */
  readonly called: string;
  /** The line that says what was wrong, or else how the program wants to be called. */
  readonly error: string;
  /** Whether it says what was wrong. */
  readonly complains: boolean;
}

/** How far from either end of a result a usage is looked for. */
const EDGE_CHARS = 4_000;
const USAGE =
  /^(?:error: )?usage:[ \t]*(?:\r?\n[ \t]*)?(\S[^\n]*)|^usage of ([^\n:]+):|(?:^|[.:] )(?:try|see|for more information, try):? ['"`]([^'"`\n]+?) --help\b/im;
const COMPLAINT =
  /\b(?:unknown|unrecogni[sz]ed|invalid|illegal|bad|unexpected|missing|requires?d?|no such|not (?:a|an|defined|recogni[sz]ed|supported)|too (?:many|few)|must|ambiguous|incorrect)\b/i;
/** Below the usage, where the words of a complaint may be words of the help. */
const COMPLAINT_BELOW = /^(?:[\w./-]+: )?(?:error|fatal): (?!usage)[^\n]*/im;
const LINES_ABOVE = 4;
/** A program stands among the first words of its step: `sudo python3 tool.py`. */
const PROGRAM_WITHIN_WORDS = 8;
const CALLED_WORDS_MIN = 2;
const PLAIN_WORD = /^[a-z][\w:.-]*$/;

/** `firstError` is the first line that reports any: where it comes before the usage, something else failed as well. */
export function misuseIn(command: string, text: string, firstError: string | undefined): Misuse | undefined {
  for (const start of [0, text.length - EDGE_CHARS]) {
    if (start < 0) break;
    const edge = text.slice(start, start + EDGE_CHARS);
    const usage = /sage|--help/i.test(edge) ? USAGE.exec(edge) : null;
    if (usage === null) continue;
    const called = callOf(command, usage[1] ?? usage[2] ?? usage[3]!);
    if (called === undefined) continue;
    const complaint = complaintAbove(edge, usage.index) ?? COMPLAINT_BELOW.exec(edge.slice(usage.index))?.[0];
    const opens = complaint === undefined ? usage.index : Math.min(usage.index, edge.indexOf(complaint));
    if (firstError !== undefined && edge.slice(0, opens).includes(firstError)) return undefined;
    if (complaint === undefined) return { called, error: usage[0], complains: false };
    return { called: withoutMistyped(called, complaint), error: complaint, complains: true };
  }
  return undefined;
}

/** Above the usage, or in front of it where that does not begin its line. */
function complaintAbove(text: string, usage: number): string | undefined {
  const end = usage === 0 || text[usage - 1] === "\n" ? usage : text.indexOf("\n", usage);
  const lines = (end < 0 ? text : text.slice(0, end)).split("\n").filter((line) => line.trim() !== "");
  return lines.slice(-LINES_ABOVE).findLast((line) => /^\S/.test(line) && COMPLAINT.test(line));
}

/** `git comit`: where the complaint quotes a word of the call, nobody will call that again. */
function withoutMistyped(called: string, complaint: string): string {
  const [program, ...words] = called.split(" ");
  const mistyped = words.findIndex((word) => new RegExp(`['"\`‘]${word}\\b`).test(complaint));
  return [program, ...(mistyped < 0 ? words : words.slice(0, mistyped))].join(" ");
}

/** Whether a step of the command is another call of that kind. */
export function isCallOf(command: string, called: string): boolean {
  const words = called.split(" ");
  return stepsOf(command).some((step) => {
    if (step.includes("--help")) return false;
    const at = programAt(step, words[0]!);
    return at >= 0 && words.every((word, index) => index === 0 || step[at + index] === word);
  });
}

/** The words of the command that call what the usage is of; `undefined` where that was called by something else. */
function callOf(command: string, usage: string): string | undefined {
  const named = usage.trim().split(/\s+/, PROGRAM_WITHIN_WORDS);
  const program = baseOf(named[0]!);
  for (const step of stepsOf(command)) {
    const at = programAt(step, program);
    if (at < 0) continue;
    const words = [program];
    for (const word of step.slice(at + 1)) {
      const shared = named[words.length] === word;
      if (!PLAIN_WORD.test(word) || /\.\./.test(word) || (words.length >= CALLED_WORDS_MIN && !shared)) break;
      words.push(word);
    }
    return words.join(" ");
  }
  return undefined;
}

function stepsOf(command: string): readonly (readonly string[])[] {
  return segmentsOf(command).flatMap((segment) => segment.split("|").map((step) => step.trim().split(/\s+/)));
}

function programAt(step: readonly string[], program: string): number {
  return step.slice(0, PROGRAM_WITHIN_WORDS).findIndex((word) => baseOf(word) === program);
}

function baseOf(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}
