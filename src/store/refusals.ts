/** What every store refuses, in the same words. */
import { PrecisError } from "../core/errors.ts";
import type { ChainAppend } from "./store.ts";

export function closedError(): PrecisError {
  return new PrecisError("the store is closed", {
    code: "store_closed",
    hint: "Open it again, or close it only after its last use.",
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
