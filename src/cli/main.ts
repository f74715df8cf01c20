/** The command line `precis`: its commands, and the start of its process. */
import { EXIT_MEANINGS, type ExitCode } from "./program/exit.ts";
import { loadCommands, runProgram } from "./program/program.ts";
import type { Command, CommandGroup, Program } from "./program/command.ts";
import { processTerminal, type Terminal } from "./screen/terminal.ts";

/** Loaded when named, so that a command starts without the weight of the others. */
const COMMANDS: Program["commands"] = {
  compact: async () => (await import("./commands/compact.ts")).compactCommand,
  handoff: async () => (await import("./commands/handoff.ts")).handoffCommand,
  convert: async () => (await import("./commands/convert.ts")).convertCommand,
  inspect: async () => (await import("./commands/inspect.ts")).inspectCommand,
  report: async () => (await import("./commands/report.ts")).reportCommand,
  check: async () => (await import("./commands/check.ts")).checkCommand,
  recall: async () => (await import("./commands/recall.ts")).recallCommand,
  trust: async () => (await import("./commands/trust.ts")).trustCommand,
  config: async () => (await import("./commands/config.ts")).configCommands,
  serve: async () => (await import("./commands/serve.ts")).serveCommand,
  worker: async () => (await import("./commands/worker.ts")).workerCommand,
  run: async () => (await import("./commands/run.ts")).runCommand,
  setup: async () => (await import("./commands/setup.ts")).setupCommand,
  sessions: async () => (await import("./commands/sessions.ts")).sessionCommands,
  token: async () => (await import("./commands/token.ts")).tokenCommand,
  hook: async () => (await import("./commands/hook.ts")).hookCommand,
  statusline: async () => (await import("./commands/statusline.ts")).statuslineCommand,
  undo: async () => (await import("./commands/undo.ts")).undoCommand,
  mcp: async () => (await import("./commands/mcp.ts")).mcpCommand,
  plugins: async () => (await import("./commands/plugins.ts")).pluginsCommand,
  doctor: async () => (await import("./commands/doctor.ts")).doctorCommand,
  store: async () => (await import("./commands/store.ts")).storeCommands,
};

const PRECIS: Program = {
  name: "precis",
  slogan: "forget with precision",
  about:
    "Rewrites an over-long agent transcript into a smaller one that is still valid for its provider, still carries the live task, and loses nothing for good. Works without a key, a network or a service.",
  exitMeanings: EXIT_MEANINGS,
  commands: COMMANDS,
};

export async function start(): Promise<void> {
  if (process.argv[2] === "serve") (await import("./gateway/lean-memory.ts")).beginAgainLean();
  process.exitCode = await run(process.argv.slice(2), processTerminal());
}

/** Runs one command line; never throws. */
export async function run(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  return runProgram(PRECIS, words, terminal);
}

export async function allCommands(): Promise<readonly (Command | CommandGroup)[]> {
  return loadCommands(PRECIS);
}
