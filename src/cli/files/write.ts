/**
 * What commands write beside their streams. A regular file is replaced whole or not at all; anything else (a pipe, a
 * device, a descriptor that the shell opened) is written through, because replacing it would cut off whoever reads it.
 * A link that leads out of its folder is refused: a folder that somebody else made can hold one to any file of yours.
 */
import {
  accessSync,
  chmodSync,
  constants,
  createWriteStream,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { finished } from "node:stream/promises";
import { PrecisError } from "../../core/errors.ts";
import type { Terminal } from "../screen/terminal.ts";
import { unwritable } from "./failures.ts";

export interface WriteOptions {
  /** Permissions of a new file; one that is replaced keeps its own. A file with originals is for its owner alone. */
  readonly mode?: number;
  /** A link may lead anywhere: to write in a person's own settings, which many keep elsewhere. */
  readonly isOwnSettings?: boolean;
}

/** The folder that names are relative to, and the streams that `/dev/stdout` and `/dev/stderr` stand for. */
type Outside = Pick<Terminal, "folder" | "out" | "err">;

/**
 * Folders that are missing are made, which is said, because a mistyped path makes them too. Throws `unwritable_output`. A
 * reader that hangs up is no failure.
 */
export async function writeOutput(
  terminal: Outside,
  name: string,
  text: string,
  { mode = 0o666, isOwnSettings = false }: WriteOptions = {},
): Promise<void> {
  const path = resolve(terminal.folder, name);
  try {
    const target = followLinks(path);
    const descriptor = findDescriptor(target);
    if (descriptor === 1) return await terminal.out.put(text);
    if (descriptor === 2) return await terminal.err.put(text);
    if (descriptor === undefined && target !== path && !isOwnSettings) refuseLinkOut(name, path, target);
    const there = readStat(path);
    if (descriptor !== undefined) await writeThrough(path, text, descriptor);
    else if (there === undefined || there.isFile()) {
      const isFolderNew = there === undefined && mkdirSync(dirname(target), { recursive: true }) !== undefined;
      replaceWhole(target, text, { there, mode });
      if (isFolderNew) await terminal.err.say(`made the folder ${dirname(target === path ? name : target)}\n`);
    } else await writeThrough(path, text);
  } catch (error) {
    if (error instanceof PrecisError) throw error;
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw unwritable(name, error);
  }
}

/** Whether two names are one regular file, by whatever links; what does not exist is compared by its name. */
export function isSameFile(one: string, other: string): boolean {
  try {
    const [a, b] = [readStat(one), readStat(other)];
    if (a === undefined || b === undefined) return followLinks(one) === followLinks(other);
    return a.isFile() && a.dev === b.dev && a.ino === b.ino;
  } catch {
    return one === other; // Reading or writing will say what is wrong with them.
  }
}

/** Permissions for what is made from this file: no wider than its own, and its owner may always read and write. */
export function modeLike(file: string): number {
  try {
    const there = statSync(file);
    return there.isFile() ? (there.mode & 0o666) | 0o600 : 0o666;
  } catch {
    return 0o666; // Reading it will say why.
  }
}

const DESCRIPTOR = /^\/(?:dev|proc\/self)\/fd\/(\d{1,6})$/;

/** The number of an open descriptor that a path stands for: it is written to as it is, because a pipe's path may not open. */
function findDescriptor(path: string): number | undefined {
  if (path === "/dev/stdout") return 1;
  if (path === "/dev/stderr") return 2;
  const digits = DESCRIPTOR.exec(path)?.[1];
  return digits === undefined || process.platform === "win32" ? undefined : Number(digits);
}

const LINKS_MAX = 40;

/** What a path leads to, also where the last link leads to a file that is not there yet. */
function followLinks(path: string): string {
  let target = path;
  for (let links = 0; links < LINKS_MAX && findDescriptor(target) === undefined && isLink(target); links++)
    target = resolve(dirname(target), readlinkSync(target));
  return target;
}

function refuseLinkOut(name: string, link: string, target: string): void {
  const way = relative(realFolder(dirname(link)), realFolder(dirname(target)));
  if (way.split(sep)[0] !== ".." && !isAbsolute(way)) return;
  throw new PrecisError(`cannot write ${name}: it is a link that leads out of its folder, to ${target}`, {
    code: "unwritable_output",
    place: name,
    hint: "Name that file itself, or remove the link.",
  });
}

/** Where a folder really is; of one that is not there yet, what would be made. */
function realFolder(folder: string): string {
  if (existsSync(folder) || folder === dirname(folder)) return realpathSync(folder);
  return join(realFolder(dirname(folder)), basename(folder));
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function readStat(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/** Folders and file systems where no draft can be put beside the file, although the file itself may be written. */
const NO_DRAFT = new Set(["EACCES", "EPERM", "EROFS", "EBUSY", "EXDEV"]);

interface Replacing {
  readonly there: Stats | undefined;
  readonly mode: number;
}

/** Writes beside the file first and then moves, so that a crash or a full disk leaves the old one. */
function replaceWhole(path: string, text: string, { there, mode }: Replacing): void {
  // Moving over a file that is write-protected would work, but its protection was meant.
  if (there !== undefined) accessSync(path, constants.W_OK);
  const draft = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, text, { mode: there === undefined ? mode : 0o600, flag: "wx" });
    if (there !== undefined) chmodSync(draft, there.mode & 0o7777);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    if (there === undefined || !NO_DRAFT.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    writeFileSync(path, text);
  }
}

async function writeThrough(path: string, text: string, descriptor?: number): Promise<void> {
  const stream = createWriteStream(path, descriptor === undefined ? { flags: "w" } : { fd: descriptor });
  stream.end(text);
  await finished(stream);
}
