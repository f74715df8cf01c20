/** The command line `precis-eval`: what is developed beside precis to measure it. */
import type { Program } from "../../src/cli/program/command.ts";
import { runProgram } from "../../src/cli/program/program.ts";
import { EXIT, type ExitCode } from "../../src/cli/program/exit.ts";
import type { Terminal } from "../../src/cli/screen/terminal.ts";

export const EVAL: Program = {
  name: "precis-eval",
  slogan: "what a compaction keeps, and what it costs",
  about:
    "Measures compactions of recorded sessions: by what the agent needed next, by what readers and agents can do with the result, and by the bill.",
  exitMeanings: [
    [EXIT.done, "done"],
    [EXIT.failed, "`measure` found no session to score; `exam` graded none, or ended early"],
    [EXIT.usage, "the command line or the configuration is wrong, or an output file cannot be written"],
    [EXIT.unreadable, "the input cannot be read as a transcript"],
    [EXIT.fault, "a bug in precis itself"],
  ],
  commands: {
    measure: async () => (await import("./commands/measure.ts")).measureCommand,
    exam: async () => (await import("./commands/exam.ts")).examCommand,
    bench: async () => (await import("./commands/bench.ts")).benchCommand,
    replay: async () => (await import("./commands/replay.ts")).replayCommand,
  },
};

/** Runs one command line; never throws. */
export async function run(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  return runProgram(EVAL, words, terminal);
}
