/**
 * The outside of a command: streams, colours and the environment, handed in so that a command can be run anywhere.
 * Data goes to `out`, everything said to a person to `err`; a reader that hangs up ends the command quietly.
 */
import { PrecisError } from "../../core/errors.ts";
import { styleText } from "node:util";
import type { Environment } from "../../config/environment.ts";
import { EXIT } from "../program/exit.ts";
import { fitted, marked, painted, shown } from "./text.ts";
import { unwritable } from "../files/failures.ts";

export type TextStyle = "strong" | "dim" | "good" | "warn" | "bad" | "accent";

export interface Stream {
  /** As it is: text that `fit` or `shown` made, or a mark that moves the cursor. */
  readonly write: (text: string) => Promise<void>;
  /** Data: as it is for a program; on a terminal, which would act on what stands in it, made visible. */
  readonly put: (text: string) => Promise<void>;
  /** Something for a person: no line is longer than `columns`, as far as its words allow. */
  readonly say: (text: string) => Promise<void>;
  /** The text as `say` writes it. A pipe has no width: whoever searches what it carries finds whole lines. */
  readonly fit: (text: string) => string;
  /** Text for a person whose lines are already as they should be: what somebody else wrote moves no cursor and has no colour. */
  readonly shown: (text: string) => string;
  readonly paint: (look: TextStyle, text: string) => string;
  readonly columns: number;
  readonly interactive: boolean;
}

export interface Terminal {
  readonly out: Stream;
  readonly err: Stream;
  readonly readStandardInput: () => Promise<Uint8Array>;
  readonly environment: Environment;
  readonly folder: string;
  readonly platform: NodeJS.Platform;
}

/** Wide enough for every report; wider terminals do not stretch them. */
const COLUMNS_MAX = 100;
const COLUMNS_UNKNOWN = 80;
const COLUMNS_MIN = 40;

const FORMATS = {
  strong: "bold",
  dim: "dim",
  good: "green",
  warn: "yellow",
  bad: "red",
  accent: "cyan",
} as const satisfies Record<TextStyle, Parameters<typeof styleText>[0]>;

export function processTerminal(): Terminal {
  return {
    out: openStream(process.stdout, written("standard output")),
    // What cannot be said to a person must not keep the data back.
    err: openStream(process.stderr, () => undefined),
    readStandardInput,
    environment: process.env,
    folder: process.cwd(),
    platform: process.platform,
  };
}

/** Throws for a failed write, or leaves it at that. */
type OnFailure = (error: Error) => void;

function openStream(stream: NodeJS.WriteStream, onFailure: OnFailure): Stream {
  // Each write answers for itself; without a listener Node would end the process with a stack.
  stream.on("error", quietOnHangUp);
  // Honours NO_COLOR, FORCE_COLOR, NODE_DISABLE_COLORS and whether the stream is a terminal.
  const coloured = styleText("bold", "x", { stream }) !== "x";
  const columns = countColumns(process.env["COLUMNS"], stream.columns);
  const write = async (text: string): Promise<void> => {
    const error = await new Promise<Error | null | undefined>((done) => stream.write(text, done));
    if (error) onFailure(error);
  };
  const interactive = stream.isTTY === true && process.env["TERM"] !== "dumb";
  return streamTo(write, { fits: hasWidth(stream), columns, coloured, interactive });
}

interface Looks extends Pick<Stream, "columns" | "interactive"> {
  /** What is said is broken into lines that are not longer than the columns. */
  readonly fits: boolean;
  readonly coloured: boolean;
}

export function streamTo(write: Stream["write"], { fits, coloured, columns, interactive }: Looks): Stream {
  const fit = (text: string): string => shown(fits ? fitted(marked(text), columns) : text);
  return {
    write,
    put: (text) => write(interactive ? shown(text) : text),
    say: (text) => write(fit(text)),
    fit,
    shown,
    paint: (look, text) =>
      coloured && text !== "" ? painted(text, (one) => styleText(FORMATS[look], one, { validateStream: false })) : text,
    columns,
    interactive,
  };
}

function hasWidth(stream: NodeJS.WriteStream): boolean {
  return stream.columns !== undefined || isWidth(process.env["COLUMNS"]);
}

function isWidth(stated: string | undefined): stated is string {
  return /^[1-9]\d{0,4}$/.test(stated ?? "");
}

/** What `COLUMNS` says, as POSIX has it, before what the terminal says of itself. */
function countColumns(stated: string | undefined, offered: number | undefined): number {
  const columns = isWidth(stated) ? Number(stated) : (offered ?? COLUMNS_UNKNOWN);
  return Math.min(Math.max(columns, COLUMNS_MIN), COLUMNS_MAX);
}

/** `precis … | head` is not a failure. */
function quietOnHangUp(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(EXIT.done);
}

function written(name: string): OnFailure {
  return (error) => {
    throw unwritable(name, error);
  };
}

async function readStandardInput(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

export function formatTrace(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** A failure in words: what, where, and the next step; a fault of ours with its trace. */
export function explained(error: unknown, { err: { paint } }: Pick<Terminal, "err">, program = "precis"): string {
  const title = paint("bad", `${program}:`);
  if (!(error instanceof PrecisError)) {
    return `${title} this is a bug in precis, not a problem of your input\n${paint("dim", formatTrace(error))}\n  ${paint("dim", "next")}  Please report it with the lines above.\n`;
  }
  const lines = [`${title} ${error.message}`];
  if (error.place !== undefined && !error.message.includes(error.place))
    lines.push(`  ${paint("dim", "at")}    ${error.place}`);
  lines.push(`  ${paint("dim", "next")}  ${error.hint}`);
  return `${lines.join("\n")}\n`;
}
