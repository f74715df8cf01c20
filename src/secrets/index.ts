/** `precis/secrets`: redaction with every rule there is, for sessions, logs and exports. */
import "../platform/refuse-old-node.ts";
export type { RedactOptions } from "../core/redaction/redact.ts";
export { createRedactor, type Redactor } from "../core/redaction/redactor.ts";
export { PATTERN_CHARS_MAX, PATTERNS_MAX, patternProblems, type PatternProblem } from "./patterns.ts";
export { loadSecretRules, logLine, type SecretSettings } from "./rules.ts";
