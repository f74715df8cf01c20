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

/** The rules in what a tool showed of such a file, verbatim, and the commands that it gives under a heading of their own. */
export function rulesIn(shown: string): readonly string[] {
  const text = shown.replace(REMINDER, "").replace(GUTTER, "");
  const rules = sentencesOf(text)
    .filter(({ length }) => length >= SENTENCE_CHARS_MIN && length <= SENTENCE_CHARS_MAX)
    .filter((sentence) => STRONG_RULE.test(sentence))
    .slice(0, RULES_MAX);
  return [...rules, ...commandsIn(text)];
}

/** What a harness adds to the text of a file is not in it. */
const REMINDER = /<system-reminder>[\s\S]*?<\/system-reminder>/g;
const HEADED_COMMAND =
  /^#{1,6} +([^\n]{3,60})\n+```(?:sh|bash|shell|console|zsh)?\n(?:#[^\n]*\n)?\$? ?([^\n#][^\n]{2,100})\n(?:```)/gm;
const COMMANDS_MAX = 8;

/** "Running Tests: `npm test`". */
function commandsIn(text: string): readonly string[] {
  return Array.from(
    text.matchAll(HEADED_COMMAND),
    ([, heading, command]) => `${heading!.trim()}: \`${command!.trim()}\``,
  ).slice(0, COMMANDS_MAX);
}
