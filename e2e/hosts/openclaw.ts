/** OpenClaw with our context engine, its agent started as a command; alone, it compacts with its model. */
import { join } from "node:path";
import type { Client, Place } from "../client.ts";
import type { Action } from "../task.ts";
import type { Host } from "./host.ts";

const MODEL = "gpt-5.4";
const WINDOW_TOKENS = 48_000;

const openclaw: Client = {
  name: "openclaw",
  title: "OpenClaw",
  package: "openclaw",
  version: "2026.9.6",
  protocol: "openai-chat",
  model: MODEL,
  windowTokens: WINDOW_TOKENS,
  program: ({ installed }) => [process.execPath, join(installed, "node_modules/openclaw/openclaw.mjs")],
  files: settings,
  environment: () => ({ OPENCLAW_DISABLE_UPDATE_CHECK: "1" }),
  words: (prompt) => ["agent", "--local", "--agent", "main", "--session-id", "one", "--message", prompt, "--json"],
  callFor,
  compactsFirst: {},
  aside: () => ({ text: "A depot" }),
  complaints: () => [],
};

export const openClawHost: Host = {
  name: "openclaw",
  title: `OpenClaw ${openclaw.version}`,
  client: openclaw,
  windowTokens: WINDOW_TOKENS,
  files: settings,
  setup: ["openclaw"],
  // OpenClaw shows tools of plugins by a search; `tool_call` calls one by its name.
  recall: (query, { body }) =>
    /"name":"precis_recall"/.test(JSON.stringify(body))
      ? { name: "precis_recall", arguments: { query } }
      : { name: "tool_call", arguments: { id: "precis_recall", args: { query } } },
};

function settings({ base, workspace }: Place): Readonly<Record<string, string>> {
  const model = {
    id: MODEL,
    name: MODEL,
    reasoning: false,
    input: ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: WINDOW_TOKENS,
    maxTokens: 4_096,
  };
  const strict = { baseUrl: `${base}/v1`, apiKey: "any", api: "openai-completions", models: [model] };
  return {
    ".openclaw/openclaw.json": JSON.stringify({
      agents: { defaults: { model: { primary: `strict/${MODEL}` }, workspace, skipBootstrap: true } },
      models: { mode: "merge", providers: { strict } },
    }),
  };
}

function callFor(action: Action): { readonly name: string; readonly arguments: unknown } {
  switch (action.kind) {
    case "own":
      return { name: action.name, arguments: action.arguments };
    case "read":
      return { name: "read", arguments: { path: action.path } };
    case "run":
      return { name: "exec", arguments: { command: action.command } };
    case "write":
      return { name: "write", arguments: { path: action.path, content: action.content } };
    case "edit":
      return {
        name: "edit",
        arguments: { path: action.path, edits: [{ oldText: action.before, newText: action.after }] },
      };
  }
}
