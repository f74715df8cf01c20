/** What the exit code says. Documented in docs/cli.md; scripts rely on it. */
import { PrecisError } from "../../core/errors.ts";

export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  unreadable: 3,
  irreducible: 4,
  tooLarge: 5,
  fault: 70,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: readonly (readonly [code: ExitCode, meaning: string])[] = [
  [EXIT.done, "done, or nothing to do (the report says which)"],
  [
    EXIT.failed,
    "`check`, `plugins`, `store check` or `doctor` found faults; `recall` found nothing; `undo` had nothing to undo; the result of `compact` is as invalid as its input was",
  ],
  [EXIT.usage, "the command line or the configuration is wrong, or an output file cannot be written"],
  [EXIT.unreadable, "the input cannot be read as a transcript, or the store cannot be used"],
  [EXIT.irreducible, "even the smallest result is above the budget; it was written anyway"],
  [EXIT.tooLarge, "`check` found a valid transcript that is larger than its model's window"],
  [EXIT.fault, "a bug in precis itself"],
];

/** Faults of ours; every other error of ours says what a person can do about it. */
const FAULT_CODES = new Set(["store_failed", "store_closed", "invalid_chain"]);

export function toExitCode(error: unknown): ExitCode {
  if (!(error instanceof PrecisError) || FAULT_CODES.has(error.code)) return EXIT.fault;
  if (error.code === "unreadable_input" || error.code.startsWith("store_")) return EXIT.unreadable;
  return error.code === "unknown_recall_id" ? EXIT.failed : EXIT.usage;
}

export function usageError(message: string, hint: string): PrecisError {
  return new PrecisError(message, { code: "usage", hint });
}
