/** pi: Chat Completions, tools read, bash, edit and write. */
import { join } from "node:path";
import { jsonLines, type Client } from "./client.ts";
import type { Action } from "./task.ts";

const MODEL = "gpt-5.4";
/** What it is told, so that its own compaction does not come first. */
const CLAIMED_WINDOW_TOKENS = 1_000_000;
const OUTPUT_TOKENS = 4_096;

const ALWAYS = ["--provider", "precis", "--model", MODEL, "--mode", "json", "-p"];

export const pi: Client = {
  name: "pi",
  title: "pi",
  package: "@earendil-works/pi-coding-agent",
  version: "0.87.1",
  protocol: "openai-chat",
  model: MODEL,
  windowTokens: 32_000,
  program: ({ installed }) => [
    process.execPath,
    join(installed, "node_modules/@earendil-works/pi-coding-agent/dist/cli.js"),
  ],
  files: ({ base }) => ({
    ".pi/agent/models.json": JSON.stringify({
      providers: {
        precis: {
          baseUrl: `${base}/v1`,
          api: "openai-completions",
          apiKey: "$PRECIS_KEY",
          models: [{ id: MODEL, reasoning: true, contextWindow: CLAIMED_WINDOW_TOKENS, maxTokens: OUTPUT_TOKENS }],
        },
      },
    }),
  }),
  environment: () => ({ PI_OFFLINE: "1", PRECIS_KEY: "key-of-pi" }),
  words: (prompt, goesOn) => [...ALWAYS, ...(goesOn ? ["-c"] : []), prompt],
  callFor,
  aside: () => ({ text: "A depot." }),
  complaints: (output) =>
    jsonLines(output).flatMap((line) => {
      const message = line["message"] as Record<string, unknown> | undefined;
      return message?.["stopReason"] === "error" ? [String(message["errorMessage"])] : [];
    }),
};

function callFor(action: Action): { readonly name: string; readonly arguments: unknown } {
  switch (action.kind) {
    case "own":
      return { name: action.name, arguments: action.arguments };
    case "read":
      return { name: "read", arguments: { path: action.path } };
    case "run":
      return { name: "bash", arguments: { command: action.command } };
    case "write":
      return { name: "write", arguments: { path: action.path, content: action.content } };
    case "edit":
      return {
        name: "edit",
        arguments: { path: action.path, edits: [{ oldText: action.before, newText: action.after }] },
      };
  }
}
