/** `precis complete`: completions for the shells that people use. */
import { nearest } from "../../config/problems.ts";
import type { Command } from "../command.ts";
import { COMPLETION_SCRIPTS } from "../completions.ts";
import { EXIT, usageError } from "../exit.ts";

const SHELLS = Object.keys(COMPLETION_SCRIPTS);

export const completeCommand: Command = {
  name: "complete",
  summary: "Print completions of commands and flags for bash, zsh or fish.",
  about: [
    "The shell loads the script that this prints. At every Tab the script asks `precis`, so that completions always match the installed version.",
  ],
  examples: [
    { line: "precis complete bash >> ~/.bashrc", says: "bash, for every new shell" },
    { line: "precis complete zsh >> ~/.zshrc", says: "zsh, below the line with compinit" },
    { line: "precis complete fish > precis.fish", says: "fish; move the file to ~/.config/fish/completions" },
  ],
  args: {
    shell: { type: "positional", required: true, valueHint: "SHELL", description: `One of ${SHELLS.join(", ")}.` },
  },
  run: async (args, terminal) => {
    const shell = args.text("shell") ?? "";
    if (!isKnown(shell)) throw unknownShell(shell);
    await terminal.out.write(COMPLETION_SCRIPTS[shell]);
    return EXIT.done;
  },
};

function isKnown(shell: string): shell is keyof typeof COMPLETION_SCRIPTS {
  return Object.hasOwn(COMPLETION_SCRIPTS, shell);
}

function unknownShell(named: string): Error {
  const meant = nearest(named, SHELLS);
  return usageError(
    `there are no completions for the shell "${named}"`,
    meant === undefined ? `Choose one of ${SHELLS.join(", ")}.` : `Did you mean \`precis complete ${meant}\`?`,
  );
}
