/** `man precis`: the same commands as docs/cli.md, in the language of man pages (man-pages(7), groff_man(7)). */
import { invocation, type Command, type CommandGroup } from "../../src/cli/program/command.ts";
import { EXIT_MEANINGS } from "../../src/cli/program/exit.ts";
import { describeCommand } from "../../src/cli/program/program.ts";

const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ["PRECIS_CONFIG", "The configuration file, instead of the project's."],
  ["PGPASSWORD", "The password of a store in PostgreSQL."],
  ["NO_COLOR", "Print no colours."],
  ["XDG_CONFIG_HOME, XDG_DATA_HOME", "Where your configuration and the gateway's store are."],
];
const FILES: readonly (readonly [name: string, meaning: string])[] = [
  ["precis.yaml", "The settings of a project, in its folder."],
  ["~/.config/precis/config.yaml", "Your own settings."],
  ["~/.local/share/precis/history.db", "What the gateway stores."],
];

export function manPage(version: string, all: readonly (Command | CommandGroup)[]): string {
  const commands = all.flatMap((one) => ("commands" in one ? one.commands : [one]));
  return [
    `.TH PRECIS 1 "" ${quoted(`precis ${version}`)} ${quoted("User Commands")}`,
    ".SH NAME",
    "precis \\- keeps LLM agents working past their context window",
    ".SH SYNOPSIS",
    ".B precis",
    ".I COMMAND",
    "[\\fIARGUMENTS\\fR]",
    ".SH DESCRIPTION",
    paragraph(
      "precis compacts the transcripts of LLM agents: smaller, still valid for the provider, with the live task, and with nothing lost for good. It does so in a gateway between an agent and its provider, on files, and as a library.",
    ),
    ".SH COMMANDS",
    ...commands.map(section),
    ".SH EXIT STATUS",
    ...EXIT_MEANINGS.map(([code, meaning]) => item(bold(String(code)), meaning)),
    ".SH ENVIRONMENT",
    ...ENVIRONMENT.map(([name, meaning]) => item(bold(name), meaning)),
    ".SH FILES",
    ...FILES.map(([name, meaning]) => item(italic(name), meaning)),
    ".SH SEE ALSO",
    "The documentation in the package's folder",
    ".IR docs .",
    "",
  ].join("\n");
}

function section(command: Command): string {
  const { usage, positionals, flags } = describeCommand(command);
  const rows = [...positionals, ...flags].map(([name, meaning]) => item(bold(name), meaning));
  const examples = Object.entries(command.examples).flatMap(([line, says]) => [item(escaped(`${says}:`), ""), ".nf", escaped(line), ".fi"]); // prettier-ignore
  return [
    `.SS ${invocation(command)}`,
    bold(usage),
    ".PP",
    [command.summary, ...command.about].map(paragraph).join("\n.PP\n"),
    ...rows,
    ".PP",
    "Examples:",
    ...examples,
  ].join("\n");
}

function item(name: string, meaning: string): string {
  return meaning === "" ? `.TP\n${name}` : `.TP\n${name}\n${paragraph(meaning)}`;
}

/** Code is bold, as options are in man pages. */
function paragraph(text: string): string {
  return text
    .split("`")
    .map((part, at) => (at % 2 === 0 ? escaped(part) : bold(part)))
    .join("");
}

function bold(text: string): string {
  return `\\fB${escaped(text)}\\fR`;
}

function italic(text: string): string {
  return `\\fI${escaped(text)}\\fR`;
}

function quoted(text: string): string {
  return `"${escaped(text)}"`;
}

/** A hyphen that can be copied, a backslash, and no line that begins like a request. */
function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^([.'])/gm, "\\&$1");
}
