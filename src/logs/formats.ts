/** Every format of sessions that precis knows, by its name. */
import { aider } from "./aider/index.ts";
import { claudeCode } from "./claude-code/index.ts";
import { codex } from "./codex/index.ts";
import type { SessionFormat, WritableFormat } from "./format.ts";
import { gemini } from "./gemini/index.ts";
import { hermes } from "./hermes/index.ts";
import type { LogFormat, WrittenFormat } from "./log.ts";
import { opencode } from "./opencode/index.ts";
import { pi } from "./pi/index.ts";
import { specstory } from "./specstory/index.ts";

export const FORMATS: Readonly<Record<LogFormat, SessionFormat> & Record<WrittenFormat, WritableFormat>> = {
  "claude-code": claudeCode,
  codex,
  pi,
  opencode,
  gemini,
  hermes,
  aider,
  specstory,
};
