/** Failed reads and writes: one class each for files and streams alike, with the place, the reason and what to do. */
import { PrecisError } from "../../core/errors.ts";
import { isSystemError, reasonOf } from "../../platform/system-errors.ts";

/** Calls that change something. `open` is distinguished by what it meets: only a new or a changed file runs out of room. */
const WRITING_CALLS = new Set([
  "write",
  "mkdir",
  "mkdtemp",
  "rename",
  "unlink",
  "rm",
  "rmdir",
  "link",
  "symlink",
  "copyfile",
  "chmod",
  "fchmod",
  "ftruncate",
  "fsync",
  "utime",
]);
const WRITING_CODES = new Set(["EROFS", "ENOSPC", "EDQUOT", "EFBIG", "EEXIST"]);
const FULL_CODES = new Set(["ENOSPC", "EDQUOT"]);
const DENIED_CODES = new Set(["EACCES", "EPERM"]);
const DENIED_HINT = "Check the permissions of the file and of the folders above it.";
const TOO_MANY_CODES = new Set(["EMFILE", "ENFILE"]);
const TOO_MANY_HINT = "Close programs that have many files open, or raise the limit (`ulimit -n`), and try again.";

export function unwritable(name: string, cause: unknown): PrecisError {
  const hint = FULL_CODES.has(readCode(cause))
    ? "Free some space, or write to another disk."
    : "Check the folder and its permissions, or name another file.";
  return failure("write", name, { code: "unwritable_output", hint, cause });
}

/** `hint` says what to name instead, where it is the path that is wrong. */
export function unreadable(
  name: string,
  cause: unknown,
  hint: string = "Check the path, or name another file.",
): PrecisError {
  const denied = DENIED_CODES.has(readCode(cause));
  return failure("read", name, { code: "unreadable_input", hint: denied ? DENIED_HINT : hint, cause });
}

/** What a command let through: a failure of the system about a file turned into one of ours, everything else as it is. */
export function describeFileFailure(thrown: unknown): unknown {
  if (!isSystemError(thrown)) return thrown;
  const writing = WRITING_CALLS.has(thrown.syscall!) || WRITING_CODES.has(readCode(thrown));
  return (writing ? unwritable : unreadable)(thrown.path ?? "a file", thrown);
}

interface Why {
  readonly code: "unwritable_output" | "unreadable_input";
  readonly hint: string;
  readonly cause: unknown;
}

function failure(doing: "read" | "write", name: string, { code, hint, cause }: Why): PrecisError {
  return new PrecisError(`cannot ${doing} ${name}: ${reasonOf(cause)}`, {
    code,
    place: name,
    hint: TOO_MANY_CODES.has(readCode(cause)) ? TOO_MANY_HINT : hint,
    cause,
  });
}

function readCode(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? "";
}
