/** One line of a log without secrets: what a logger writes, whatever its level. */
import { redactJson, type Redactor } from "../core/redaction/redactor.ts";

/** `record` as one line of JSON. `redact` should know every rule: `createRedactor(await loadSecretRules())`. */
export function logLine(record: unknown, redact: Redactor): string {
  return redactJson(JSON.stringify(record) ?? "null", redact);
}
