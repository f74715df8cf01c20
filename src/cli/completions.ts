/** Completions for shells. A script that the shell loads once asks precis at every Tab what can follow the words so far. */
import type { ArgsDef } from "citty";
import type { Command, CommandGroup } from "./command.ts";

/** Where nothing that we know follows, each shell offers file names. */
export const COMPLETION_SCRIPTS = {
  bash: `_precis() {
  local value _
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do COMPREPLY+=("$value"); done < <(
    precis complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null
  )
}
complete -o default -F _precis precis
`,
  zsh: `#compdef precis
_precis() {
  local -a answers
  local value description
  while IFS=$'\\t' read -r value description; do answers+=("\${value}:\${description}"); done < <(
    precis complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null
  )
  if (( \${#answers} )); then _describe precis answers; else _files; fi
}
compdef _precis precis
`,
  fish: `function __precis_complete
  set -l words (commandline -opc) (commandline -ct)
  precis complete -- $words[2..-1] 2>/dev/null
end
complete -c precis -a '(__precis_complete)'
`,
} as const;

/**
 * What can follow, a line each with its description after a tab. The last of the words is the one that is being typed; it
 * may be empty.
 */
export function completionsOf(commands: readonly (Command | CommandGroup)[], words: readonly string[]): string {
  const typed = words.at(-1) ?? "";
  return candidatesAfter(commands, words.slice(0, -1), typed)
    .filter(([value]) => value.startsWith(typed))
    .map(([value, description]) => `${value}\t${description}\n`)
    .join("");
}

type Candidate = readonly [value: string, description: string];

function candidatesAfter(
  commands: readonly (Command | CommandGroup)[],
  [first, ...rest]: readonly string[],
  typed: string,
): readonly Candidate[] {
  if (first === undefined) return commands.map(({ name, summary }) => [name, summary]);
  const found = commands.find(({ name }) => name === first);
  if (found === undefined) return [];
  if (!("commands" in found)) return flagsAfter(found.args, rest, typed);
  const [word] = rest;
  if (word === undefined && !typed.startsWith("-"))
    return found.commands.map(({ name, summary }) => [lastWord(name), summary]);
  const command = found.commands.find(({ name }) => lastWord(name) === word) ?? found.alone;
  return command === undefined ? [] : flagsAfter(command.args, rest, typed);
}

/** The flags where one is being typed, and not the value of the flag before it. */
function flagsAfter(args: ArgsDef, words: readonly string[], typed: string): readonly Candidate[] {
  const flags = Object.entries(args).filter(([, { type }]) => type !== "positional");
  const before = flags.find(([name]) => `--${name}` === words.at(-1))?.[1];
  const isValue = before !== undefined && before.type !== "boolean";
  if (isValue || !typed.startsWith("-")) return [];
  return [...flags.map(([name, { description = "" }]): Candidate => [`--${name}`, description]), HELP_FLAG];
}

const HELP_FLAG: Candidate = ["--help", "Show this help."];

function lastWord(name: string): string {
  return name.slice(name.lastIndexOf(" ") + 1);
}
