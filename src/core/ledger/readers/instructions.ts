/** Rules in a project's own instructions, such as AGENTS.md or CONTRIBUTING.md, that an agent read: what must always or never be done. */
import { STRONG_RULE } from "./constraints.ts";
import { sentencesOf } from "./sentences.ts";

const INSTRUCTION_FILE = /(?:^|[/\\])(?:CLAUDE(?:\.local)?|AGENTS|GEMINI)\.md$/;
/** Files that lay down how people work on a project. */
const RULES_FILE = /(?:^|[/\\])(?:CONTRIBUTING\.md|\.cursorrules|copilot-instructions\.md)$/;
const SENTENCE_CHARS_MIN = 15;
const SENTENCE_CHARS_MAX = 240;
const RULES_MAX = 10;
/** The number of a line in what a tool shows of a file. */
const GUTTER = /^\s*\d+(?:→|\t|[:|]\s?)/gm;

export function isInstructionFile(path: string): boolean {
  return INSTRUCTION_FILE.test(path);
}

export function holdsRules(path: string): boolean {
  return isInstructionFile(path) || RULES_FILE.test(path);
}

/** The rules in what a tool showed of such a file, verbatim and in order. */
export function rulesIn(shown: string): readonly string[] {
  return sentencesOf(shown.replace(GUTTER, ""))
    .filter(({ length }) => length >= SENTENCE_CHARS_MIN && length <= SENTENCE_CHARS_MAX)
    .filter((sentence) => STRONG_RULE.test(sentence))
    .slice(0, RULES_MAX);
}
