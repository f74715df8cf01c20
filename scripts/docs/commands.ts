/** docs/cli.md's generated part: every command from the definitions that read its arguments. A test keeps it current. */
import { definitions, withGenerated } from "./markdown.ts";
import { invocation, type Command, type CommandGroup } from "../../src/cli/program/command.ts";
import { EXIT_MEANINGS } from "../../src/cli/program/exit.ts";
import { describeCommand } from "../../src/cli/program/usage.ts";

/** A flag that so many commands have in the same words is described once. */
const SHARED_MIN = 2;

/** The page with commands and exit codes renewed. */
export function withCommands(page: string, all: readonly (Command | CommandGroup)[]): string {
  const codes = definitions(EXIT_MEANINGS.map(([code, meaning]) => [String(code), meaning]));
  return withGenerated(withToolCommands(page, all, "short"), "exit codes", codes);
}

/** The page of a tool beside precis, with its commands renewed. */
export function withToolCommands(page: string, all: readonly (Command | CommandGroup)[], form: Form = "whole"): string {
  const commands = all.flatMap((one) => ("commands" in one ? one.commands : [one]));
  const counts = Map.groupBy(
    commands.flatMap((command) => describeCommand(command).flags.map(([name, meaning]) => `${name}\n${meaning}`)),
    (row) => row,
  );
  const often = [...counts]
    .filter(([, times]) => times.length >= SHARED_MIN)
    .toSorted(([, one], [, other]) => one.length - other.length);
  // Of the meanings of one name the most frequent is the shared one, because it comes last.
  const shared = new Map(often.map(([row]) => row.split("\n") as [string, string]));
  const sections = commands.map((command) => section(command, shared, form));
  return withGenerated(page, "commands", [...sharedSection(shared), ...sections].join("\n\n"));
}

/** docs/cli.md has of each command what it does, its flags and an example; `--help` and the man page have all. */
type Form = "short" | "whole";

type SharedFlags = ReadonlyMap<string, string>;

function sharedSection(shared: SharedFlags): readonly string[] {
  if (shared.size === 0) return [];
  return [
    "### Flags of several commands",
    "A command names those that it takes too after “Also”.",
    listed([...shared]),
  ];
}

function section(command: Command, shared: SharedFlags, form: Form): string {
  const { usage, positionals, flags } = describeCommand(command);
  const own = flags.filter(([name, meaning]) => shared.get(name) !== meaning);
  const others = flags.filter((flag) => !own.includes(flag)).map(([name]) => `\`${longName(name)}\``);
  const rows = [...positionals, ...own];
  const examples =
    form === "short" ? [command.examples[0]!.line] : command.examples.flatMap(({ line, says }) => [`# ${says}`, line]);
  return [
    `### ${invocation(command)}`,
    ...(form === "short" && positionals.length === 0 ? [] : [`\`${usage}\``]),
    [command.summary, ...(form === "short" ? [] : command.about)].join("\n\n"),
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
