/** Wires the command line: finds the command, reads its arguments, runs it, and turns a failure into words and an exit code. */
import { nearest } from "../config/problems.ts";
import { PrecisError } from "../core/errors.ts";
import { readArguments, type Command, type CommandGroup } from "./command.ts";
import { EXIT, exitCodeOf, usageError, type ExitCode } from "./exit.ts";
import { describeFileFailure } from "./file-failures.ts";
import { explained, processTerminal, traceOf, type Stream, type Terminal } from "./terminal.ts";
import { commandUsage, overview } from "./usage.ts";
import { version } from "./version.ts";

/** Loaded when named, so that a command starts without the weight of the others. */
const LOADERS: Readonly<Record<string, () => Promise<Command | CommandGroup>>> = {
  compact: async () => (await import("./commands/compact.ts")).compactCommand,
  convert: async () => (await import("./commands/convert.ts")).convertCommand,
  inspect: async () => (await import("./commands/inspect.ts")).inspectCommand,
  replay: async () => (await import("./commands/replay.ts")).replayCommand,
  report: async () => (await import("./commands/report.ts")).reportCommand,
  eval: async () => (await import("./commands/eval.ts")).evalCommand,
  exam: async () => (await import("./commands/exam.ts")).examCommand,
  check: async () => (await import("./commands/check.ts")).checkCommand,
  recall: async () => (await import("./commands/recall.ts")).recallCommand,
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
  search: async () => (await import("./commands/search.ts")).searchCommand,
  mcp: async () => (await import("./commands/mcp.ts")).mcpCommand,
  plugins: async () => (await import("./commands/plugins.ts")).pluginCommands,
  doctor: async () => (await import("./commands/doctor.ts")).doctorCommand,
  store: async () => (await import("./commands/store.ts")).storeCommands,
  provider: async () => (await import("./commands/provider.ts")).providerCommand,
  complete: async () => (await import("./commands/complete.ts")).completeCommand,
};

const HELP = new Set(["-h", "--help"]);
const VERSION = new Set(["-v", "-V", "--version"]);

/** Runs this process's command line. */
export async function start(): Promise<void> {
  if (process.argv[2] === "serve") (await import("./lean-memory.ts")).beginAgainLean();
  process.exitCode = await run(process.argv.slice(2), processTerminal());
}

/** Runs one command line; never throws. */
export async function run(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    return await dispatch(words, terminal);
  } catch (thrown) {
    const error = describeFileFailure(thrown);
    const code = exitCodeOf(error);
    if (asksForJson(words)) await terminal.err.write(inJson(error, code));
    else await terminal.err.say(explained(error, terminal));
    return code;
  }
}

async function dispatch(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [first, ...rest] = words;
  if (first === undefined) {
    await terminal.err.say(await firstPage(terminal.err));
    return EXIT.usage;
  }
  if (VERSION.has(first)) return said(terminal, `${version()}\n`);
  if (HELP.has(first)) return said(terminal, await firstPage(terminal.out));
  if (first === "help") return dispatch(rest.length === 0 ? ["--help"] : [...rest, "--help"], terminal);
  if (first === "complete" && rest[0] === "--") return complete(rest.slice(1), terminal);
  const loader = Object.hasOwn(LOADERS, first) ? LOADERS[first] : undefined;
  if (loader === undefined) throw unknownCommand(first, Object.keys(LOADERS));
  const found = await loader();
  if (first === "run") {
    const { withClientApart } = await import("./commands/run.ts");
    return runCommand(found as Command, withClientApart(rest), terminal);
  }
  if (!("commands" in found)) return runCommand(found, rest, terminal);
  return dispatchGroup(found, rest, terminal);
}

/** What a shell asks at every Tab. */
async function complete(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { completionsOf } = await import("./completions.ts");
  await terminal.out.write(completionsOf(await allCommands(), words));
  return EXIT.done;
}

async function dispatchGroup(group: CommandGroup, words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [word, ...rest] = words;
  const names = group.commands.map(({ name }) => name);
  const flag = word?.startsWith("-") === true && !HELP.has(word);
  if (group.alone !== undefined && (word === undefined || flag)) return runCommand(group.alone, words, terminal);
  if (word === undefined)
    throw usageError(
      `\`precis ${group.name}\` needs one of: ${names.map(lastWord).join(", ")}`,
      `Run \`precis ${group.name} --help\`.`,
    );
  if (HELP.has(word))
    return said(terminal, group.commands.map((command) => commandUsage(command, terminal.out)).join("\n"));
  const command = group.commands.find(({ name }) => lastWord(name) === word);
  if (command === undefined) throw unknownCommand(`${group.name} ${word}`, names);
  return runCommand(command, rest, terminal);
}

async function runCommand(command: Command, words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const end = words.indexOf("--");
  if (words.slice(0, end < 0 ? undefined : end).some((word) => HELP.has(word)))
    return said(terminal, commandUsage(command, terminal.out));
  return command.run(readArguments(command, words), terminal);
}

async function said(terminal: Terminal, text: string): Promise<ExitCode> {
  await terminal.out.say(text);
  return EXIT.done;
}

async function firstPage(stream: Stream): Promise<string> {
  return overview(version(), await allCommands(), stream);
}

/** Every command there is, for the first page and the reference. */
export async function allCommands(): Promise<readonly (Command | CommandGroup)[]> {
  return Promise.all(Object.values(LOADERS).map((load) => load()));
}

function unknownCommand(name: string, known: readonly string[]): PrecisError {
  const meant = nearest(name, known);
  return usageError(
    `there is no command \`precis ${name}\``,
    meant === undefined ? "Run `precis --help` for the list of commands." : `Did you mean \`precis ${meant}\`?`,
  );
}

function lastWord(name: string): string {
  return name.slice(name.lastIndexOf(" ") + 1);
}

/** Read from the words themselves: they may be what is wrong. */
function asksForJson(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return words.slice(0, end < 0 ? undefined : end).includes("--json");
}

/** The same failure for a script, on one line of standard error. */
function inJson(error: unknown, exitCode: ExitCode): string {
  const { code, message, place, hint, retryable } =
    error instanceof PrecisError
      ? error
      : { code: "fault", message: traceOf(error), place: undefined, hint: "Please report it.", retryable: false };
  return `${JSON.stringify({ error: { code, message, place, hint, retryable, exitCode } })}\n`;
}
