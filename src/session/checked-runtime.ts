/** The runtime as programs start it: options and calls are checked. Doors of ours have checked theirs already. */
import type { Runtime, RuntimeOptions } from "./contract.ts";
import { checkRuntimeOptions, withCheckedCalls } from "./options.ts";
import { createRuntime as startRuntime } from "./runtime.ts";

/**
 * Starts a session over transcripts in the form of `precis/protocols`; for requests in their own form there is `createSession`.
 *
 * @throws PrecisError `bad_options` for options that are unknown or out of range, `unknown_engine` for an engine's name.
 */
export function createRuntime(options: RuntimeOptions = {}): Runtime {
  checkRuntimeOptions(options);
  return withCheckedCalls(startRuntime(options));
}
