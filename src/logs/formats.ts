/** Every format of sessions that precis knows, by its name. A text that bears the marks of two belongs to the first of these. */
import { claudeCode } from "./claude-code/index.ts";
import { codex } from "./codex/index.ts";
import { dsh } from "./dsh/index.ts";
import type { SessionFormat } from "./format.ts";
import { gemini } from "./gemini.ts";
import { hermes } from "./hermes.ts";
import type { LogFormat } from "./log.ts";
import { opencode } from "./opencode/index.ts";
import { pi } from "./pi.ts";

export const FORMATS: Readonly<Record<LogFormat, SessionFormat>> = {
  "claude-code": claudeCode,
  dsh,
  pi,
  gemini,
  codex,
  opencode,
  hermes,
};
