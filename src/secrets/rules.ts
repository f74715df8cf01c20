/** Everything that redaction can know: secretlint's preset and a person's own patterns, to be added to the core's rules. */
import type { Finder, RedactOptions } from "../core/redaction/redact.ts";
import { redactJson, type Redactor } from "../core/redaction/redactor.ts";

export interface SecretSettings {
  /** Spare what source code assigns; default false. */
  readonly code?: boolean;
  /** RE2 patterns, at most 32 of 512 characters each. */
  readonly patterns?: readonly string[];
}

/**
 * Loads the rules (about 15 ms, once) for a session's `secrets` and for `createRedactor`. Rejects with an `Error` that
 * says what is wrong where a pattern cannot be used.
 */
export async function loadSecretRules({ code = false, patterns = [] }: SecretSettings = {}): Promise<RedactOptions> {
  const { createSecretlintFinder } = await import("./secretlint.ts");
  const finders: Finder[] = [createSecretlintFinder()];
  if (patterns.length > 0) {
    const { createPatternFinder } = await import("./patterns.ts");
    finders.push(createPatternFinder(patterns));
  }
  return { code, finders };
}

/** `record` as one line of JSON. `redact` should know every rule: `createRedactor(await loadSecretRules())`. */
export function logLine(record: unknown, redact: Redactor): string {
  return redactJson(JSON.stringify(record) ?? "null", redact);
}
