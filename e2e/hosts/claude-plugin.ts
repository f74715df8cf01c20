/**
 * Claude Code with our plugin, installed from the packed project: a rule that the user states comes back after Claude Code has compacted
 * by itself, its model finds the tools for recall, and it does so only with the plugin.
 */
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createProvider, type Answer, type ScriptedRequest } from "../../src/provider/index.ts";
import { claudeCode } from "../claude-code.ts";
import type { Place } from "../client.ts";
import { startGateway } from "../gateway.ts";
import { asksSummary } from "../script.ts";
import { startClient, type StageRun } from "../trial.ts";
import { DIST } from "./host.ts";

export const CLAUDE_PLUGIN = "claude-plugin";
export { claudeCode };

/** Nothing is compacted by the gateway here. */
const WINDOW_TOKENS = 200_000;
const RULE = "Never change the archive folder.";
const PROMPTS = [
  `List what is here. ${RULE} Always answer in one sentence.`,
  "Which of these is the largest?",
  "/compact",
  "Go on with the largest one.",
] as const;
/** What an answer needs to be of a conversation, and not of a title. */
const isConversation = (text: string): boolean => /"tools":\[\{/.test(text);

export interface PluginVerdict {
  readonly inside: boolean;
  /** Requests after the compaction in which the rule stands word for word. */
  readonly ruleAfter: boolean;
  readonly toolsOffered: boolean;
  readonly faults: readonly string[];
}

export async function runClaudePlugin(installed: string, inside: boolean): Promise<PluginVerdict> {
  const root = await mkdtemp(join(tmpdir(), "precis-claude-plugin-"));
  const [home, workspace, bin] = [join(root, "home"), join(root, "work"), join(root, "bin")];
  for (const folder of [join(home, ".claude"), workspace, bin]) await mkdir(folder, { recursive: true });
  await writeFile(
    join(home, ".claude.json"),
    claudeCode.files({ base: "", home, workspace, installed })[".claude.json"]!,
  );
  await writeFile(join(workspace, "archive.txt"), "old\n");
  const shim = `#!/bin/sh\nexec '${process.execPath}' '${join(DIST, "cli/bin.js")}' "$@"\n`;
  await writeFile(join(bin, "precis"), shim, { mode: 0o755 });
  const provider = createProvider({ script, models: { [claudeCode.model]: {} } });
  const listening = await provider.listen();
  // Recall is for what a gateway has stored.
  const store = join(home, ".local/share/precis/history.db");
  await mkdir(dirname(store), { recursive: true });
  const gateway = await startGateway({ upstream: listening.url, contextTokens: WINDOW_TOKENS, store, home });
  const place: Place = { base: gateway.url, home, workspace, installed };
  const environment = (at: Place) => ({
    ...claudeCode.environment(at),
    ENABLE_TOOL_SEARCH: "false",
    PATH: [bin, process.env["PATH"]].join(delimiter),
  });
  const runs: StageRun[] = [];
  const run = (words: readonly string[]) =>
    startClient({ ...claudeCode, environment, words: () => words }, place, { prompt: "", goesOn: false });
  try {
    if (inside) {
      for (const words of [
        ["marketplace", "add", packed(root)],
        ["install", "precis@precis"],
      ])
        runs.push(await run(["plugin", ...words]));
    }
    for (const [at, prompt] of PROMPTS.entries()) runs.push(await run(claudeCode.words(prompt, at > 0)));
  } finally {
    await gateway.stop();
    await listening.close();
    await rm(root, { recursive: true, force: true });
  }
  const bodies = provider.requests.map(({ body }) => body);
  const compacted = bodies.findLastIndex(asksSummary);
  const after = bodies.slice(compacted + 1).filter((body) => isConversation(body) && !asksSummary(body));
  const verdict = {
    inside,
    ruleAfter: compacted >= 0 && after.some((body) => body.includes(RULE)),
    toolsOffered: after.some((body) => body.includes("mcp__plugin_precis_precis__search")),
  };
  const failed = runs.flatMap(({ code, output, errors }) =>
    code === 0 ? [] : [`${output}${errors}`.slice(-COMPLAINT_CHARS_MAX)],
  );
  return { ...verdict, faults: [...faultsOf(verdict), ...failed] };
}

const COMPLAINT_CHARS_MAX = 1_000;

function faultsOf({ inside, ruleAfter, toolsOffered }: Omit<PluginVerdict, "faults">): readonly string[] {
  if (!inside) return ruleAfter ? ["the rule is there without the plugin too, so nothing is shown"] : [];
  return [
    ...(ruleAfter ? [] : ["the rule did not come back after the compaction"]),
    ...(toolsOffered ? [] : ["the tools for recall are not offered"]),
  ];
}

/** The package as it would be installed, unpacked. */
function packed(root: string): string {
  const project = join(DIST, "..");
  const name = execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", root], {
    cwd: project,
    encoding: "utf8",
  }).trim();
  execFileSync("tar", ["-xzf", join(root, name), "-C", root]);
  return join(root, "package");
}

/** A model whose summary forgets the rule. */
function script({ body }: ScriptedRequest): Answer {
  return {
    text: asksSummary(JSON.stringify(body)) ? "<summary>The user had files listed.</summary>" : "There is one file.",
  };
}
