/**
 * A program of the command line: finds the command, reads its arguments, runs it, and turns a failure into words and an
 * exit code. `precis` and the tools that are developed beside it share this.
 */
import { findNearest } from "../../config/problems.ts";
import { PrecisError } from "../../core/errors.ts";
import { readArguments, type Command, type CommandGroup, type Program } from "./command.ts";
import { EXIT, toExitCode, usageError, type ExitCode } from "./exit.ts";
import { describeFileFailure } from "../files/failures.ts";
import { explained, formatTrace, type Terminal } from "../screen/terminal.ts";
import { commandUsage, overview } from "./usage.ts";
import { readFileSync } from "node:fs";

const HELP = new Set(["-h", "--help"]);
const VERSION = new Set(["-v", "-V", "--version"]);

export async function runProgram(program: Program, words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  return reporting(program.name, words, terminal, () => dispatch(program, words, terminal));
}

export async function runAlone(command: Command, words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  return reporting(command.program ?? command.name, words, terminal, () =>
    VERSION.has(words[0] ?? "") ? said(terminal, `${version()}\n`) : runCommand(command, words, terminal),
  );
}

async function reporting(
  program: string,
  words: readonly string[],
  terminal: Terminal,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await work();
  } catch (thrown) {
    const error = describeFileFailure(thrown);
    const code = toExitCode(error);
    if (asksForJson(words)) await terminal.err.write(inJson(error, code));
    else await terminal.err.say(explained(error, terminal, program));
    return code;
  }
}

async function dispatch(program: Program, words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [first, ...rest] = words;
  if (first === undefined) {
    await terminal.err.say(overview(program, version(), await loadCommands(program), terminal.err));
    return EXIT.usage;
  }
  if (VERSION.has(first)) return said(terminal, `${version()}\n`);
  if (HELP.has(first)) return said(terminal, overview(program, version(), await loadCommands(program), terminal.out));
  if (first === "help") return dispatch(program, rest.length === 0 ? ["--help"] : [...rest, "--help"], terminal);
  const loader = Object.hasOwn(program.commands, first) ? program.commands[first] : undefined;
  if (loader === undefined) throw unknownCommand(program.name, first, Object.keys(program.commands));
  const found = await loader();
  return "commands" in found ? dispatchGroup(program, found, rest, terminal) : runCommand(found, rest, terminal);
}

export async function loadCommands({ commands }: Program): Promise<readonly (Command | CommandGroup)[]> {
  return Promise.all(Object.values(commands).map((load) => load()));
}

async function dispatchGroup(
  { name }: Program,
  group: CommandGroup,
  words: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const [word, ...rest] = words;
  const names = group.commands.map((command) => command.name);
  const flag = word?.startsWith("-") === true && !HELP.has(word);
  if (group.alone !== undefined && (word === undefined || flag)) return runCommand(group.alone, words, terminal);
  if (word === undefined)
    throw usageError(
      `\`${name} ${group.name}\` needs one of: ${names.map(lastWord).join(", ")}`,
      `Run \`${name} ${group.name} --help\`.`,
    );
  if (HELP.has(word))
    return said(terminal, group.commands.map((command) => commandUsage(command, terminal.out)).join("\n"));
  const command = group.commands.find((one) => lastWord(one.name) === word);
  if (command === undefined) throw unknownCommand(name, `${group.name} ${word}`, names);
  return runCommand(command, rest, terminal);
}

async function runCommand(command: Command, given: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const words = command.arrange?.(given) ?? given;
  const end = words.indexOf("--");
  if (words.slice(0, end < 0 ? undefined : end).some((word) => HELP.has(word)))
    return said(terminal, commandUsage(command, terminal.out));
  return command.run(readArguments(command, words), terminal);
}

async function said(terminal: Terminal, text: string): Promise<ExitCode> {
  await terminal.out.say(text);
  return EXIT.done;
}

function unknownCommand(program: string, name: string, known: readonly string[]): PrecisError {
  const meant = findNearest(name, known);
  return usageError(
    `there is no command \`${program} ${name}\``,
    meant === undefined
      ? `Run \`${program} --help\` for the list of commands.`
      : `Did you mean \`${program} ${meant}\`?`,
  );
}

function lastWord(name: string): string {
  return name.slice(name.lastIndexOf(" ") + 1);
}

/** Read from the words themselves: they may be what is wrong. */
function asksForJson(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return words.slice(0, end < 0 ? undefined : end).includes("--json");
}

/** The same failure for a script, on one line of standard error. */
function inJson(error: unknown, exitCode: ExitCode): string {
  const { code, message, place, hint, retryable } =
    error instanceof PrecisError
      ? error
      : { code: "fault", message: formatTrace(error), place: undefined, hint: "Please report it.", retryable: false };
  return `${JSON.stringify({ error: { code, message, place, hint, retryable, exitCode } })}\n`;
}

export function version(): string {
  const manifest = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
