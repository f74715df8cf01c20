/** DeepSeek Harness with our plugin: one start, in which it is asked everything; alone, it has its model write checkpoints. */
import { join } from "node:path";
import type { Client } from "../client.ts";
import type { Action } from "../task.ts";
import type { Host } from "./host.ts";

const MODEL = "deepseek-v4-flash";
const WINDOW_TOKENS = 32_000;
const VERSION = "0.1.0-rc.8";
/** Its packages name one another as peers. */
const PEERS: readonly string[] = [
  "cordis@4.0.1",
  "cordis-plugin-group@1.0.1",
  "cordis-plugin-hmr@1.0.16",
  "cordis-plugin-include@1.0.6",
  "cordis-plugin-loader@1.0.2",
  "cordis-plugin-timer@1.1.3",
  ...[
    "dsh-anonymous-user-id",
    "dsh-atomic-write",
    "dsh-bash-local",
    "dsh-code-runtime",
    "dsh-compaction",
    "dsh-fs",
    "dsh-invariants",
    "dsh-output-retention",
    "dsh-sandbox",
    "dsh-scope",
    "dsh-session-telemetry",
    "dsh-session-title-llm",
    "dsh-shell",
    "dsh-spill",
    "dsh-subagent-in-process-driver",
    "dsh-timeout",
    "dsh-workflow",
  ].map((name) => `${name}@${VERSION}`),
].map((name) => `@deepseek-ai/${name}`);
const PATCH = ".dsh/cordis.patch.yml";

const dsh: Client = {
  name: "dsh",
  title: "DeepSeek Harness",
  package: "@deepseek-ai/dsh",
  version: VERSION,
  beside: PEERS,
  protocol: "openai-chat",
  model: MODEL,
  windowTokens: WINDOW_TOKENS,
  program: ({ installed }) => [
    process.execPath,
    "--expose-internals",
    join(installed, "node_modules/@deepseek-ai/dsh/lib/bin.js"),
  ],
  files: ({ base }) => ({
    [PATCH]: [
      "- id: llm-deepseek",
      "  config:",
      `    baseURL: ${base}/v1`,
      "    maxTokens: 2000",
      `    defaultContextWindow: ${WINDOW_TOKENS}`,
      "    models:",
      `      - id: ${MODEL}`,
      `        contextWindow: ${WINDOW_TOKENS}`,
      "",
    ].join("\n"),
  }),
  environment: ({ home }) => ({ DSH_HOME: join(home, ".dsh"), DEEPSEEK_API_KEY: "sk-key-of-dsh-0123456789" }),
  words: (prompt) => ["--profile", "headless", prompt],
  callFor,
  compactsFirst: {},
  aside: () => ({ text: "A depot" }),
  complaints: () => [],
};

export const dshHost: Host = {
  name: "dsh",
  title: `DeepSeek Harness ${dsh.version}`,
  client: dsh,
  windowTokens: WINDOW_TOKENS,
  files: dsh.files,
  setup: ["dsh"],
  startsOnce: true,
  recall: (query) => ({ name: "precis_recall", arguments: { query } }),
};

function callFor(action: Action): { readonly name: string; readonly arguments: unknown } {
  switch (action.kind) {
    case "own":
      return { name: action.name, arguments: action.arguments };
    case "read":
      return { name: "read", arguments: { file_path: action.path } };
    case "run":
      return { name: "bash", arguments: { command: action.command, description: "Runs it" } };
    case "write":
      return { name: "write", arguments: { file_path: action.path, content: action.content } };
    case "edit":
      return {
        name: "edit",
        arguments: { file_path: action.path, old_string: action.before, new_string: action.after },
      };
  }
}
