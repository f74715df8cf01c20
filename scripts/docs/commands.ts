/** docs/cli.md's generated part: every command from the definitions that read its arguments. A test keeps it current. */
import { markdownTable, withGenerated } from "./markdown.ts";
import { invocation, type Command, type CommandGroup } from "../../src/cli/program/command.ts";
import { EXIT_MEANINGS } from "../../src/cli/program/exit.ts";
import { describeCommand } from "../../src/cli/program/usage.ts";

/** A flag that so many commands have in the same words is described once. */
const SHARED_MIN = 4;

/** The page with commands and exit codes renewed. */
export function withCommands(page: string, all: readonly (Command | CommandGroup)[]): string {
  const codes = markdownTable([
    ["code", "meaning"],
    ...EXIT_MEANINGS.map(([code, meaning]) => [String(code), meaning]),
  ]);
  return withGenerated(withToolCommands(page, all), "exit codes", codes);
}

/** The page of a tool beside precis, with its commands renewed. */
export function withToolCommands(page: string, all: readonly (Command | CommandGroup)[]): string {
  const commands = all.flatMap((one) => ("commands" in one ? one.commands : [one]));
  const counts = Map.groupBy(
    commands.flatMap((command) => describeCommand(command).flags.map(([name, meaning]) => `${name}\n${meaning}`)),
    (row) => row,
  );
  const shared = new Map(
    [...counts].filter(([, times]) => times.length >= SHARED_MIN).map(([row]) => row.split("\n") as [string, string]),
  );
  const sections = commands.map((command) => section(command, shared));
  return withGenerated(page, "commands", [...sharedSection(shared), ...sections].join("\n\n"));
}

type SharedFlags = ReadonlyMap<string, string>;

function sharedSection(shared: SharedFlags): readonly string[] {
  if (shared.size === 0) return [];
  const rows = [...shared].map(([name, meaning]) => [`\`${name}\``, meaning]);
  return ["### Flags of several commands", markdownTable([["flag", "meaning"], ...rows])];
}

function section(command: Command, shared: SharedFlags): string {
  const { usage, positionals, flags } = describeCommand(command);
  const own = flags.filter(([name, meaning]) => shared.get(name) !== meaning);
  const others = flags.filter((flag) => !own.includes(flag)).map(([name]) => `\`${name.split(" ")[0]!}\``);
  const rows = [...positionals, ...own].map(([name, meaning]) => [`\`${name}\``, meaning]);
  const examples = command.examples.flatMap(({ line, says }) => [`# ${says}`, line]);
  return [
    `### ${invocation(command)}`,
    `\`${usage}\``,
    [command.summary, ...command.about].join("\n\n"),
    ...(rows.length === 0 ? [] : [markdownTable([["argument", "meaning"], ...rows])]),
    ...(others.length === 0 ? [] : [`[Shared flags](#flags-of-several-commands): ${others.join(", ")}.`]),
    ["```sh", ...examples, "```"].join("\n"),
  ].join("\n\n");
}
