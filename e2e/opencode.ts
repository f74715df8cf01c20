/** OpenCode: Chat Completions through the AI SDK, tools read, bash, edit and write. */
import { join } from "node:path";
import { jsonLines, type Client, type Place } from "./client.ts";
import { patchFor } from "./patch.ts";
import type { Action } from "./task.ts";

const MODEL = "gpt-5.4";
const CLAIMED_WINDOW_TOKENS = 1_000_000;
const SMALL_WINDOW_TOKENS = 20_000;
const OUTPUT_TOKENS = 4_096;

export const opencode: Client = {
  name: "opencode",
  title: "OpenCode",
  package: "opencode-ai",
  version: "1.18.33",
  protocol: "openai-chat",
  model: MODEL,
  windowTokens: 48_000,
  program: ({ installed }) => [join(installed, "node_modules/opencode-linux-x64/bin/opencode")],
  files: (place) => filesFor(place, CLAIMED_WINDOW_TOKENS),
  environment: () => ({
    PRECIS_KEY: "key-of-opencode",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
  }),
  words: (prompt, goesOn) => [
    "run",
    "--format",
    "json",
    "-m",
    `precis/${MODEL}`,
    ...(goesOn ? ["--continue"] : []),
    prompt,
  ],
  callFor,
  compactsFirst: { files: (place) => filesFor(place, SMALL_WINDOW_TOKENS) },
  aside: () => ({ text: "A depot" }),
  complaints: (output) =>
    jsonLines(output).flatMap(({ type, error }) => (type === "error" ? [JSON.stringify(error)] : [])),
};

function filesFor({ base }: Place, context: number): Readonly<Record<string, string>> {
  const precis = {
    npm: "@ai-sdk/openai-compatible",
    options: { baseURL: `${base}/v1`, apiKey: "{env:PRECIS_KEY}" },
    models: { [MODEL]: { reasoning: true, limit: { context, output: OUTPUT_TOKENS } } },
  };
  const settings = { autoupdate: false, share: "disabled", permission: "allow", provider: { precis } };
  return { ".config/opencode/opencode.json": JSON.stringify(settings) };
}

/** For models of this family it declares no write and no edit, but a patch. */
function callFor(action: Action): { readonly name: string; readonly arguments: unknown } {
  switch (action.kind) {
    case "own":
      return { name: action.name, arguments: action.arguments };
    case "read":
      return { name: "read", arguments: { filePath: action.path } };
    case "run":
      return { name: "bash", arguments: { command: action.command, description: "Runs it" } };
    case "write":
    case "edit":
      return { name: "apply_patch", arguments: { patchText: patchFor(action) } };
  }
}
