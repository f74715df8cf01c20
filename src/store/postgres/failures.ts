/** What can go wrong with a database server, as errors that a program can act on. */
import { PrecisError } from "../../core/errors.ts";
import { FAILED, type Failure } from "../refusals.ts";

const UNREACHABLE: Failure = {
  code: "store_unreachable",
  message: "the database cannot be reached",
  hint: "Check the address and that PostgreSQL is running and accepts connections from here.",
  retryable: true,
};
const REFUSED: Failure = {
  code: "store_refused",
  message: "the database does not let this user in",
  hint: "Check the user, the password and the name of the database in the store's address.",
};
const INTERRUPTED: Failure = {
  code: "store_interrupted",
  message: "the connection to the database was lost before it answered",
  hint: "Try again: the next call connects again.",
  retryable: true,
};
const SLOW: Failure = {
  code: "store_timeout",
  message: "the database took too long to answer",
  hint: "Try again; if this persists, look for what keeps the database busy.",
  retryable: true,
};
const FULL: Failure = {
  code: "store_full",
  message: "there is no room for the store to grow",
  hint: "Free space on the database's disk or raise the store's limit, then try again.",
  retryable: true,
};
const READ_ONLY: Failure = {
  code: "store_read_only",
  message: "the database cannot be written to",
  hint: "Name the primary server, and a user who may write to the store's tables.",
};
const OVERLOADED: Failure = {
  code: "store_busy",
  message: "the database has no connection left",
  hint: "Try again in a moment; if this persists, raise max_connections or lower the number of connections a gateway opens.",
  retryable: true,
};

/** By the class or the whole of an SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const BY_SQL_STATE: Readonly<Record<string, Failure>> = {
  "08": INTERRUPTED,
  "25006": READ_ONLY,
  "28": REFUSED,
  "3D": REFUSED,
  "42501": READ_ONLY,
  "53100": FULL,
  "53300": OVERLOADED,
  "53": OVERLOADED,
  "55P03": SLOW,
  "57014": SLOW,
  "57P01": INTERRUPTED,
  "57P02": INTERRUPTED,
  "57P03": UNREACHABLE,
};
const UNREACHED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "ETIMEDOUT",
]);
const LOST = new Set(["ECONNRESET", "EPIPE"]);
/** The messages of the driver's own errors, which have no code. */
const LOST_MESSAGE = /^Connection terminated|^Client has encountered a connection error/;
const SILENT_MESSAGE = /^Query read timeout/;
const SLOW_MESSAGE = /^timeout exceeded when trying to connect/;
/** Another transaction came first: the same again finds what it left. */
const CONFLICTS = new Set(["40001", "40P01", "23505", "23503"]);

/** An error of the driver or the server as one of ours; ours as it is. */
export function storeError(error: unknown, place: string): PrecisError {
  if (error instanceof PrecisError) return error;
  const { message, ...details } = failureOf(error) ?? FAILED;
  return new PrecisError(`${message} (${reasonOf(error)})`, { ...details, place, cause: error });
}

function failureOf(error: unknown): Failure | undefined {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  if (UNREACHED.has(code)) return UNREACHABLE;
  if (LOST.has(code) || LOST_MESSAGE.test(message)) return INTERRUPTED;
  if (SLOW_MESSAGE.test(message) || SILENT_MESSAGE.test(message)) return SLOW;
  return BY_SQL_STATE[code] ?? BY_SQL_STATE[code.slice(0, 2)];
}

/** A failed connection to a name with several addresses is one error of several, with no words of its own. */
function reasonOf(error: unknown): string {
  const { message, errors, code } = error as { message?: string; errors?: readonly Error[]; code?: string };
  return message || errors?.map((one) => one.message).join("; ") || code || String(error);
}

export function isConflict(error: unknown): boolean {
  return CONFLICTS.has((error as { code?: string }).code ?? "");
}

/** The database does not answer now: it is starting, ending, or gone. */
export function isAway(error: unknown): boolean {
  const failure = failureOf(error);
  return failure === UNREACHABLE || failure === INTERRUPTED;
}

/** The server itself ends a statement that takes too long: one that did not even say so is not there. */
export function isSilent(error: unknown): boolean {
  return SILENT_MESSAGE.test((error as { message?: string }).message ?? "");
}

/** Whether it was done nobody knows. */
export function unansweredCommit(cause: unknown): PrecisError {
  const { message, ...details } = INTERRUPTED;
  return new PrecisError(message, { ...details, retryable: false, cause });
}

export function newerSchemaError(place: string, found: number, known: number): PrecisError {
  return new PrecisError(`the store has schema ${found}, which this version of precis, made for ${known}, cannot use`, {
    code: "store_newer",
    hint: "Use the newer version of precis that upgraded it; nothing has been changed.",
    place,
  });
}

export function olderSchemaError(place: string, found: number): PrecisError {
  return new PrecisError(`the store has schema ${found}, which must be upgraded before it can be read`, {
    code: "store_older",
    hint: "Open it for writing once: `precis serve` does, and every command that writes.",
    place,
  });
}

export function jobsUnavailable(place: string, schema: string, cause: unknown): PrecisError {
  return new PrecisError(`the queue of jobs cannot be set up in the schema ${schema} (${reasonOf(cause)})`, {
    code: "jobs_unavailable",
    hint: `Let the user create it, or have it created: \`create schema ${schema} authorization USER\`. With gateway.jobs: off there is no queue.`,
    place,
    cause,
  });
}

export function readOnlyError(place: string): PrecisError {
  const { message, ...details } = READ_ONLY;
  return new PrecisError(message, { ...details, place });
}

export function noRoomError(place: string): PrecisError {
  const { message, ...details } = FULL;
  return new PrecisError(message, { ...details, place });
}
