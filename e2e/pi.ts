/** pi: Chat Completions, tools read, bash, edit and write. */
import { join } from "node:path";
import { jsonLines, type Client, type Place } from "./client.ts";
import type { Action } from "./task.ts";

const MODEL = "gpt-5.4";
/** What it is told, so that its own compaction does not come first. */
const CLAIMED_WINDOW_TOKENS = 1_000_000;
/** It reserves 16,384 of it for the answer. */
const SMALL_WINDOW_TOKENS = 27_000;
/** Without it, it keeps 20,000 tokens word for word, and has nothing to compact in that window. */
const KEPT_TOKENS = 4_000;
const OUTPUT_TOKENS = 4_096;

const ALWAYS = ["--provider", "precis", "--model", MODEL, "--mode", "json", "-p"];

export const pi: Client = {
  name: "pi",
  title: "pi",
  package: "@earendil-works/pi-coding-agent",
  version: "1.6.0",
  protocol: "openai-chat",
  model: MODEL,
  windowTokens: 32_000,
  program: ({ installed }) => [
    process.execPath,
    join(installed, "node_modules/@earendil-works/pi-coding-agent/dist/cli.js"),
  ],
  files: (place) => filesFor(place, CLAIMED_WINDOW_TOKENS),
  environment: () => ({ PI_OFFLINE: "1", PRECIS_KEY: "key-of-pi" }),
  words: (prompt, goesOn) => [...ALWAYS, ...(goesOn ? ["-c"] : []), prompt],
  callFor,
  compactsFirst: {
    files: (place) => ({
      ...filesFor(place, SMALL_WINDOW_TOKENS),
      ".pi/agent/settings.json": JSON.stringify({ compaction: { keepRecentTokens: KEPT_TOKENS } }),
    }),
  },
  aside: () => ({ text: "A depot." }),
  complaints: (output) =>
    jsonLines(output).flatMap((line) => {
      const message = line["message"] as Record<string, unknown> | undefined;
      return message?.["stopReason"] === "error" ? [String(message["errorMessage"])] : [];
    }),
};

function filesFor({ base }: Place, contextWindow: number): Readonly<Record<string, string>> {
  const model = { id: MODEL, reasoning: true, contextWindow, maxTokens: OUTPUT_TOKENS };
  const precis = { baseUrl: `${base}/v1`, api: "openai-completions", apiKey: "$PRECIS_KEY", models: [model] };
  return { ".pi/agent/models.json": JSON.stringify({ providers: { precis } }) };
}

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
