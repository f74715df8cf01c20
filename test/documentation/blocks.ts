/** The code blocks of the documentation, and the commands in those that a shell runs. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");

export interface Block {
  readonly page: string;
  readonly line: number;
  /** `sh` also for an indented block of commands. */
  readonly language: string;
  readonly text: string;
}

/** Everything that is written for people who use precis. */
export const PAGES: readonly string[] = [
  ...readdirSync(ROOT).filter((name) => name.endsWith(".md") && name !== "CHANGELOG.md"),
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
  "examples/README.md",
  "eval/README.md",
  "eval/replay.md",
  "provider/README.md",
].toSorted();

export const textOf = (page: string): string => readFileSync(join(ROOT, page), "utf8");

const FENCED = /^```(\w*)\n(.*?)^```$/gms;
const INDENTED = /(?<=\n\n)(?: {4}(?:\w+=\S+ )?(?:npm|npx|precis(?:-eval|-provider)?|node|git) .*\n)+/g;

export function blocksOf(page: string): readonly Block[] {
  const text = textOf(page);
  const at = (index: number): number => text.slice(0, index).split("\n").length;
  const fenced = [...text.matchAll(FENCED)].map((match): Block => ({
    page,
    line: at(match.index),
    language: match[1]!,
    text: match[2]!,
  }));
  const indented = [...text.matchAll(INDENTED)].map((match): Block => ({
    page,
    line: at(match.index),
    language: "sh",
    text: match[0].replace(/^ {4}/gm, ""),
  }));
  return [...fenced, ...indented].toSorted((one, other) => one.line - other.line);
}

/** The command lines of a block: those of a script, or what follows the prompts of a recorded console. */
export function commandLines({ language, text }: Block): readonly string[] {
  const lines = text.split("\n").map((line) => line.trim());
  if (language === "console") return lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
  if (language !== "sh") return [];
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

const TOKEN = /((?:'[^']*'|"(?:[^"\\]|\\.)*"|[^\s'"|&;<>()])+)|(\|\||&&|[|&;<>()])/g;

/** The simple commands of a line as words: split at pipes and lists, without redirections, variables and comments. */
export function commandsOf(line: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  let redirected = false;
  for (const [, word, operator] of line.matchAll(TOKEN)) {
    if (word?.startsWith("#")) break;
    if (operator === ">" || operator === "<") redirected = true;
    else if (operator !== undefined) commands.push([]);
    else if (redirected) redirected = false;
    else commands.at(-1)!.push(word!);
  }
  return commands.map(withoutVariables).filter((words) => words.length > 0);
}

function withoutVariables(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !/^\w+=/.test(word));
  return start < 0 ? [] : words.slice(start).map((word) => word.replace(/['"]/g, ""));
}
