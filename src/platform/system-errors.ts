/** What the system says of a file that cannot be read or written, in words. */

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a part of its path is a file and not a folder",
  EISDIR: "it is a folder",
  EEXIST: "a part of its path is a file and not a folder",
  ELOOP: "its symbolic links form a loop",
  ENAMETOOLONG: "its name is too long",
  ENOSPC: "no space is left on the device",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file system does not support files of this size",
  EBADF: "it is not open",
  ENXIO: "it is a socket, or nothing is connected to its other end",
  ENODEV: "there is no such device",
  EMFILE: "this process has too many files open",
  ENFILE: "this machine has too many files open",
  EIO: "the disk failed",
  EBUSY: "something else is using it",
  ETXTBSY: "it is a program that is running",
  ESTALE: "it is stale on its network file system",
};

/** A failed call to the system about a file, which nobody has put into words yet. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return error instanceof Error && typeof syscall === "string" && code !== undefined && code in REASONS;
}

/** The reason alone: of the system's, neither the code nor the path, which whoever tells it names already. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return REASONS[(error as NodeJS.ErrnoException).code ?? ""] ?? error.message;
}
