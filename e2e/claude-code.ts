/** Claude Code: Anthropic Messages, tools Read, Bash, Edit and Write. */
import { join } from "node:path";
import { jsonLines, type Client } from "./client.ts";
import type { Action } from "./task.ts";

const MODEL = "claude-opus-5-5";

const ALWAYS = ["--model", MODEL, "--output-format", "json", "--allowedTools", "Bash,Read,Edit,Write"];

export const claudeCode: Client = {
  name: "claude-code",
  title: "Claude Code",
  package: "@anthropic-ai/claude-code",
  version: "2.1.332",
  protocol: "anthropic-messages",
  model: MODEL,
  windowTokens: 64_000,
  program: ({ installed }) => [join(installed, "node_modules/@anthropic-ai/claude-code-linux-x64/claude")],
  files: () => ({
    ".claude.json": JSON.stringify({ hasCompletedOnboarding: true }),
  }),
  environment: ({ base }) => ({
    ANTHROPIC_BASE_URL: base,
    ANTHROPIC_API_KEY: "key-of-claude-code",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: "4096",
    // A system message behind every result, with what is left of the window it believes in.
    CLAUDE_CODE_TOTAL_TOKENS_REMINDER: "countdown",
  }),
  words: (prompt, goesOn) => [...ALWAYS, ...(goesOn ? ["--continue"] : []), "-p", prompt],
  callFor,
  compactsFirst: { prompt: "/compact" },
  own: [
    {
      says: "Another agent counts while I read.",
      does: [
        {
          kind: "own",
          name: "Agent",
          arguments: { description: "Count", prompt: "Count the files.", subagent_type: "claude" },
        },
        { kind: "read", path: "logs/weighing.log" },
      ],
    },
    {
      thinks: "Some tools have to be loaded first.",
      does: [
        {
          kind: "own",
          name: "ToolSearch",
          arguments: { query: "select:TodoWrite,WebFetch,TaskCreate", max_results: 5 },
        },
      ],
    },
  ],
  aside: () => ({ text: "A depot" }),
  complaints: (output) =>
    jsonLines(output).flatMap(({ is_error: failed, result }) => (failed === true ? [String(result)] : [])),
};

function callFor(action: Action): { readonly name: string; readonly arguments: unknown } {
  switch (action.kind) {
    case "own":
      return { name: action.name, arguments: action.arguments };
    case "read":
      return { name: "Read", arguments: { file_path: action.path } };
    case "run":
      return { name: "Bash", arguments: { command: action.command, description: "Runs it" } };
    case "write":
      return { name: "Write", arguments: { file_path: action.path, content: action.content } };
    case "edit":
      return {
        name: "Edit",
        arguments: { file_path: action.path, old_string: action.before, new_string: action.after },
      };
  }
}
