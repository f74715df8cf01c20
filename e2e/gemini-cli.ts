/** Gemini CLI: the Gemini API, tools read_file, run_shell_command, replace and write_file. */
import { join } from "node:path";
import { jsonLines, type Client } from "./client.ts";
import type { Action } from "./task.ts";

const MODEL = "gemini-3.7-flash";

const ALWAYS = ["--model", MODEL, "--yolo", "--output-format", "json"];

/** Its own compression begins at this share of a million tokens. */
const EARLY_COMPRESSION = 0.02;

export const geminiCli: Client = {
  name: "gemini-cli",
  title: "Gemini CLI",
  package: "@google/gemini-cli",
  version: "0.61.0",
  protocol: "google-gemini",
  model: MODEL,
  windowTokens: 40_000,
  program: ({ installed }) => [process.execPath, join(installed, "node_modules/@google/gemini-cli/bundle/gemini.js")],
  files: () => settingsWith({}),
  environment: ({ base }) => ({
    GOOGLE_GEMINI_BASE_URL: base,
    GEMINI_API_KEY: "key-of-gemini-cli",
    GEMINI_TELEMETRY_ENABLED: "false",
  }),
  words: (prompt, goesOn) => [...ALWAYS, ...(goesOn ? ["--resume", "latest"] : []), "--prompt", prompt],
  callFor,
  // The folder's listing is in it.
  resumesAnew: true,
  compactsFirst: { files: () => settingsWith({ model: { compressionThreshold: EARLY_COMPRESSION } }) },
  aside: () => ({ text: "A depot." }),
  complaints: (output) =>
    jsonLines(output).flatMap(({ error }) => (error === undefined ? [] : [JSON.stringify(error)])),
};

function settingsWith(more: object): Readonly<Record<string, string>> {
  const settings = {
    security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    ...more,
  };
  return { ".gemini/settings.json": JSON.stringify(settings) };
}

function callFor(action: Action): { readonly name: string; readonly arguments: unknown } {
  switch (action.kind) {
    case "own":
      return { name: action.name, arguments: action.arguments };
    case "read":
      return { name: "read_file", arguments: { file_path: action.path } };
    case "run":
      return { name: "run_shell_command", arguments: { command: action.command } };
    case "write":
      return { name: "write_file", arguments: { file_path: action.path, content: action.content } };
    case "edit":
      return {
        name: "replace",
        arguments: {
          file_path: action.path,
          old_string: action.before,
          new_string: action.after,
          instruction: "Mark the line as reviewed.",
        },
      };
  }
}
