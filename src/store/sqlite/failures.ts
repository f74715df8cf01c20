/** What can go wrong with a file, as errors a program can act on. They cross threads as plain data. */
import { PrecisError, type PrecisErrorDetails } from "../../core/errors.ts";
import { reasonOf } from "../../platform/system-errors.ts";
import { FAILED, type Failure } from "../refusals.ts";

/** https://www.sqlite.org/rescode.html; extended codes carry these in their lowest byte. */
const PRIMARY_CODE_MASK = 0xff;

const LOCKED: Failure = {
  code: "store_locked",
  message: "another process has locked the store's file",
  hint: "Try again; if this persists, look for a process that has the file open.",
  retryable: true,
};
const FULL: Failure = {
  code: "store_full",
  message: "there is no room for the store to grow",
  hint: "Free space on its disk or raise its limit, then try again; deleting old history also needs some space.",
  retryable: true,
};
const READ_ONLY: Failure = {
  code: "store_read_only",
  message: "the store cannot be written to",
  hint: "Open it for writing, as a user who may write the file and its folder.",
};
const IO: Failure = {
  code: "store_io",
  message: "the disk failed to read or write the store",
  hint: "Check the disk and its mount; the history up to the last success is safe.",
};
const UNREACHABLE: Failure = {
  code: "store_unreachable",
  message: "the store's file cannot be opened",
  hint: "Check that the path is right and that this user may read and write it.",
};
const DAMAGED: Failure = {
  code: "store_damaged",
  message: "the file is damaged, or is not an SQLite database",
  hint: "Name another file, or restore this one from a backup; it has not been changed.",
};

const BY_SQLITE_CODE: Readonly<Record<number, Failure>> = {
  3: READ_ONLY,
  5: LOCKED,
  6: LOCKED,
  8: READ_ONLY,
  10: IO,
  11: DAMAGED,
  13: FULL,
  14: UNREACHABLE,
  23: READ_ONLY,
  26: DAMAGED,
};
const BY_SYSTEM_CODE: Readonly<Record<string, Failure>> = { ENOSPC: FULL, EDQUOT: FULL, EROFS: READ_ONLY, EIO: IO };

/** An error of SQLite or of the file system, turned into one of ours; ours as it is. */
export function storeError(error: unknown, place: string): PrecisError {
  if (error instanceof PrecisError) return error;
  const { code, errcode } = error as { code?: string; errcode?: number };
  const { message: said, ...details } =
    (errcode === undefined ? systemFailure(code) : BY_SQLITE_CODE[errcode & PRIMARY_CODE_MASK]) ?? FAILED;
  return new PrecisError(`${said} (${reasonOf(error)})`, { ...details, place, cause: error });
}

function systemFailure(code: string | undefined): Failure | undefined {
  if (code === undefined || !/^E[A-Z]+$/.test(code)) return undefined;
  return BY_SYSTEM_CODE[code] ?? UNREACHABLE;
}

export function notRegularError(place: string): PrecisError {
  return new PrecisError("the store cannot be opened: this is a folder, a pipe or a device, and no file", {
    code: "store_unreachable",
    hint: "Name a file, or one that is still to be made.",
    place,
  });
}

export function newerSchemaError(place: string, found: number, known: number): PrecisError {
  return new PrecisError(
    `the store has schema ${found}, but this version of precis only knows schemas up to ${known}`,
    {
      code: "store_newer",
      hint: "Use the newer version of precis that wrote it, or name another file; this one has not been changed.",
      place,
    },
  );
}

export function olderSchemaError(place: string, found: number): PrecisError {
  return new PrecisError(`the store has schema ${found}, which must be upgraded before it can be read`, {
    code: "store_older",
    hint: "Open it for writing once: `precis serve` does, and every command that writes; a backup is made first.",
    place,
  });
}

export function foreignFileError(place: string): PrecisError {
  return new PrecisError("the file is a database of another program", {
    code: "store_foreign",
    hint: "Name another file; this one has not been changed.",
    place,
  });
}

export function emptyFileError(place: string): PrecisError {
  return new PrecisError("the store's file has nothing in it", {
    code: "store_empty",
    hint: "Of a copy, the contents may still be in the log beside the original: copy `FILE-wal` too, or as docs/upgrading.md says. Otherwise `precis serve` begins a store in it.",
    place,
  });
}

export function noRoomError(place: string): PrecisError {
  const { message, ...details } = FULL;
  return new PrecisError(message, { ...details, place });
}

export function deletedError(place: string): PrecisError {
  return new PrecisError("the store's file was removed or replaced while it was in use", {
    code: "store_gone",
    hint: "Put the file back where it was, or start again with a new one; until then nothing is kept.",
    place,
  });
}

export function lostThreadError(place: string, cause: unknown): PrecisError {
  return new PrecisError("the store's thread ended before it answered", {
    code: "store_interrupted",
    hint: "Try again: the next call starts another thread.",
    place,
    retryable: true,
    cause,
  });
}

/** What of an error reaches another thread. */
export interface PlainError {
  readonly message: string;
  readonly details: Omit<PrecisErrorDetails, "cause">;
}

export function toPlain({ message, code, hint, place, retryable }: PrecisError): PlainError {
  return { message, details: { code, hint, retryable, ...(place === undefined ? {} : { place }) } };
}

export function fromPlain({ message, details }: PlainError): PrecisError {
  return new PrecisError(message, details);
}
