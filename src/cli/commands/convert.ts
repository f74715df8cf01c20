/** `precis convert`: a session of one agent becomes one of another, and the report says what could not be carried. */
import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { convertLog, type Converted } from "../../logs/convert.ts";
import { LOG_FORMATS, type LogFormat } from "../../logs/log.ts";
import { FORMATS } from "../../logs/formats.ts";
import { unfolded } from "../../logs/frames.ts";
import type { Destination } from "../../logs/format.ts";
import { destinationFor } from "../../logs/places.ts";
import { sessionFormat, storeFrames, storeSession, type SessionText } from "../../logs/stored.ts";
import { option, positional, toggle, type Arguments, type Command } from "../program/command.ts";
import { EXIT, usageError } from "../program/exit.ts";
import { isSameFile, writeOutput } from "../files/write.ts";
import { formatNamed, noSession, pathOfSession, readAgentSession } from "../files/input.ts";
import { FILE_BYTES_MAX } from "../files/read.ts";
import type { Terminal, Stream } from "../screen/terminal.ts";
import { visibleLine, wrapped } from "../screen/text.ts";
import { counted } from "../screen/amounts.ts";

/** A session holds what was said: for its owner alone. */
const SESSION_MODE = 0o600;

export const convertCommand: Command = {
  name: "convert",
  summary: "Turn a session of one agent into a session of another, and report what could not be carried.",
  about: [
    `Reads and writes sessions of ${LOG_FORMATS.join(", ")}. A file, a database of OpenCode or Hermes (the newest session, or --session), or a session file of an older OpenCode store can be given. The new session goes to standard output, to --out, or with --install to where the agent looks for it; then the command that goes on with it is printed.`,
    "Messages, calls with their results, images, times and recorded compactions are carried as far as the other format holds them. Calls get the other agent's tool names where its tools take the same arguments. System prompts are not carried, because every agent brings its own, and thinking is carried only to formats that keep it without its provider's signature. The report counts everything that was lost or changed. A session that is converted to its own format comes out byte for byte.",
  ],
  examples: {
    "precis convert session.jsonl --to codex --out rollout.jsonl": "write a file",
    "precis convert session.jsonl --to claude-code --install": "put it where Claude Code finds it",
    "precis convert ~/.local/share/opencode/opencode.db --session ses_4f2a --to pi --install": "from a database",
  },
  args: {
    file: positional("FILE|-", "A session; `-` is standard input."),
    from: option("FORMAT", `The input's format, instead of detecting it: ${LOG_FORMATS.join(", ")}.`),
    to: option("FORMAT", `The format to write: ${LOG_FORMATS.join(", ")}.`),
    session: option("ID", "The session of a database; the newest by default."),
    cwd: option("FOLDER", "The folder in which the work goes on; that of the session by default."),
    out: {
      ...option("FILE", "Write it to this file, or add it to this database of OpenCode or Hermes (a name in .db)."),
      alias: "o",
    },
    install: toggle("Put it where the agent looks for its sessions."),
    json: toggle("Print the report as JSON; the session goes to --out or --install."),
  },
  run: async (args, terminal) => {
    const to = formatToWrite(args.text("to"));
    const { text, format } = await readSource(args, terminal);
    const folder = args.text("cwd");
    const moved = folder === undefined ? {} : { cwd: resolve(terminal.folder, folder) };
    const converted = convertLog(text, format, { to, nowMs: Date.now(), ...moved });
    const place = placeFor(converted, args, terminal);
    await write(converted, place, terminal);
    if (args.is("json")) await terminal.out.put(`${JSON.stringify(makeReport(converted, place), null, 2)}\n`);
    else await terminal.err.say(conversionPage(converted, place, terminal.err));
    return EXIT.done;
  },
};

function formatToWrite(name: string | undefined): LogFormat {
  if (name === undefined) throw usageError("--to is missing", `Name a format: ${LOG_FORMATS.join(", ")}.`);
  return formatNamed(name, "--to", LOG_FORMATS)!;
}

async function readSource(args: Arguments, terminal: Terminal): Promise<SessionText & { readonly format: LogFormat }> {
  const from = formatNamed(args.text("from"), "--from", LOG_FORMATS);
  const session = args.text("session");
  const name = args.text("file")!;
  if (name !== "-") return readAgentSession(pathOfSession(name, terminal), { session, from });
  const { text, format } = await standardInput(terminal, from);
  if (format !== undefined) return { text, format };
  throw noSession(name, text);
}

async function standardInput({ readStandardInput }: Terminal, from: LogFormat | undefined): Promise<SessionText> {
  const text = new TextDecoder().decode(unfolded(await readStandardInput(), FILE_BYTES_MAX));
  return { text, format: from ?? sessionFormat(text, "") };
}

function placeFor(converted: Converted, args: Arguments, terminal: Terminal): Destination | undefined {
  const out = args.text("out");
  if (out !== undefined && args.is("install"))
    throw usageError("--out and --install exclude one another", "Leave one out.");
  if (out !== undefined) {
    const path = resolve(terminal.folder, out);
    if (isSameFile(path, resolve(terminal.folder, args.text("file")!)))
      throw usageError(`${out} is the input`, "Write to another file; a session is never overwritten.");
    const kind = path.endsWith(".db") ? "database" : path.endsWith(".zstd") ? "frames" : "file";
    return { kind, path, resume: [] };
  }
  if (args.is("install")) return installPlace(converted, terminal);
  if (args.is("json")) throw usageError("--json leaves no place for the session", "Name a file with --out.");
  return undefined;
}

function installPlace(converted: Converted, terminal: Terminal): Destination {
  const { to, id, cwd = terminal.folder, startMs, ownId } = converted;
  const place = destinationFor(to, { id, cwd, startMs, ownId }, terminal);
  if (place.kind !== "database" && existsSync(place.path))
    throw usageError(
      `${basename(place.path)} is there already`,
      `It was converted before: \`${place.resume.join(" ")}\`.`,
    );
  return place;
}

async function write(converted: Converted, place: Destination | undefined, terminal: Terminal): Promise<void> {
  if (place === undefined) return terminal.out.put(converted.text);
  if (place.kind === "database") return storeSession(place.path, converted.text, converted.to);
  if (place.kind === "frames") return storeFrames(place.path, converted.text);
  await writeOutput(terminal, place.path, converted.text, { mode: SESSION_MODE });
}

function makeReport(converted: Converted, place: Destination | undefined): object {
  const { from, to, id, cwd, messages, live, compactions, remarks, notes } = converted;
  const of = (kind: "lost" | "changed") =>
    remarks.filter((one) => one.kind === kind).map(({ code, count, text }) => ({ code, count, text }));
  return {
    from,
    to,
    id,
    ...(cwd !== undefined && { cwd }),
    messages,
    live,
    compactions,
    lost: of("lost"),
    changed: of("changed"),
    notes,
    ...(place !== undefined && { out: place.path }),
    ...(place !== undefined && place.resume.length > 0 && { resume: place.resume }),
  };
}

function conversionPage(converted: Converted, place: Destination | undefined, stream: Stream): string {
  const { from, to, messages, live, compactions, remarks, notes, cwd } = converted;
  const { paint, columns } = stream;
  const list = (title: string, items: readonly string[], look: "bad" | "warn" | "dim"): readonly string[] =>
    items.length === 0
      ? []
      : [
          paint(look, title),
          ...items.flatMap((item) =>
            wrapped(visibleLine(item), columns - 4).map((line, at) => `${at === 0 ? "  - " : "    "}${line}`),
          ),
        ];
  const of = (kind: "lost" | "changed"): readonly string[] =>
    remarks.filter((one) => one.kind === kind).map(({ text }) => text);
  const behind = live < messages ? `, ${live} of them live behind ${counted(compactions, "compaction")}` : "";
  return [
    `${paint("strong", `${FORMATS[from].title} → ${FORMATS[to].title}`)}  ${counted(messages, "message")}${behind}`,
    ...list("Lost", of("lost"), "bad"),
    ...list("Changed", of("changed"), "warn"),
    ...list(
      "Left out or repaired when it was read",
      notes.map(({ line, text }) => (line > 0 ? `line ${line}: ${text}` : text)),
      "dim",
    ),
    ...(place === undefined ? [] : [`Written to ${place.path}`]),
    ...(place === undefined || place.resume.length === 0
      ? []
      : [`Go on with: ${cwd === undefined ? "" : `cd ${quoted(cwd)} && `}${place.resume.join(" ")}`]),
    "",
  ].join("\n");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
