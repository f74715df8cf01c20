/**
 * A program of the command line: finds the command, reads its arguments, runs it, and turns a failure into words and an
 * exit code. `precis` and the tools that are developed beside it share this.
 */
import { findNearest } from "../../config/problems.ts";
import { PrecisError } from "../../core/errors.ts";
import { readArguments, type Command, type CommandGroup, type Program, invocation } from "./command.ts";
import { EXIT, toExitCode, usageError, type ExitCode } from "./exit.ts";
import { describeFileFailure } from "../files/failures.ts";
import { explained, formatTrace, type Terminal, type TextStyle, type Stream } from "../screen/terminal.ts";
import { readFileSync } from "node:fs";
import type { ArgDef } from "citty";
import { wrapped, columnWidths, padEnd, commandLines } from "../screen/text.ts";

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
    await terminal.err.say(overview(program, await loadCommands(program), terminal.err));
    return EXIT.usage;
  }
  if (VERSION.has(first)) return said(terminal, `${version()}\n`);
  if (HELP.has(first)) return said(terminal, overview(program, await loadCommands(program), terminal.out));
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

// Help, out of the same definitions that read the arguments.

interface Help {
  readonly usage: string;
  readonly positionals: readonly (readonly [name: string, meaning: string])[];
  readonly flags: readonly (readonly [name: string, meaning: string])[];
}

export function describeCommand(command: Command): Help {
  const { args } = command;
  const entries = Object.entries(args);
  const positionals = entries.filter(([, { type }]) => type === "positional");
  const flags = entries.filter(([, { type }]) => type !== "positional");
  const words = positionals.map(([key, definition]) =>
    definition.required === false ? `[${shownName(key, definition)}]` : shownName(key, definition),
  );
  return {
    usage: [invocation(command), ...words, ...(flags.length > 0 ? ["[flags]"] : [])].join(" "),
    positionals: positionals.map(([key, definition]) => [shownName(key, definition), describeMeaning(definition)]),
    flags: flags.map(([key, definition]) => [flagForm(key, definition), describeMeaning(definition)]),
  };
}

function shownName(key: string, { valueHint }: ArgDef): string {
  return valueHint ?? key.toUpperCase();
}

function flagForm(key: string, definition: ArgDef): string {
  const alias = "alias" in definition && typeof definition.alias === "string" ? `-${definition.alias}, ` : "";
  const value = definition.type === "boolean" ? "" : ` ${definition.valueHint ?? "VALUE"}`;
  return `${alias}--${key}${value}`;
}

function describeMeaning({ description = "" }: ArgDef): string {
  return description;
}

function commandUsage(command: Command, stream: Stream): string {
  const { paint, columns } = stream;
  const { usage, positionals, flags } = describeCommand(command);
  const examples = Object.entries(command.examples);
  const all: readonly (readonly [string, string])[] = [...flags, ["-h, --help", "Show this help."]];
  const [left = 0] = columnWidths([...positionals, ...all]);
  const list = (rows: readonly (readonly [string, string])[]): readonly string[] =>
    rows.flatMap(([name, meaning]) => hanging({ name, left, meaning, look: "accent" }, stream));
  return [
    ...wrapped(usage, columns).map((line) => paint("strong", line)),
    "",
    ...wrapped(command.summary, columns),
    ...command.about.flatMap((paragraph) => ["", ...wrapped(paragraph, columns)]),
    ...(positionals.length > 0 ? ["", paint("strong", "Arguments"), ...list(positionals)] : []),
    "",
    paint("strong", "Flags"),
    ...list(all),
    ...(examples.length > 0 ? ["", paint("strong", "Examples")] : []),
    ...examples.flatMap(([line, says]) => [
      ...wrapped(says, columns - 4).map((one) => `  ${paint("dim", `# ${one}`)}`),
      ...commandLines(line, "  ", columns),
    ]),
    "",
  ].join("\n");
}

function overview(
  { name: program, slogan, about, exitMeanings }: Omit<Program, "commands">,
  groups: readonly (Command | CommandGroup)[],
  stream: Stream,
): string {
  const { paint, columns } = stream;
  const rows = groups
    .flatMap((one) => ("commands" in one ? one.commands : [one]))
    .map(({ name, summary }) => [name, summary] as const);
  const [left = 0] = columnWidths(rows);
  return [
    `${paint("strong", program)} ${version()}: ${slogan}`,
    "",
    ...wrapped(about, columns),
    "",
    `${paint("strong", "Usage")}  ${program} COMMAND [arguments] [flags]`,
    "",
    paint("strong", "Commands"),
    ...rows.flatMap(([name, summary]) => hanging({ name, left, meaning: summary, look: "accent" }, stream)),
    "",
    paint("strong", "Exit codes"),
    ...exitMeanings.flatMap(([code, meaning]) => hanging({ name: String(code).padStart(2), left: 2, meaning }, stream)),
    "",
    ...wrapped(`Run ${program} COMMAND --help for details. NO_COLOR switches colours off.`, columns).map((line) =>
      paint("dim", line),
    ),
    "",
  ].join("\n");
}

interface UsageLine {
  readonly name: string;
  readonly left: number;
  readonly meaning: string;
  readonly look?: TextStyle;
}

/** With less room beside the names, a meaning is below its name. */
const MEANING_COLUMNS_MIN = 24;
const BELOW_INDENT = 6;

function hanging({ name, left, meaning, look }: UsageLine, { paint, columns }: Stream): readonly string[] {
  const named = (text: string): string => (look === undefined ? text : paint(look, text));
  const beside = columns - left - 4;
  if (beside < MEANING_COLUMNS_MIN)
    return [
      `  ${named(name)}`,
      ...wrapped(meaning, columns - BELOW_INDENT).map((line) => " ".repeat(BELOW_INDENT) + line),
    ];
  const [first = "", ...rest] = wrapped(meaning, beside);
  return [`  ${named(padEnd(name, left))}  ${first}`, ...rest.map((line) => `${" ".repeat(left + 4)}${line}`)];
}
