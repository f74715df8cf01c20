/** docs/cli.md's generated part: every command from the definitions that read its arguments. A test keeps it current. */
import { markdownTable, withGenerated } from "./markdown.ts";
import { invocation, type Command, type CommandGroup } from "../../src/cli/program/command.ts";
import { EXIT_MEANINGS } from "../../src/cli/program/exit.ts";
import { helpOf } from "../../src/cli/program/usage.ts";

/** The page with commands and exit codes renewed. */
export function withCommands(page: string, all: readonly (Command | CommandGroup)[]): string {
  const commands = all.flatMap((one) => ("commands" in one ? one.commands : [one]));
  const codes = markdownTable([
    ["code", "meaning"],
    ...EXIT_MEANINGS.map(([code, meaning]) => [String(code), meaning]),
  ]);
  return withGenerated(withGenerated(page, "commands", commands.map(section).join("\n\n")), "exit codes", codes);
}

/** The page of a tool beside precis, with its commands renewed. */
export function withToolCommands(page: string, all: readonly (Command | CommandGroup)[]): string {
  const commands = all.flatMap((one) => ("commands" in one ? one.commands : [one]));
  return withGenerated(page, "commands", commands.map(section).join("\n\n"));
}

function section(command: Command): string {
  const { usage, positionals, flags } = helpOf(command);
  const rows = [...positionals, ...flags].map(([name, meaning]) => [`\`${name}\``, meaning]);
  const examples = command.examples.flatMap(({ line, says }) => [`# ${says}`, line]);
  return [
    `### ${invocation(command)}`,
    `\`${usage}\``,
    [command.summary, ...command.about].join("\n\n"),
    ...(rows.length === 0 ? [] : [markdownTable([["argument", "meaning"], ...rows])]),
    ["```sh", ...examples, "```"].join("\n"),
  ].join("\n\n");
}
