/**
 * Claude Code with our plugin, installed from the packed project, and the gateway that compacts for it: its own compaction comes due
 * and is held off. Alone, it has its model write summaries.
 */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { claudeCode } from "../claude-code.ts";
import type { Place } from "../client.ts";
import { startGateway } from "../gateway.ts";
import { CALLS_FILE, installPlugin, pathWith, RECALL_TOOL } from "./claude-plugin.ts";
import type { Begun, Host } from "./host.ts";

/** The least that it takes for its window; of this, its own compaction is due from here on. */
const OWN_WINDOW_TOKENS = 100_000;
const OWN_COMPACTION_PERCENT = 45;

/** The plugin's hook blocks it, or its module skips it. */
const HELD_OFF = /^hook (?:2|0 \{"skip")/;

/** Thinking of later models is bound to what comes before it, so that this provider refuses what Claude Code alone keeps behind a summary. */
const MODEL = "claude-sonnet-4-5";

export const claudeCodeHost: Host = {
  name: "claude-code",
  title: `Claude Code ${claudeCode.version}`,
  client: {
    ...claudeCode,
    model: MODEL,
    words: (prompt, goesOn) =>
      claudeCode.words(prompt, goesOn).map((word) => (word === claudeCode.model ? MODEL : word)),
    environment: (place) => ({
      ...claudeCode.environment(place),
      PATH: pathWith(place),
      ENABLE_TOOL_SEARCH: "false",
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(OWN_WINDOW_TOKENS),
      CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: String(OWN_COMPACTION_PERCENT),
    }),
  },
  windowTokens: claudeCode.windowTokens,
  files: claudeCode.files,
  words: (inside) => (inside ? ["--settings", JSON.stringify({ permissions: { allow: [RECALL_TOOL] } })] : []),
  begin,
  recall: (words) => ({ name: RECALL_TOOL, arguments: { words } }),
};

/** Alone, it talks to the provider itself. */
async function begin(place: Place, inside: boolean): Promise<Begun | undefined> {
  if (!inside) return undefined;
  const { base: upstream, home } = place;
  // Where the MCP server of the plugin looks for what the gateway has stored.
  const store = join(home, ".local/share/precis/history.db");
  const gateway = await startGateway({ upstream, contextTokens: claudeCode.windowTokens, store, home });
  for (const { code, output, errors } of await installPlugin(place, dirname(home)))
    if (code !== 0) throw new Error(`the plugin was not installed: ${errors}${output}`);
  return {
    base: gateway.url,
    stop: gateway.stop,
    heldOff: async () => {
      const calls = await readFile(join(home, CALLS_FILE), "utf8").catch(() => "");
      return calls.split("\n").filter((line) => HELD_OFF.test(line)).length;
    },
  };
}
