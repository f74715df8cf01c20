/** `precis handoff`: the context for a new session towards a goal, from a session of any agent. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { findSessions } from "../../logs/find.ts";
import { LOG_FORMATS, type ReadLog } from "../../logs/log.ts";
import { readLog } from "../../logs/read.ts";
import { loadConfiguration } from "../../config/load.ts";
import { createMeasure } from "../../core/transcript/measure.ts";
import { writeNewSession } from "../../session/handoff-text.ts";
import { parseBudget, count } from "../screen/amounts.ts";
import { option, optional, positional, type Arguments, type Command } from "../program/command.ts";
import { EXIT, usageError } from "../program/exit.ts";
import { writeOutput } from "../files/write.ts";
import { HISTORY_ARGS, withHistory, keepSession } from "../store/history.ts";
import { formatNamed, pathOfSession, readAgentSession } from "../files/input.ts";
import { configurationRequest, windowFor } from "../settings/flags.ts";
import type { Terminal } from "../screen/terminal.ts";

const FILE_MODE = 0o600;

export const handoffCommand: Command = {
  name: "handoff",
  summary: "Write the context for a new session towards a goal, from a session of any agent.",
  about: [
    "Begin a new session of any agent with what this prints: it has what the goal needs from the old one, with the goal as the request. The old session stays as it is. It goes into the store, so that the new one can recall the originals (docs/mcp.md).",
    "Without FILE, it is the newest session that an agent has kept for the current folder; `precis sessions import --list` lists them all.",
  ],
  examples: {
    'precis handoff "write the migration guide"': "from the newest session in this folder",
    'codex "$(precis handoff "fix the flaky test" session.jsonl --budget 6k)"':
      "go on in another agent, with 6,000 tokens",
  },
  args: {
    goal: positional("GOAL", "What is to be done in the new session."),
    file: optional(positional("FILE", "The session's file or database.")),
    session: option("ID", "Which session of a database; the newest by default."),
    from: option("FORMAT", `The file's format, instead of detecting it: ${LOG_FORMATS.join(", ")}.`),
    budget: option(
      "N|P%",
      "Size of the text, in tokens or as a share of the session; by default 12,000 tokens, or a quarter of a smaller window.",
    ),
    out: { ...option("FILE", "Write it here instead of standard output."), alias: "o" },
    ...HISTORY_ARGS,
  },
  run: async (args, terminal) => {
    const goal = args.text("goal")!.trim();
    if (goal === "") throw usageError("the goal is empty", "Say what is to be done next.");
    const { log, path } = readSession(args, terminal);
    const configuration = await loadConfiguration(configurationRequest(args, terminal));
    const { model = "" } = log.transcript;
    const contextLength = windowFor(args, configuration, log.transcript.model).tokens;
    return withHistory(args, terminal, { readOnly: false, compacts: true, creates: true }, async (opened) => {
      const stored = await keepSession(log, { ...opened, path });
      const messages = stored?.messages ?? [];
      const before = createMeasure().messages(messages);
      const given = args.text("budget");
      const budget = given === undefined ? {} : { budget: parseBudget(given, before) };
      const text = await writeNewSession(opened.runtimeOptions({ model, contextLength }), {
        goal,
        messages,
        ...budget,
      });
      const out = args.text("out");
      if (out === undefined) await terminal.out.put(`${text}\n`);
      else await writeOutput(terminal, resolve(terminal.folder, out), `${text}\n`, { mode: FILE_MODE });
      const after = createMeasure().text(text);
      await terminal.err.say(`${path}: ${count(before)} → ${count(after)} tokens; originals are in ${opened.store}\n`);
      return EXIT.done;
    });
  },
};

function readSession(args: Arguments, terminal: Terminal): { readonly log: ReadLog; readonly path: string } {
  const from = formatNamed(args.text("from"), "--from", LOG_FORMATS);
  const { path, id } = sessionPlace(args, terminal);
  const { text, format } = readAgentSession(path, { session: args.text("session") ?? id, from });
  return { log: readLog(text, format, { history: "all" }), path };
}

function sessionPlace(
  args: Arguments,
  terminal: Terminal,
): { readonly path: string; readonly id?: string | undefined } {
  const { folder, environment } = terminal;
  const name = args.text("file");
  if (name === undefined) {
    const [newest] = findSessions({ environment, folder, limit: 1, cwd: folder }).sessions;
    if (newest !== undefined) return { path: newest.path, id: newest.inDatabase ? newest.id : undefined };
    if (existsSync(resolve(folder, args.text("goal")!)))
      throw usageError("a file is named, and no goal", 'Say what is to be done first: precis handoff "…" FILE.');
    throw usageError("no agent has kept a session for this folder", "Name a session file, or go to its folder.");
  }
  return { path: pathOfSession(name, terminal) };
}
