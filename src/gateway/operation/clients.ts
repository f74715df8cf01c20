/** How each known client is pointed at a gateway: the start page shows it, and docs/gateway.md what a shell is enough for. */

export interface ClientSetup {
  readonly client: string;
  readonly protocol: string;
  /** Where the lines belong: a shell, or a file. */
  readonly place: string;
  readonly language: "sh" | "toml" | "json";
  readonly lines: readonly string[];
  readonly note: string;
}

/** A placeholder for the gateway's address. */
const GATEWAY = "GATEWAY";

const SETUPS: readonly ClientSetup[] = [
  {
    client: "Claude Code",
    protocol: "Anthropic Messages",
    place: "the shell",
    language: "sh",
    lines: ["ENABLE_TOOL_SEARCH=true ANTHROPIC_BASE_URL=GATEWAY claude"],
    note: 'Without `/v1`: Claude Code adds it. Without `ENABLE_TOOL_SEARCH` it sends the definitions of all MCP tools with every request. With an API key, `ENABLE_PROMPT_CACHING_1H=1` keeps the cache for an hour, which pays if you pause for longer than five minutes. To keep these, put `{"env": {"ANTHROPIC_BASE_URL": "…", "ENABLE_TOOL_SEARCH": "true"}}` into `~/.claude/settings.json`.',
  },
  {
    client: "Anthropic SDKs",
    protocol: "Anthropic Messages",
    place: "the shell",
    language: "sh",
    lines: ["export ANTHROPIC_BASE_URL=GATEWAY"],
    note: "Or `new Anthropic({ baseURL })`, `Anthropic(base_url=…)`. Without `/v1`.",
  },
  {
    client: "OpenAI SDKs",
    protocol: "OpenAI Chat Completions or Responses",
    place: "the shell",
    language: "sh",
    lines: ["export OPENAI_BASE_URL=GATEWAY/v1"],
    note: "Or `new OpenAI({ baseURL })`, `OpenAI(base_url=…)`.",
  },
  {
    client: "Codex",
    protocol: "OpenAI Responses",
    place: "~/.codex/config.toml",
    language: "toml",
    lines: [
      'model_provider = "precis"',
      "",
      "[model_providers.precis]",
      'name = "precis"',
      'base_url = "GATEWAY/v1"',
      'env_key = "OPENAI_API_KEY"',
      'wire_api = "responses"',
    ],
    note: "`env_key` names the variable that holds your key; do not put the key itself into the file.",
  },
  {
    client: "Gemini CLI",
    protocol: "Gemini API",
    place: "the shell",
    language: "sh",
    lines: ["GOOGLE_GEMINI_BASE_URL=GATEWAY gemini"],
    note: "With an API key (`GEMINI_API_KEY`); a login with Google uses other servers. The Gen AI SDKs take the same variable.",
  },
  {
    client: "OpenCode",
    protocol: "OpenAI Chat Completions",
    place: "opencode.json",
    language: "json",
    lines: [
      "{",
      '  "provider": {',
      '    "precis": {',
      '      "npm": "@ai-sdk/openai-compatible",',
      '      "options": { "baseURL": "GATEWAY/v1", "apiKey": "{env:OPENAI_API_KEY}" },',
      '      "models": { "gpt-5.6-sol": { "limit": { "context": 1050000, "output": 128000 } } }',
      "    }",
      "  }",
      "}",
    ],
    note: "`models` lists the models to choose from, with their real windows. Then `opencode run -m precis/gpt-5.6-sol`.",
  },
  {
    client: "pi",
    protocol: "OpenAI Chat Completions",
    place: "~/.pi/agent/models.json",
    language: "json",
    lines: [
      "{",
      '  "providers": {',
      '    "precis": {',
      '      "baseUrl": "GATEWAY/v1",',
      '      "api": "openai-completions",',
      '      "apiKey": "$OPENAI_API_KEY",',
      '      "models": [{ "id": "gpt-5.6-sol", "contextWindow": 1050000, "maxTokens": 128000 }]',
      "    }",
      "  }",
      "}",
    ],
    note: "Then `pi --provider precis --model gpt-5.6-sol`.",
  },
];

/** For a gateway at `url`, without a slash at its end. Keys stay the clients' own. */
export function clientSetups(url: string): readonly ClientSetup[] {
  return SETUPS.map((setup) => ({ ...setup, lines: setup.lines.map((line) => line.replace(GATEWAY, url)) }));
}
