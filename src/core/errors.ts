/** Failures as values a program can act on: a stable code, the place, whether a retry helps, and the next step. */

export interface PrecisErrorDetails {
  /** Stable, snake_case; part of the public contract. */
  readonly code: string;
  /** What to do next, one sentence. */
  readonly hint: string;
  /** Where it went wrong: a file, a line, a settings path, a message index. */
  readonly place?: string;
  /** True when the same call may succeed later without a change. */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

export class PrecisError extends Error {
  override readonly name = "PrecisError";
  readonly code: string;
  readonly hint: string;
  readonly place: string | undefined;
  readonly retryable: boolean;

  constructor(message: string, details: PrecisErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.hint = details.hint;
    this.place = details.place;
    this.retryable = details.retryable ?? false;
  }
}
