/**
 * Claude Code with our plugin, installed from the packed project: a rule that the user states comes back after Claude Code has compacted
 * by itself, its model finds the tools for recall, and it does so only with the plugin.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createProvider, type Answer, type ScriptedRequest } from "../../provider/src/index.ts";
import { claudeCode } from "../claude-code.ts";
import type { Place } from "../client.ts";
import { startGateway } from "../gateway.ts";
import { asksSummary } from "../script.ts";
import { runClient, startClient, writeSettings, type StageRun } from "../trial.ts";
import { DIST, unpackedPackage } from "./host.ts";

export const CLAUDE_PLUGIN = "claude-plugin";
export { claudeCode };

const environment = (place: Place) => ({
  ...claudeCode.environment(place),
  ENABLE_TOOL_SEARCH: "false",
  PATH: pathWith(place),
});

/** The tool of the plugin's MCP server that searches what was removed. */
export const RECALL_TOOL = "mcp__plugin_precis_precis__search";
/** Each call of `precis` by the plugin, with its exit code and how a hook's answer begins, a line each; below the home. */
export const CALLS_FILE = "calls-of-precis";
const BIN_FOLDER = "programs";

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
  const [home, workspace] = [join(root, "home"), join(root, "work")];
  for (const folder of [home, workspace]) await mkdir(folder, { recursive: true });
  await writeSettings(claudeCode.files({ base: "", home, workspace, installed }), home);
  await writeFile(join(workspace, "archive.txt"), "old\n");
  const provider = createProvider({ script, models: { [claudeCode.model]: {} } });
  const listening = await provider.listen();
  // Recall is for what a gateway has stored.
  const store = join(home, ".local/share/precis/history.db");
  await mkdir(dirname(store), { recursive: true });
  const gateway = await startGateway({ upstream: listening.url, contextTokens: WINDOW_TOKENS, store, home });
  const place: Place = { base: gateway.url, home, workspace, installed };
  const runs: StageRun[] = [];
  try {
    if (inside) runs.push(...(await installPlugin(place, root)));
    for (const [at, prompt] of PROMPTS.entries())
      runs.push(await startClient({ ...claudeCode, environment }, place, { prompt, goesOn: at > 0 }));
  } finally {
    await gateway.stop();
    await listening.close();
    await rm(root, { recursive: true, force: true });
  }
  const bodies = provider.requests.map(({ body }) => body);
  const compacted = bodies.findLastIndex(asksSummary);
  // Where precis compacted, no summary was asked for, and what is left is the request after it.
  const answered = inside && compacted < 0;
  const after = bodies
    .slice(answered ? -1 : compacted + 1)
    .filter((body) => isConversation(body) && !asksSummary(body));
  const verdict = {
    inside,
    ruleAfter: (answered || compacted >= 0) && after.some((body) => body.includes(RULE)),
    toolsOffered: after.some((body) => body.includes(RECALL_TOOL)),
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

/** As a person does it: the packed project is the marketplace, and `precis` is on the PATH. */
export async function installPlugin(place: Place, folder: string): Promise<readonly StageRun[]> {
  await putOnPath(place);
  const runs: StageRun[] = [];
  for (const words of [
    ["marketplace", "add", unpackedPackage(folder)],
    ["install", "precis@precis"],
  ])
    runs.push(await runClient({ ...claudeCode, environment }, place, ["plugin", ...words]));
  return runs;
}

/** A `precis` that notes its calls. */
export async function putOnPath({ home }: Pick<Place, "home">): Promise<void> {
  const bin = join(home, BIN_FOLDER);
  await mkdir(bin, { recursive: true });
  const call = `'${process.execPath}' '${join(DIST, "cli/bin.js")}' "$@"`;
  const hook = `answer=$(${call})\n  code=$?\n  printf '%s' "$answer"`;
  const noted = `printf '%s %s %.20s\\n' "$1" "$code" "$answer" >> '${join(home, CALLS_FILE)}'`;
  const shim = `#!/bin/sh\nif [ "$1" = hook ]; then\n  ${hook}\nelse\n  ${call}\n  code=$?\nfi\n${noted}\nexit $code\n`;
  await writeFile(join(bin, "precis"), shim, { mode: 0o755 });
}

/** With the folder in which `putOnPath` puts `precis`. */
export function pathWith({ home }: Place): string {
  return [join(home, BIN_FOLDER), process.env["PATH"]].join(delimiter);
}

/** A model whose summary forgets the rule. */
function script({ body }: ScriptedRequest): Answer {
  return {
    text: asksSummary(JSON.stringify(body)) ? "<summary>The user had files listed.</summary>" : "There is one file.",
  };
}
