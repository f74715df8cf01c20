/** Help, out of the same definitions that read the arguments. */
import type { ArgDef } from "citty";
import { wrapped, columnWidths, padEnd, commandLines } from "../screen/text.ts";
import { invocation, type Command, type CommandGroup, type Program } from "./command.ts";
import type { TextStyle, Stream } from "../screen/terminal.ts";

export interface Help {
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

export function commandUsage(command: Command, stream: Stream): string {
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

export function overview(
  { name: program, slogan, about, exitMeanings }: Omit<Program, "commands">,
  version: string,
  groups: readonly (Command | CommandGroup)[],
  stream: Stream,
): string {
  const { paint, columns } = stream;
  const rows = groups
    .flatMap((one) => ("commands" in one ? one.commands : [one]))
    .map(({ name, summary }) => [name, summary] as const);
  const [left = 0] = columnWidths(rows);
  return [
    `${paint("strong", program)} ${version}: ${slogan}`,
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
