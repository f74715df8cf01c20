/** docs/cli.md's generated part: every command from the definitions that read its arguments. A test keeps it current. */
import { definitions, withGenerated } from "./markdown.ts";
import { invocation, type Command, type CommandGroup } from "../../src/cli/program/command.ts";
import { EXIT_MEANINGS } from "../../src/cli/program/exit.ts";
import { describeCommand } from "../../src/cli/program/program.ts";

/** A flag that so many commands have in the same words is described once. */
const SHARED_MIN = 2;

/** The page with commands and exit codes renewed: of each command what it does, and an example. */
export function withCommands(page: string, all: readonly (Command | CommandGroup)[]): string {
  const codes = definitions(EXIT_MEANINGS.map(([code, meaning]) => [String(code), meaning]));
  const sections = commandsOf(all).map(shortSection);
  return withGenerated(withGenerated(page, "commands", sections.join("\n\n")), "exit codes", codes);
}

/** The page of a tool beside precis, with all that its commands say of themselves. */
export function withToolCommands(page: string, all: readonly (Command | CommandGroup)[]): string {
  const commands = commandsOf(all);
  const counts = Map.groupBy(
    commands.flatMap((command) => describeCommand(command).flags.map(([name, meaning]) => `${name}\n${meaning}`)),
    (row) => row,
  );
  const often = [...counts]
    .filter(([, times]) => times.length >= SHARED_MIN)
    .toSorted(([, one], [, other]) => one.length - other.length);
  // Of the meanings of one name the most frequent is the shared one, because it comes last.
  const shared = new Map(often.map(([row]) => row.split("\n") as [string, string]));
  const sections = commands.map((command) => section(command, shared));
  return withGenerated(page, "commands", [...sharedSection(shared), ...sections].join("\n\n"));
}

function commandsOf(all: readonly (Command | CommandGroup)[]): readonly Command[] {
  return all.flatMap((one) => ("commands" in one ? one.commands : [one]));
}

function shortSection(command: Command): string {
  const example = ["```sh", Object.keys(command.examples)[0]!, "```"].join("\n");
  return [`### ${invocation(command)}`, command.summary, example].join("\n\n");
}

type SharedFlags = ReadonlyMap<string, string>;

function sharedSection(shared: SharedFlags): readonly string[] {
  if (shared.size === 0) return [];
  return [
    "### Flags of several commands",
    "A command names those that it takes too after “Also”.",
    listed([...shared]),
  ];
}

function section(command: Command, shared: SharedFlags): string {
  const { usage, positionals, flags } = describeCommand(command);
  const own = flags.filter(([name, meaning]) => shared.get(name) !== meaning);
  const others = flags.filter((flag) => !own.includes(flag)).map(([name]) => `\`${longName(name)}\``);
  const rows = [...positionals, ...own];
  return [
    `### ${invocation(command)}`,
    `\`${usage}\``,
    [command.summary, ...command.about].join("\n\n"),
    ...(rows.length === 0 ? [] : [listed(rows)]),
    ...(others.length === 0 ? [] : [`Also ${others.join(", ")}.`]),
    ["```sh", ...Object.entries(command.examples).flatMap(([line, says]) => [`# ${says}`, line]), "```"].join("\n"),
  ].join("\n\n");
}

function listed(rows: readonly (readonly [name: string, meaning: string])[]): string {
  return definitions(rows.map(([name, meaning]) => [`\`${name}\``, meaning]));
}

/** Without its short form and its value. */
function longName(flag: string): string {
  return flag.split(/,? /).find((word) => word.startsWith("--"))!;
}
