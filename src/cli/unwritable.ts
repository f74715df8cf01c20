/** Failed writes, in words: one class for files and streams alike. */
import { PrecisError } from "../core/errors.ts";

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a part of its path is a file and not a folder",
  EISDIR: "it is a folder",
  EEXIST: "a part of its path is a file and not a folder",
  ELOOP: "its symbolic links lead in a circle",
  ENAMETOOLONG: "its name is too long",
  ENOSPC: "no space is left on the device",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file system does not take a file of this size",
  EBADF: "it is not open for writing",
  ENXIO: "nothing is there to write to",
};

/** A failed call to the system, which nobody has put into words yet. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return error instanceof Error && typeof syscall === "string" && code !== undefined && code in REASONS;
}

/** One class for every write that fails: the place, the reason in words, and what to do. */
export function unwritable(name: string, cause: unknown): PrecisError {
  const { code = "", message } = cause as NodeJS.ErrnoException;
  const full = code === "ENOSPC" || code === "EDQUOT";
  return new PrecisError(`cannot write ${name}: ${REASONS[code] ?? message}`, {
    code: "unwritable_output",
    place: name,
    hint: full
      ? "Free some space, or write to another place."
      : "Check the folder and its permissions, or name another file.",
    cause,
  });
}
