/** Every format of sessions that precis knows, by its name. */
import { claudeCode } from "./claude-code/index.ts";
import { codex } from "./codex/index.ts";
import { dsh } from "./dsh/index.ts";
import type { SessionFormat } from "./format.ts";
import { gemini } from "./gemini/index.ts";
import { hermes } from "./hermes/index.ts";
import type { LogFormat } from "./log.ts";
import { opencode } from "./opencode/index.ts";
import { pi } from "./pi/index.ts";

export const FORMATS: Readonly<Record<LogFormat, SessionFormat>> = {
  "claude-code": claudeCode,
  codex,
  pi,
  opencode,
  gemini,
  hermes,
  dsh,
};
