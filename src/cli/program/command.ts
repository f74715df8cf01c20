/** What a command is, and how its arguments are read: strictly, because a mistyped flag must not pass for nothing. */
import { parseArgs, type ArgDef, type ArgsDef, type ParsedArgs } from "citty";
import { findNearest } from "../../config/problems.ts";
import { usageError, type ExitCode } from "./exit.ts";
import type { Terminal } from "../screen/terminal.ts";

export interface Command {
  readonly program?: string;
  /** Its words after the program's; none where the program is one command. */
  readonly name: string;
  readonly summary: string;
  readonly about: readonly string[];
  /** Lines to copy, each with what it does. */
  readonly examples: Readonly<Record<string, string>>;
  readonly args: ArgsDef;
  /** The positional that may be given several times: `all` has every one. */
  readonly many?: string;
  /** Changes the words before they are read. */
  readonly arrange?: (words: readonly string[]) => readonly string[];
  readonly run: (args: Arguments, terminal: Terminal) => Promise<ExitCode>;
}

export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly Command[];
  /** What the word alone runs, where it runs anything. */
  readonly alone?: Command;
}

export interface Program {
  readonly name: string;
  readonly slogan: string;
  readonly about: string;
  readonly exitMeanings: readonly (readonly [code: ExitCode, meaning: string])[];
  /** By its first word. Each is loaded when it is named, so that a command starts without the weight of the others. */
  readonly commands: Readonly<Record<string, () => Promise<Command | CommandGroup>>>;
}

/** The words that run a command, without its arguments. */
export function invocation({ program = "precis", name }: Pick<Command, "program" | "name">): string {
  return name === "" ? program : `${program} ${name}`;
}

export interface Arguments {
  /** The last value given. */
  readonly text: (name: string) => string | undefined;
  readonly is: (name: string) => boolean;
  readonly all: (name: string) => readonly string[];
}

/** Throws a usage error for an unknown flag, a flag without its value, or an argument too many. */
export function readArguments(command: Command, raw: readonly string[]): Arguments {
  const repeated = checkFlags(command, raw);
  let values: ParsedArgs;
  try {
    values = parseArgs([...raw], command.args);
  } catch (error) {
    throw usageError(readMessage(error), `Run \`${invocation(command)} --help\`.`);
  }
  const positionals = Object.values(command.args).filter(({ type }) => type === "positional").length;
  const extra = values._[positionals];
  if (extra !== undefined && command.many === undefined)
    throw usageError(
      `unexpected argument "${extra}"`,
      `Quote arguments that hold spaces; see \`${invocation(command)} --help\`.`,
    );
  return {
    text: (name) => values[name] as string | undefined,
    is: (name) => values[name] === true,
    all: (name) => (name === command.many ? values._ : (repeated.get(name) ?? [])),
  };
}

function readMessage(error: unknown): string {
  const { message } = error as Error;
  return message.charAt(0).toLowerCase() + message.slice(1);
}

/** Walks the raw words as the parser will: a flag that takes a value swallows the next word. */
function checkFlags(command: Command, raw: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const repeated = new Map<string, string[]>();
  for (let at = 0; at < raw.length && raw[at] !== "--"; at++) {
    const word = raw[at]!;
    if (!word.startsWith("-") || word === "-") continue;
    const [flag = "", inline] = splitOnce(word, "=");
    const [name, definition] = flagNamed(command, flag);
    if (definition.type === "boolean") continue;
    const value = inline ?? raw[++at];
    if (value === undefined || value === "")
      throw usageError(`${flag} needs a value`, `Run \`${invocation(command)} --help\`.`);
    repeated.set(name, [...(repeated.get(name) ?? []), value]);
  }
  return repeated;
}

function flagNamed(command: Command, flag: string): readonly [string, ArgDef] {
  const flags = Object.entries(command.args).filter(([, { type }]) => type !== "positional");
  const found = flags.find(([name, definition]) => flag === `--${name}` || listAliases(definition).includes(flag));
  if (found !== undefined) return found;
  const meant = findNearest(
    flag,
    flags.map(([name]) => `--${name}`),
  );
  const hint =
    meant === undefined ? `Run \`${invocation(command)} --help\` for the list of flags.` : `Did you mean \`${meant}\`?`;
  throw usageError(`\`${invocation(command)}\` has no flag ${flag}`, hint);
}

function listAliases(definition: ArgDef): readonly string[] {
  const alias = "alias" in definition ? definition.alias : undefined;
  return (typeof alias === "string" ? [alias] : (alias ?? [])).map((letter) => `-${letter}`);
}

function splitOnce(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

export function option(valueHint: string, description: string) {
  return { type: "string", valueHint, description } as const;
}

export function toggle(description: string) {
  return { type: "boolean", description } as const;
}

export function positional(valueHint: string, description: string) {
  return { type: "positional", valueHint, description } as const;
}

export function optional<Positional extends ReturnType<typeof positional>>(argument: Positional) {
  return { ...argument, required: false } as const;
}

export const JSON_ARG = { json: toggle("Print JSON.") };

export function writeJson({ out }: Pick<Terminal, "out">, data: unknown): Promise<void> {
  return out.put(`${JSON.stringify(data, null, 2)}\n`);
}
