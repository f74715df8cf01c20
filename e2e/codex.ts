/** Codex: Responses, its shell tool and apply_patch. */
import { join } from "node:path";
import { jsonLines, type Client, type Place } from "./client.ts";
import { patchFor } from "./patch.ts";
import type { Action } from "./task.ts";

const MODEL = "gpt-5.6-sol";
const CLAIMED_WINDOW_TOKENS = 1_000_000;
const SMALL_LIMIT_TOKENS = 18_000;

export const codex: Client = {
  name: "codex",
  title: "Codex",
  package: "@openai/codex",
  version: "0.171.0",
  protocol: "openai-responses",
  model: MODEL,
  windowTokens: 48_000,
  program: ({ installed }) => [process.execPath, join(installed, "node_modules/@openai/codex/bin/codex.js")],
  files: (place) => filesFor(place, CLAIMED_WINDOW_TOKENS),
  environment: () => ({ PRECIS_KEY: "key-of-codex" }),
  words: (prompt, goesOn) => [
    "exec",
    ...(goesOn ? ["resume", "--last"] : []),
    "--skip-git-repo-check",
    "--json",
    "--dangerously-bypass-approvals-and-sandbox",
    prompt,
  ],
  callFor,
  compactsFirst: { files: (place) => filesFor(place, SMALL_LIMIT_TOKENS) },
  aside: () => ({ text: "A depot." }),
  complaints: (output) =>
    jsonLines(output).flatMap(({ type, message, error }) =>
      type === "error" || type === "turn.failed" ? [JSON.stringify(message ?? error)] : [],
    ),
};

function filesFor({ base }: Place, compactAtTokens: number): Readonly<Record<string, string>> {
  const lines = [
    `model = "${MODEL}"`,
    'model_provider = "precis"',
    `model_context_window = ${CLAIMED_WINDOW_TOKENS}`,
    `model_auto_compact_token_limit = ${compactAtTokens}`,
    "[model_providers.precis]",
    'name = "precis"',
    `base_url = "${base}/v1"`,
    'env_key = "PRECIS_KEY"',
    'wire_api = "responses"',
  ];
  return { ".codex/config.toml": `${lines.join("\n")}\n` };
}

/** Its one tool takes JavaScript, in which the others are functions. */
function callFor(action: Action): { readonly name: string; readonly arguments: string; readonly custom: true } {
  return { name: "exec", arguments: scriptFor(action), custom: true };
}

const shell = (command: string): string =>
  `const r = await tools.exec_command({ cmd: ${JSON.stringify(command)}, max_output_tokens: 20000 });\ntext(r.output);`;

function scriptFor(action: Action): string {
  switch (action.kind) {
    case "own":
      return String(action.arguments);
    case "read":
      return shell(`cat ${action.path}`);
    case "run":
      return shell(action.command);
    case "write":
    case "edit":
      return `text(await tools.apply_patch(${JSON.stringify(patchFor(action))}));`;
  }
}
