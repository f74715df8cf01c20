/** What every store refuses, in the same words. */
import { PrecisError, type PrecisErrorDetails } from "../core/errors.ts";
import type { ChainAppend } from "./store.ts";

/** What a file system or a database brings about, as an error that a program can act on. */
export type Failure = Pick<PrecisErrorDetails, "code" | "hint" | "retryable"> & { readonly message: string };

export const FAILED: Failure = {
  code: "store_failed",
  message: "the store failed",
  hint: "Please report this: it is a bug in precis.",
};

export function closedError(): PrecisError {
  return new PrecisError("the store is closed", {
    code: "store_closed",
    hint: "Open it again, or close it only after its last use.",
  });
}

export function busyError(waiting: number): PrecisError {
  return new PrecisError(`the store is overloaded: ${waiting} calls are waiting`, {
    code: "store_busy",
    hint: "Try again in a moment; if this persists, its disk or its database is too slow.",
    retryable: true,
  });
}

/** @throws PrecisError `invalid_chain` where there is not one link a message. */
export function checkChain(chain: ChainAppend): ChainAppend {
  const { links, messages } = chain;
  if (links.length === messages.length) return chain;
  throw new PrecisError(`a chain of ${links.length} links has ${messages.length} messages`, {
    code: "invalid_chain",
    hint: "Give the links that createChain(…).linksOf(messages) answers with for these messages.",
  });
}

export function encryptedError(place: string): PrecisError {
  return new PrecisError("the store is encrypted, but no key was given", {
    code: "store_encrypted",
    hint: "Name the variable that holds its key in gateway.store_key_env; in a program give `key`.",
    place,
  });
}

export function wrongKeyError(place: string): PrecisError {
  return new PrecisError("the store is encrypted with another key", {
    code: "store_key_wrong",
    hint: "Use the 32-byte key that it was created with; without that key it cannot be read.",
    place,
  });
}

export function notEncryptedError(place: string): PrecisError {
  return new PrecisError("a key was given, but the store is not encrypted", {
    code: "store_not_encrypted",
    hint: "Name another file with gateway.store to create an encrypted store, or open this one without a key.",
    place,
  });
}
