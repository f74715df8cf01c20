/**
 * Files of an agent on this machine, read again by the paths that it named: below one folder that the operator named, and
 * nothing outside of it, whatever symbolic links and paths say.
 */
import type * as NodeFs from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type * as NodePath from "node:path";
import { PrecisError } from "../core/errors.ts";
import { builtin } from "../platform/builtin.ts";
import { reasonOf } from "../platform/system-errors.ts";
import type { RuntimeOptions } from "./contract.ts";
import { withTimeLimit } from "./time-limit.ts";

/** A larger file is not read: a few thousand tokens of it would be shown. */
const FILE_BYTES_MAX = 1024 * 1024;
/** How long one file is waited for: it may be on a network. */
const FILE_WAIT_MS = 2_000;

/**
 * For the option `readFile`: what a text file below the folder holds, undefined for everything else.
 *
 * @throws PrecisError `bad_folder` where there is no such folder, and on a host without files, such as a browser.
 */
export function readFilesIn(folder: string): NonNullable<RuntimeOptions["readFile"]> {
  const modules = nodeModules(folder);
  const root = findRoot(modules, folder);
  return async (path, signal) => {
    if (signal?.aborted === true) return undefined;
    return withTimeLimit(
      FILE_WAIT_MS,
      readBelow(modules, root, path).catch(() => undefined),
      () => undefined,
    );
  };
}

interface NodeModules {
  readonly fs: typeof NodeFs;
  readonly path: typeof NodePath;
}

/** Asked for here and not imported, so that the entry loads where there are none. */
function nodeModules(folder: string): NodeModules {
  const [fs, path] = [builtin("node:fs"), builtin("node:path")];
  if (fs === undefined || path === undefined) throw badFolder(folder, "this host has no file system");
  return { fs, path };
}

function findRoot({ fs, path }: NodeModules, folder: string): string {
  try {
    const root = fs.realpathSync(path.resolve(folder));
    if (fs.statSync(root).isDirectory()) return root;
  } catch (error) {
    throw badFolder(folder, reasonOf(error));
  }
  throw badFolder(folder, "it is no folder");
}

function badFolder(folder: string, reason: string): PrecisError {
  return new PrecisError(`files cannot be read again in ${folder}: ${reason}`, {
    code: "bad_folder",
    place: "context.files_folder",
    hint: "Name the folder that the agent works in, or remove the setting.",
  });
}

/** A path of the agent's stands in its folder, whether it is written from there or from the root. */
async function readBelow(modules: NodeModules, root: string, path: string): Promise<string | undefined> {
  const { open, realpath } = modules.fs.promises;
  const { constants } = modules.fs;
  const real = await realpath(modules.path.resolve(root, path));
  if (!isBelow(modules, root, real)) return undefined;
  // Neither a link put there meanwhile is followed, nor is a pipe waited for.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(real, flags);
  try {
    return (await isStillAt(modules, file, real)) ? await decodeText(file) : undefined;
  } finally {
    await file.close();
  }
}

function isBelow({ path: { isAbsolute, relative, sep } }: NodeModules, root: string, real: string): boolean {
  const way = relative(root, real);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** A folder on the way may have become a link between looking and opening: the opened file has to be the one that is there. */
async function isStillAt({ fs }: NodeModules, file: FileHandle, real: string): Promise<boolean> {
  const { realpath, stat } = fs.promises;
  const [opened, there, path] = await Promise.all([file.stat(), stat(real), realpath(real)]);
  return path === real && opened.isFile() && opened.ino === there.ino && opened.dev === there.dev;
}

async function decodeText(file: FileHandle): Promise<string | undefined> {
  // It may grow while it is read.
  const { bytesRead, buffer } = await file.read(Buffer.alloc(FILE_BYTES_MAX + 1), 0, FILE_BYTES_MAX + 1, 0);
  if (bytesRead > FILE_BYTES_MAX) return undefined;
  const bytes = buffer.subarray(0, bytesRead);
  return bytes.includes(0) ? undefined : new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}
