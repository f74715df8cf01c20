/** `precis sessions import`: the sessions that agents keep on this machine, listed, and taken into the store. */
import { resolve } from "node:path";
import { PrecisError } from "../../core/errors.ts";
import { findSessions, type Found, type FoundSession } from "../../logs/find.ts";
import { LOG_FORMATS, type LogFormat } from "../../logs/log.ts";
import { readLog } from "../../logs/read.ts";
import { sessionText } from "../../logs/stored.ts";
import { age, count, counted, parseWhole } from "../screen/amounts.ts";
import { clip, columnWidths, padEnd, visibleLine } from "../screen/text.ts";
import { option, optional, positional, toggle, type Arguments, type Command, writeJson } from "../program/command.ts";
import { EXIT, usageError, type ExitCode } from "../program/exit.ts";
import { HISTORY_ARGS, withHistory, type OpenedHistory, keepSession } from "../store/history.ts";
import { formatNamed } from "../files/input.ts";
import type { Stream, Terminal } from "../screen/terminal.ts";

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 10_000;
/** A larger file is not imported: name it in `precis compact` instead. */
const IMPORT_BYTES_MAX = 200_000_000;
const PATH_COLUMNS_MAX = 60;

const AGENT_ARGS = {
  agent: option("FORMAT", `Only sessions of this agent; can be repeated: ${LOG_FORMATS.join(", ")}.`),
  cwd: option("FOLDER", "Only sessions in which the agent worked in this folder."),
  limit: option("N", `Maximum number of sessions; ${LIMIT_DEFAULT} by default.`),
  json: toggle("Print JSON."),
} as const;

const PLACES =
  "--list searches ~/.claude/projects, ~/.codex/sessions, ~/.pi/agent/sessions, ~/.local/share/opencode, ~/.gemini/tmp, ~/.hermes and ~/.dsh/sessions. CLAUDE_CONFIG_DIR, CODEX_HOME, PI_CODING_AGENT_DIR, XDG_DATA_HOME, HERMES_HOME and DSH_HOME name other places, as they do for the agents.";

export const importCommand: Command = {
  name: "sessions import",
  summary:
    "List the sessions that agents keep on this machine, or take them into the store, to search and recall them.",
  about: [
    `Reads named files, or without names what --list with the same flags lists, and keeps all messages of each, those behind recorded compactions too. A session that was imported before is continued where it had ended. Secrets are masked as the configuration says.`,
    PLACES,
    `Files of more than ${count(IMPORT_BYTES_MAX / 1_000_000)} MB are skipped, which is reported.`,
  ],
  examples: {
    "precis sessions import --list --agent codex --cwd .": "only list those of one agent, in this folder",
    "precis sessions import --agent claude-code --limit 200": "the newest 200 of one agent",
    "precis sessions import session.jsonl --store history.db": "one file, into a store of its own",
  },
  args: {
    files: optional(positional("FILE", "Session files; those that are found by default.")),
    list: toggle("Only list what is found, the newest first; nothing is changed."),
    ...AGENT_ARGS,
    ...HISTORY_ARGS,
  },
  many: "files",
  run: (args, terminal) => {
    if (args.is("list")) return listFound(args, terminal);
    const { sessions, problems } = chosenFor(args, terminal);
    return withHistory(args, terminal, { readOnly: false, creates: true }, async (opened) => {
      const outcomes: Outcome[] = [];
      for (const one of sessions) outcomes.push(await imported(one, opened));
      if (args.is("json")) await terminal.out.put(`${JSON.stringify(outcomes, null, 2)}\n`);
      else await terminal.err.say(importPage(outcomes, opened, problems));
      return outcomes.some(({ session }) => session !== undefined) ? EXIT.done : EXIT.failed;
    });
  },
};

async function listFound(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const found = foundFor(args, terminal);
  if (args.is("json")) await writeJson(terminal, found);
  else {
    await terminal.out.say(foundPage(found.sessions, Date.now(), terminal.out));
    await terminal.err.say(remarks(found));
  }
  return found.sessions.length === 0 ? EXIT.failed : EXIT.done;
}

function foundFor(args: Arguments, terminal: Terminal): Found {
  const formats = args.all("agent").flatMap((name) => formatNamed(name, "--agent", LOG_FORMATS) ?? []);
  const cwd = args.text("cwd");
  return findSessions({
    environment: terminal.environment,
    folder: terminal.folder,
    limit: parseWhole(args.text("limit") ?? String(LIMIT_DEFAULT), "--limit", LIMIT_MAX),
    ...(formats.length > 0 && { formats }),
    ...(cwd !== undefined && { cwd: resolve(terminal.folder, cwd) }),
  });
}

type Chosen = Pick<FoundSession, "path" | "id" | "inDatabase" | "bytes">;

function chosenFor(
  args: Arguments,
  terminal: Terminal,
): { readonly sessions: readonly Chosen[]; readonly problems: readonly string[] } {
  const files = args.all("files");
  if (files.length === 0) return foundFor(args, terminal);
  if (args.all("agent").length > 0 || args.text("cwd") !== undefined)
    throw usageError("files exclude --agent and --cwd", "Name files, or say which sessions to find.");
  return { sessions: files.map((name) => ({ path: resolve(terminal.folder, name), inDatabase: false })), problems: [] };
}

interface Outcome {
  readonly path: string;
  readonly session?: string;
  readonly format?: LogFormat;
  readonly messages?: number;
  readonly added?: number;
  readonly skipped?: string;
}

async function imported(
  { path, id, inDatabase, bytes = 0 }: Chosen,
  { kept, tenant }: OpenedHistory,
): Promise<Outcome> {
  if (bytes > IMPORT_BYTES_MAX) return { path, skipped: `it is larger than ${count(IMPORT_BYTES_MAX)} bytes` };
  try {
    const { text, format } = sessionText(path, inDatabase && id !== undefined ? { session: id } : {});
    if (format === undefined) return { path, skipped: "it is not a session of a known agent" };
    const stored = await keepSession(readLog(text, format, { history: "all" }), { kept, tenant, path });
    if (stored === undefined) return { path, format, skipped: "nothing was said in it" };
    const { session, messages, added } = stored;
    return { path, session, format, messages: messages.length, added };
  } catch (error) {
    if (!(error instanceof PrecisError) || error.code !== "unreadable_input") throw error;
    return { path, skipped: error.message };
  }
}

function foundPage(sessions: readonly FoundSession[], now: number, { paint, columns }: Stream): string {
  const rows = sessions.map(({ format, modifiedMs, path, id, inDatabase }) => [
    format,
    age(now - modifiedMs),
    clip(inDatabase ? `${path} --session ${id ?? ""}` : path, Math.max(PATH_COLUMNS_MAX, columns)),
  ]);
  const widths = columnWidths(rows);
  const lines = sessions.flatMap(({ begins, cwd }, at) => {
    const [agent = "", old = "", path = ""] = rows[at]!;
    const about = [cwd, begins].filter((piece) => piece !== undefined).join(": ");
    return [
      `${paint("accent", padEnd(agent, widths[0]!))}  ${padEnd(old, widths[1]!)}  ${path}`,
      ...(about === "" ? [] : [paint("dim", `  ${clip(visibleLine(about), columns - 2)}`)]),
    ];
  });
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function remarks({ sessions, total, problems }: Found): string {
  const more =
    total > sessions.length ? [`${count(sessions.length)} of ${counted(total, "session")}; --limit N shows more.`] : [];
  const none = total === 0 ? ["No sessions found; `precis sessions import --help` names the places."] : [];
  return [...none, ...more, ...problems].map((line) => `${line}\n`).join("");
}

function importPage(outcomes: readonly Outcome[], { store }: OpenedHistory, problems: readonly string[]): string {
  const lines = outcomes.map(({ path, session, messages = 0, added = 0, skipped }) =>
    session === undefined
      ? `skipped ${path}: ${skipped ?? ""}`
      : `${session}  ${counted(messages, "message")}, ${count(added)} new`,
  );
  const kept = outcomes.filter(({ session }) => session !== undefined).length;
  return [...lines, ...problems, `${counted(kept, "session")} in ${store}`, ""].join("\n");
}
