/** What the exit code says. Documented in docs/cli.md; scripts rely on it. */
import { PrecisError } from "../core/errors.ts";

export const EXIT = {
  /** Done, or nothing to do. */
  done: 0,
  /** `precis check`, `precis plugins check`, `precis store check` or `precis doctor` found faults; `recall` or `search` found nothing, or `undo` had nothing to undo, or the result of `compact` is invalid. */
  failed: 1,
  /** The command line or the configuration is wrong. */
  usage: 2,
  /** The input cannot be read as a transcript, or the store cannot be opened. */
  unreadable: 3,
  /** Even the smallest result is above the budget; it was written. */
  irreducible: 4,
  /** A valid transcript is larger than its model's window. */
  tooLarge: 5,
  /** A fault in precis itself. */
  fault: 70,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: readonly (readonly [code: ExitCode, meaning: string])[] = [
  [EXIT.done, "done, or nothing to do (the report says which)"],
  [
    EXIT.failed,
    "`check`, `plugins check`, `store check` or `doctor` found faults; `recall` or `search` found nothing; `undo` had nothing to undo; the result of `compact` is as invalid as its input was",
  ],
  [EXIT.usage, "the command line or the configuration is wrong, or an output file cannot be written"],
  [EXIT.unreadable, "the input cannot be read as a transcript, or the store cannot be used"],
  [EXIT.irreducible, "even the smallest result is above the budget; it was written anyway"],
  [EXIT.tooLarge, "`check` found a valid transcript that is larger than its model's window"],
  [EXIT.fault, "a bug in precis itself"],
];

/** Codes that mean the command has to be given differently; errors of reading are marked where input is read. */
const USAGE_CODES = new Set([
  "usage",
  "bad_configuration",
  "bad_folder",
  "unknown_engine",
  "bad_plugin",
  "untrusted_plugin",
  "unknown_prices",
  "unwritable_output",
  "upstream_settings",
  "proxy_settings",
  "listen_failed",
  "unknown_session",
  "unknown_pin",
  "bad_pin",
  "too_many_pins",
  "pinned",
  "ambiguous_session",
  "session_exists",
  "client_settings",
  "bad_fork",
  "bad_range",
  "bad_threshold",
  "bad_handoff",
  "cost_limit",
  "model_failed",
]);

/** What docs/store.md lists, but for a fault of ours. */
const STORE_CODES = new Set(
  [
    "locked",
    "full",
    "busy",
    "read_only",
    "unreachable",
    "gone",
    "interrupted",
    "newer",
    "older",
    "foreign",
    "damaged",
    "io",
    "encrypted",
    "key_wrong",
    "not_encrypted",
    "refused",
    "timeout",
  ].map((code) => `store_${code}`),
);

export function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof PrecisError)) return EXIT.fault;
  if (error.code === "unreadable_input" || STORE_CODES.has(error.code)) return EXIT.unreadable;
  if (error.code === "unknown_recall_id") return EXIT.failed;
  return USAGE_CODES.has(error.code) ? EXIT.usage : EXIT.fault;
}

export function usageError(message: string, hint: string): PrecisError {
  return new PrecisError(message, { code: "usage", hint });
}
