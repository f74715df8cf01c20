/** From a file or standard input to a transcript: bytes, format, decoding. Whatever fails here is exit code 3. */
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { ArgsDef } from "citty";
import { findNearest } from "../../config/problems.ts";
import { PrecisError } from "../../core/errors.ts";
import type { Transcript } from "../../core/transcript/message.ts";
import { detectFormat, wireText } from "../../logs/detect.ts";
import {
  LOG_FORMATS,
  WIRE_FORMATS,
  type InputFormat,
  type LogFormat,
  type LogNote,
  type ReadOptions,
} from "../../logs/log.ts";
import { readLog } from "../../logs/read.ts";
import { unknownFormat } from "../../logs/document.ts";
import { unfolded } from "../../logs/frames.ts";
import { sessionText, type SessionText } from "../../logs/stored.ts";
import { protocols } from "../../protocols/index.ts";
import { type Decoded } from "../../protocols/protocol.ts";
import { type ProtocolName } from "../../core/protocols.ts";
import { isSystemError } from "../../platform/system-errors.ts";
import { option, positional, type Arguments } from "../program/command.ts";
import { usageError } from "../program/exit.ts";
import { unreadable as failedReading } from "./failures.ts";
import { largeFile, FILE_BYTES_MAX, readBytes, tooLarge } from "./read.ts";
import { giveMemoryBack, keepHeapSmall } from "../gateway/lean-memory.ts";
import type { Terminal } from "../screen/terminal.ts";

const NAME_HINT = "Name a file, or `-` for standard input.";

const FORMATS: readonly InputFormat[] = [...WIRE_FORMATS, ...LOG_FORMATS];

export const INPUT_ARGS = {
  file: positional(
    "FILE|-",
    "A session file, a request body or its messages, as JSON or JSON lines; `-` is standard input.",
  ),
  from: option("FORMAT", `The input's format, instead of detecting it: ${FORMATS.join(", ")}.`),
} as const satisfies ArgsDef;

export interface Input {
  readonly name: string;
  readonly format: InputFormat;
  /** The input's own protocol, or the one its agent speaks. */
  readonly protocol: ProtocolName;
  readonly transcript: Transcript;
  /** Set for a body or its messages: what an unchanged message's bytes are taken from. */
  readonly decoded?: Decoded;
  readonly notes: readonly LogNote[];
  readonly chars: number;
  /** When each message was recorded, in milliseconds since the epoch, as far as a session file says. */
  readonly timesMs?: readonly (number | undefined)[];
}

/** Of a session file, the history that its agent would send now; `all` goes back behind what the agent compacted. */
export async function readInput(args: Arguments, terminal: Terminal, options: ReadOptions = {}): Promise<Input> {
  return readFileInput(args.text("file")!, terminal, {
    from: formatNamed(args.text("from"), "--from", FORMATS),
    ...options,
  });
}

export async function readFileInput(
  file: string,
  terminal: Terminal,
  { from, history = "live" }: ReadOptions & { readonly from?: InputFormat | undefined },
): Promise<Input> {
  const name = shownName(file);
  try {
    const large = readLarge(file, terminal, { name, from, history });
    if (large !== undefined) return large;
    const { text, notes } = readTextIn(await readInputBytes(file, terminal));
    const input = read(text, { name, from, history });
    return { ...input, notes: [...notes, ...input.notes] };
  } catch (error) {
    throw readingFailure(name, error);
  }
}

/** One sentence, whoever failed: the file, what is wrong with it, and the place in it. */
function readingFailure(name: string, error: unknown): unknown {
  if (isSystemError(error)) return failedReading(name, error, NAME_HINT);
  if (!(error instanceof PrecisError)) return error;
  const said = `cannot read ${name}: `;
  const message = error.message.startsWith(said) ? error.message.slice(said.length) : error.message;
  const text = message.charAt(0).toLowerCase() + message.slice(1);
  const place = error.place === undefined || error.place === name ? name : `${name}: ${error.place}`;
  return unreadable(`${said}${text.replace(/\.$/, "")}`, { hint: error.hint, place, cause: error });
}

export function inputBytes(args: Arguments, { folder }: Terminal): number {
  try {
    return statSync(resolve(folder, args.text("file")!)).size;
  } catch {
    return 0; // Reading it will say why.
  }
}

export function formatNamed<Name extends string>(
  given: string | undefined,
  flag: string,
  known: readonly Name[],
): Name | undefined {
  if (given === undefined) return undefined;
  const found = known.find((name) => name === given);
  if (found !== undefined) return found;
  const meant = findNearest(given, known);
  const hint = meant === undefined ? `Use one of: ${known.join(", ")}.` : `Did you mean \`${meant}\`?`;
  throw usageError(`${flag} is "${given}", which is not a format`, hint);
}

interface InputOptions extends ReadOptions {
  readonly name: string;
  readonly from: InputFormat | undefined;
}

function read(text: string, { name, from, ...options }: InputOptions): Input {
  const format = from ?? detectFormat(text, name);
  if (format === undefined) throw unknownFormat(text, FORMATS);
  if (isLogFormat(format)) {
    const { transcript, speaks, notes, timesMs } = readLog(text, format, options);
    return { name, format, protocol: speaks, transcript, notes, timesMs, chars: text.length };
  }
  const { json, notes } = wireText(text);
  const body = protocols[format].decode(json);
  return { name, format, protocol: format, transcript: body.transcript, decoded: body, notes, chars: text.length };
}

/** A large session file is read line by line: its text would be in memory beside all that is read from it. */
function readLarge(file: string, { folder }: Terminal, { name, from, ...options }: InputOptions): Input | undefined {
  const lines = file === "-" ? undefined : largeFile(resolve(folder, file));
  if (lines === undefined) return undefined;
  const format = from ?? detectFormat(lines.sample, name);
  if (format === undefined || !isLogFormat(format)) return undefined;
  keepHeapSmall();
  const { transcript, speaks, notes, timesMs } = readLog(lines.all(), format, options);
  giveMemoryBack();
  const damaged = lines.isDamaged() ? [damage("utf-8")] : [];
  return { name, format, protocol: speaks, transcript, notes: [...damaged, ...notes], timesMs, chars: lines.bytes };
}

function isLogFormat(format: InputFormat): format is LogFormat {
  return (LOG_FORMATS as readonly string[]).includes(format);
}

async function readInputBytes(file: string, terminal: Terminal): Promise<Uint8Array> {
  if (file !== "-") return unfolded(await readBytes(file, terminal, { hint: NAME_HINT }), FILE_BYTES_MAX);
  const bytes = await terminal.readStandardInput();
  if (bytes.length > FILE_BYTES_MAX) throw tooLarge(shownName(file));
  return unfolded(bytes, FILE_BYTES_MAX);
}

function shownName(file: string): string {
  return file === "-" ? "standard input" : file;
}

interface Text {
  readonly text: string;
  readonly notes: readonly LogNote[];
}

/** UTF-8, or UTF-16 as Windows shells redirect it. */
function readTextIn(bytes: Uint8Array): Text {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8";
  const { text, notes } = decoded(bytes, encoding);
  if (text.trim() === "") throw unknownFormat(text, FORMATS);
  return { text, notes };
}

function decoded(bytes: Uint8Array, encoding: string): Text {
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), notes: [] };
  } catch {
    return { text: new TextDecoder(encoding).decode(bytes), notes: [damage(encoding)] };
  }
}

function damage(encoding: string): LogNote {
  return {
    code: "corrupt_line",
    line: 0,
    text: `bytes that are not ${encoding} were replaced by replacement characters`,
  };
}

interface Why {
  readonly hint: string;
  readonly place?: string;
  readonly cause?: unknown;
}

function unreadable(message: string, why: Why): PrecisError {
  return new PrecisError(message, { code: "unreadable_input", ...why });
}

/** A session as an agent keeps it: a file, or one session of a database. Throws `unreadable_input`. */
export function readAgentSession(
  path: string,
  { session, from }: { readonly session?: string | undefined; readonly from?: LogFormat | undefined },
): SessionText & { readonly format: LogFormat } {
  const { text, format } = sessionText(path, {
    ...(session !== undefined && { session }),
    ...(from !== undefined && { from }),
  });
  if (format !== undefined) return { text, format };
  throw noSession(path, text);
}

export function noSession(name: string, text: string): unknown {
  if (text.trim() === "") return readingFailure(name, unknownFormat(text, LOG_FORMATS));
  return unreadable(`cannot read ${name}: it is not a session of a known agent`, {
    hint: `Name its format with --from: ${LOG_FORMATS.join(", ")}.`,
  });
}

/** The path of a file that has to be there. Throws `unreadable_input`. */
export function pathOfSession(name: string, { folder }: Pick<Terminal, "folder">): string {
  const path = resolve(folder, name);
  if (existsSync(path)) return path;
  throw unreadable(`cannot read ${name}: there is no such file`, {
    hint: "`precis sessions import --list` lists the sessions of each agent.",
  });
}
