/** docs/cli.md's generated part: every command from the definitions that read its arguments. A test keeps it current. */
import { definitions, withGenerated } from "./markdown.ts";
import { invocation, type Command, type CommandGroup } from "../../src/cli/program/command.ts";
import { EXIT_MEANINGS } from "../../src/cli/program/exit.ts";
import { describeCommand } from "../../src/cli/program/usage.ts";

/** A flag that so many commands have in the same words is described once. */
const SHARED_MIN = 2;
/** docs/cli.md has the first example and paragraph of a command; `--help` and the man page have all. */
const SHOWN = 1;

/** The page with commands and exit codes renewed. */
export function withCommands(page: string, all: readonly (Command | CommandGroup)[]): string {
  const codes = definitions(EXIT_MEANINGS.map(([code, meaning]) => [String(code), meaning]));
  return withGenerated(withToolCommands(page, all, SHOWN), "exit codes", codes);
}

/** The page of a tool beside precis, with its commands renewed. */
export function withToolCommands(
  page: string,
  all: readonly (Command | CommandGroup)[],
  shown: number = Infinity,
): string {
  const commands = all.flatMap((one) => ("commands" in one ? one.commands : [one]));
  const counts = Map.groupBy(
    commands.flatMap((command) => describeCommand(command).flags.map(([name, meaning]) => `${name}\n${meaning}`)),
    (row) => row,
  );
  const shared = new Map(
    [...counts].filter(([, times]) => times.length >= SHARED_MIN).map(([row]) => row.split("\n") as [string, string]),
  );
  const sections = commands.map((command) => section(command, shared, shown));
  return withGenerated(page, "commands", [...sharedSection(shared), ...sections].join("\n\n"));
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

function section(command: Command, shared: SharedFlags, shown: number): string {
  const { usage, positionals, flags } = describeCommand(command);
  const own = flags.filter(([name, meaning]) => shared.get(name) !== meaning);
  const others = flags.filter((flag) => !own.includes(flag)).map(([name]) => `\`${longName(name)}\``);
  const rows = [...positionals, ...own];
  const examples = command.examples.slice(0, shown).flatMap(({ line, says }) => [`# ${says}`, line]);
  return [
    `### ${invocation(command)}`,
    `\`${usage}\``,
    [command.summary, ...command.about.slice(0, shown)].join("\n\n"),
    ...(rows.length === 0 ? [] : [listed(rows)]),
    ...(others.length === 0 ? [] : [`Also ${others.join(", ")}.`]),
    ["```sh", ...examples, "```"].join("\n"),
  ].join("\n\n");
}

function listed(rows: readonly (readonly [name: string, meaning: string])[]): string {
  return definitions(rows.map(([name, meaning]) => [`\`${name}\``, meaning]));
}

/** Without its short form and its value. */
function longName(flag: string): string {
  return flag.split(/,? /).find((word) => word.startsWith("--"))!;
}
